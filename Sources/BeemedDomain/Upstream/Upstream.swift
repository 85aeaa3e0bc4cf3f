extension OutgoingDatapoint {
    /// The parameters of `POST /users/me/goals/{slug}/datapoints.json`, without the token. Request
    /// id and timestamp, or daystamp, are always explicit: a repetition must be identical in every
    /// byte, or Beeminder treats it as an update.
    package var parameters: [(name: String, value: String)] {
        [
            ("value", number(value)),
            daystamp.map { ("daystamp", $0.description) } ?? ("timestamp", "\(at.seconds)"),
            ("comment", comment), ("requestid", requestID),
        ]
    }

    /// The same as an element of the list for `create_all`.
    fileprivate var element: String {
        let object = JSONWriter.object { json in
            json.add("value", value)
            if let daystamp {
                json.add("daystamp", plain: daystamp.description)
            } else {
                json.add("timestamp", at.seconds)
            }
            json.add("comment", comment)
            json.add("requestid", requestID)
        }
        return String(decoding: object, as: UTF8.self)
    }

    /// Without exponent or unnecessary fraction where possible.
    private func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }
}

extension DatapointBatch {
    /// The only parameter of `POST .../datapoints/create_all.json`, without the token: a list of
    /// datapoints as the text of a form field, which was recorded to work.
    package var encoded: String {
        "[" + datapoints.map(\.element).joined(separator: ",") + "]"
    }
}

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

    /// Reads the field `Date` of an answer (RFC 9110 section 6.6.1); nil when missing, when it took
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
