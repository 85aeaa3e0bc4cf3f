import BeemedDomain

/// A day, and perhaps a time, as files have it.
struct WrittenDate: Equatable {
    /// A time of day, and its difference from UTC if that is written.
    struct Clock: Equatable {
        /// Seconds after midnight.
        var second: Int64
        /// Seconds east of UTC.
        var offset: Int64?

        /// Parses `14:03`, `14:03:22`, with `Z` or `+01:00` behind it; nil for anything else.
        init?(_ text: Substring) {
            // No time is longer, and a search backwards over characters takes quadratic time.
            guard text.utf8.count <= 40 else { return nil }
            var text = text
            if text.last == "Z" || text.last == "z" {
                offset = 0
                text = text.dropLast()
            } else if let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) {
                let digits = text[text.index(after: sign)...].filter { $0 != ":" }
                guard digits.count == 4, let number = Int64(digits), number % 100 < 60 else {
                    return nil
                }
                let seconds = number / 100 * 3_600 + number % 100 * 60
                offset = text[sign] == "-" ? -seconds : seconds
                text = text[..<sign]
            }
            guard let time = TimeOfDay(text) else { return nil }
            second = time.seconds
        }
    }

    var day: Daystamp
    var clock: Clock?

    /// Parses `2026-11-18`, `20261118`, `2026/11/18`, `2026 11 18` and `18.11.2026`, the first with
    /// a time behind a blank or `T`; nil for anything else. `11/18/2026` is refused: nobody knows
    /// whether the day or the month comes first in `11/12/2026`.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count > 11, [0x20, 0x54, 0x74].contains(bytes[10]), let day = Daystamp(text) {
            self.day = day
            guard let clock = Clock(text.dropFirst(11)) else { return nil }
            self.clock = clock
            return
        }
        if let day = Daystamp(text) {
            self.day = day
            return
        }
        let parts = text.split { " /.-".contains($0) }
        let numbers = parts.compactMap { $0.utf8.count <= 4 ? Int($0) : nil }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        let isDotted = text.contains(".") && parts[2].utf8.count == 4
        guard isDotted || parts[0].utf8.count == 4 else { return nil }
        let ordered = isDotted ? Array(numbers.reversed()) : numbers
        guard let day = Daystamp(year: ordered[0], month: ordered[1], day: ordered[2]) else {
            return nil
        }
        self.day = day
    }
}
