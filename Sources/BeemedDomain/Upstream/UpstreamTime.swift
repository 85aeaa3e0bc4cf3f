/// Beeminder's time, as one of its answers has told it, beside the relay's clock that never jumps.
package struct UpstreamTime: Sendable, Equatable {
    package let time: UnixTime
    /// The relay's monotonic clock when it was that time.
    package let at: Monotonic

    /// The longest round trip whose answer tells the time, in milliseconds.
    static let longestRoundTrip: Int64 = 30_000

    /// That it was this time at that moment.
    package init(_ time: UnixTime, at: Monotonic) {
        self.time = time
        self.at = at
    }

    /// What an answer says in its field `Date` (RFC 9110 section 6.6.1); nil when it says nothing,
    /// took too long, or may be somebody else's: a redirect, or anything but JSON, may come from a
    /// portal or a proxy on the way.
    package init?(_ answer: UpstreamAnswer, sent: Monotonic, received: Monotonic) {
        let roundTrip = received.milliseconds - sent.milliseconds
        guard let date = answer.date, (0...UpstreamTime.longestRoundTrip).contains(roundTrip),
            !(300...399).contains(answer.status), answer.isJSON
        else { return nil }
        self.init(date, at: Monotonic(milliseconds: sent.milliseconds + roundTrip / 2))
    }
}

extension UpstreamAnswer {
    fileprivate var isJSON: Bool {
        let first = body.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
