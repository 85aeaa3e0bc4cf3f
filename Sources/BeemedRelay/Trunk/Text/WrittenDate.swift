package import BeemedDomain

/// A day, and perhaps a time, as files and devices have it.
package struct WrittenDate: Equatable {
    /// A time of day, and its difference from UTC if that is written.
    package struct Clock: Equatable {
        /// Seconds after midnight.
        package var second: Int64
        /// Seconds east of UTC.
        package var offset: Int64?

        /// Parses `14:03`, `14:03:22`, with `Z`, `+01:00` or `-05` behind it; nil for anything
        /// else. A blank in the place of the sign is a plus that a form has decoded.
        package init?(_ text: Substring) {
            // No time is longer, and a search backwards over characters takes quadratic time.
            guard text.utf8.count <= 40 else { return nil }
            var text = text
            if text.last == "Z" || text.last == "z" {
                offset = 0
                text = text.dropLast()
            } else if let sign = text.lastIndex(where: { "+- ".contains($0) }) {
                guard let seconds = Clock.seconds(text[text.index(after: sign)...]) else {
                    return nil
                }
                offset = text[sign] == "-" ? -seconds : seconds
                text = text[..<sign]
            }
            if offset != nil, text.last == " " { text = text.dropLast() }
            guard let time = Clock.time(text) else { return nil }
            second = time
        }

        /// The seconds after midnight of `7:05`, `07:05:30` or `07:05:30.25`. Fractions of a second
        /// are more than Beeminder stores.
        private static func time(_ text: Substring) -> Int64? {
            let whole = text.prefix { $0 != "." && $0 != "," }
            let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { $0.utf8.count <= 2 ? Int64($0) : nil }
            guard (2...3).contains(parts.count), numbers.count == parts.count,
                (0...23).contains(numbers[0]), numbers[1...].allSatisfy({ (0...59).contains($0) })
            else { return nil }
            return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        }

        /// The seconds of a difference from UTC, `0100`, `01:00` or `01`: at most 14 hours.
        private static func seconds(_ text: Substring) -> Int64? {
            let digits = text.filter { $0 != ":" }
            guard digits.utf8.count == 2 || digits.utf8.count == 4,
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
            else { return nil }
            let (hours, minutes) =
                digits.utf8.count == 2 ? (number, 0) : (number / 100, number % 100)
            guard hours <= 14, minutes < 60 else { return nil }
            return hours * 3_600 + minutes * 60
        }
    }

    /// The day.
    package var day: Daystamp
    /// The time of the day; nil for all of it.
    package var clock: Clock?

    /// The moment; nil without a time, or if its difference from UTC is not written.
    package var moment: UnixTime? {
        guard let clock, let offset = clock.offset else { return nil }
        return UnixTime(day.number * 86_400 + clock.second - offset)
    }

    /// A time of a day.
    package init(day: Daystamp, clock: Clock) { (self.day, self.clock) = (day, clock) }

    /// Parses `2026-11-18`, `20261118`, `2026/11/18`, `2026 11 18` and `18.11.2026`, the first with
    /// a time behind a blank or `T`; nil for anything else. `11/18/2026` is refused: nobody knows
    /// whether the day or the month comes first in `11/12/2026`.
    package init?(_ text: String) {
        if let day = Daystamp(text) {
            self.day = day
            guard text.utf8.count > 11 else { return }
            guard let clock = Clock(text.dropFirst(11)) else { return nil }
            self.clock = clock
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
