/// A calendar day without a time zone: Beeminder's daystamp (API reference, "Datapoint resource").
package struct Daystamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    package let number: Int64

    /// Creates a day from the number of days since 1970-01-01.
    package init(number: Int64) {
        self.number = number
    }

    /// Creates a day of the Gregorian calendar; nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1_000...9_999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // Counted from 0000-03-01, so that a leap day is the last day of its year.
        let years = Int64(month > 2 ? year : year - 1)
        let months = Int64((month + 9) % 12)
        let leapDays = years / 4 - years / 100 + years / 400
        number = years * 365 + leapDays + (months * 153 + 2) / 5 + Int64(day) - 1 - 719_468
        // A month may be shorter: then this is a day of the next one.
        guard parts.month == month else { return nil }
    }

    /// Parses `20261118` or `2026-11-18`. A time of day after the latter is ignored: the written
    /// day counts.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let digits: [UInt8]
        if bytes.count == 8 {
            digits = bytes
        } else {
            guard bytes.count >= 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
                bytes.count == 10 || bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20
            else { return nil }
            digits = Array(bytes[0..<4] + bytes[5..<7] + bytes[8..<10])
        }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }

    /// The day this many days later.
    package func adding(days: Int64) -> Daystamp { Daystamp(number: number + days) }

    /// Year, month and day.
    package var parts: (year: Int, month: Int, day: Int) {
        // The inverse of the count above: eras of 400 years have 146,097 days.
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let months = (5 * dayOfYear + 2) / 153
        let month = Int(months < 10 ? months + 3 : months - 9)
        let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        return (year, month, Int(dayOfYear - (153 * months + 2) / 5) + 1)
    }

    /// Beeminder's `daystamp` format: `20261118`.
    package var description: String {
        let (year, month, day) = parts
        return String(year * 10_000 + month * 100 + day)
    }

    /// `2026-11-22`.
    package var dashed: String {
        let text = description
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    }

    package static func < (left: Daystamp, right: Daystamp) -> Bool { left.number < right.number }
}

/// The day that a device gives for a press.
package enum PressDay: Hashable, Sendable {
    case on(Daystamp)
    /// 0 is today: `^` in Beeminder's own datapoint format; 1 is `^^`.
    case ago(days: Int)
    /// `18`, or `11 18`: the latest such day that is not after tomorrow.
    case latest(month: Int?, day: Int)
    /// The goal's day around this moment.
    case at(UnixTime)

    /// The resolved day; nil when there is none, and for a moment, whose day depends on the goal.
    package func resolved(today: Daystamp) -> Daystamp? {
        switch self {
        case .on(let day): return day
        case .at: return nil
        case .ago(let days): return today.adding(days: -Int64(days))
        case .latest(let month, let day):
            let now = today.parts
            // The last twelve months contain every day except a leap day, which is too old anyway.
            for back in 0...12 {
                let months = now.year * 12 + now.month - 1 - back + 1
                let found = Daystamp(year: months / 12, month: months % 12 + 1, day: day)
                guard let found, month ?? (months % 12 + 1) == months % 12 + 1 else { continue }
                if found <= today.adding(days: 1) { return found }
            }
            return nil
        }
    }
}
