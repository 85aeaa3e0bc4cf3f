/// Beeminder's time from one of its answers, with the relay's monotonic time.
package struct UpstreamTime: Sendable, Equatable {
    package let time: UnixTime
    /// The relay's monotonic clock at that time.
    package let at: Monotonic

    /// The longest round trip of an answer whose time is used, in milliseconds.
    static let longestRoundTrip: Int64 = 30_000

    /// Creates a pair of both times.
    package init(_ time: UnixTime, at: Monotonic) {
        self.time = time
        self.at = at
    }

    /// Reads the field `Date` of an answer (RFC 9110 section 6.6.1); nil when it is missing, took
    /// too long, or may not be Beeminder's: a redirect, or anything other than JSON, may come from
    /// a portal or a proxy.
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
        let first = body.first { !$0.isBlank }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
