/// The hours of each day, in the user's local time, in which only urgent reminders are sent.
package struct QuietHours: Sendable, Equatable {
    /// Minutes after midnight.
    package let from: Int
    /// Minutes after midnight; earlier than `from` when midnight is among them.
    package let until: Int

    /// From 22:00 to 07:00.
    package static let standard = QuietHours(from: 22 * 60, until: 7 * 60)

    private init(from: Int, until: Int) {
        self.from = from
        self.until = until
    }

    /// Parses `22:00-07:00`; nil for anything else, and for an empty range.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let from = QuietHours.minutes(parts[0]),
            let until = QuietHours.minutes(parts[1]), from != until
        else { return nil }
        self.init(from: from, until: until)
    }

    /// Parses `7:00`, `07:00` or `24:00`.
    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.trimmingPrefix { $0 == " " }.split(
            separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].prefix(2).count == 2,
            let hour = Int(parts[0]), let minute = Int(parts[1].filter { $0 != " " }),
            (0...24).contains(hour), (0...59).contains(minute), hour < 24 || minute == 0
        else { return nil }
        return (hour * 60 + minute) % 1_440
    }

    /// Seconds until they end; nil outside of them.
    ///
    /// - Parameter localSecond: seconds after midnight in the user's time zone.
    func secondsLeft(at localSecond: Int64) -> Int64? {
        let (start, end) = (Int64(from) * 60, Int64(until) * 60)
        let isInside =
            start < end
            ? (start..<end).contains(localSecond) : localSecond >= start || localSecond < end
        guard isInside else { return nil }
        return end > localSecond ? end - localSecond : end + 86_400 - localSecond
    }

    /// As parsed: `22:00-07:00`.
    package var description: String { "\(QuietHours.text(from))-\(QuietHours.text(until))" }

    private static func text(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

extension QuietHours: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let hours = QuietHours(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "not HH:MM-HH:MM"))
        }
        self = hours
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}
