/// A calendar day without a time zone, which Beeminder calls a daystamp.
struct CivilDay: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    var number: Int

    /// The day with this number, counted from 1970-01-01.
    init(number: Int) {
        self.number = number
    }

    /// The day of this date; nil for a date that does not exist.
    ///
    /// Years are counted from March, so that the leap day is the last of its year (Howard Hinnant,
    /// "chrono-compatible low-level date algorithms").
    init?(year: Int, month: Int, date: Int) {
        guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(date) else {
            return nil
        }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + date - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = era * 146_097 + dayOfEra - 719_468
        guard parts == (year, month, date) else { return nil }
    }

    /// `20260125`, and `2026-01-25`, which clients send too; nil for anything else.
    init?(daystamp: String) {
        var digits = daystamp
        if digits.count == 10 {
            let pieces = digits.split(separator: "-", omittingEmptySubsequences: false)
            guard pieces.map(\.count) == [4, 2, 2] else { return nil }
            digits = pieces.joined()
        }
        guard digits.count == 8, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits)
        else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, date: number % 100)
    }

    /// Year, month and day of the month.
    var parts: (year: Int, month: Int, date: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// `20260125`.
    var daystamp: String { joined(by: "") }

    /// `2026-01-25`.
    var dashed: String { joined(by: "-") }

    /// `Sun` to `Sat`.
    var weekday: String {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        return names[((number % 7) + 7) % 7]
    }

    /// `Jan` to `Dec`.
    var monthName: String {
        let names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")
        return String(names[parts.month - 1])
    }

    /// The day this many days later.
    func advanced(by days: Int) -> CivilDay {
        CivilDay(number: number + days)
    }

    static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }

    /// At least two digits.
    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// `2026-01-25T13:42:52.000Z`, the form of Beeminder's `created_at`.
    static func iso8601(_ unixSeconds: Int) -> String {
        let day = CivilDay(number: unixSeconds.flooredQuotient(by: 86_400))
        let second = unixSeconds - day.number * 86_400
        let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits)
        return "\(day.dashed)T\(clock.joined(separator: ":")).000Z"
    }

    private func joined(by separator: String) -> String {
        let (year, month, date) = parts
        let years = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
        return [years, CivilDay.twoDigits(month), CivilDay.twoDigits(date)]
            .joined(separator: separator)
    }
}

extension Int {
    /// The quotient rounded towards minus infinity: a time before 1970 belongs to the day before.
    func flooredQuotient(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
