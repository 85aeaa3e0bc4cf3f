/// `IMF-fixdate` of RFC 9110 section 5.6.7, always in GMT.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats seconds since 1970; times before 1970 give 1970.
    package static func text(_ unixSeconds: Int) -> String {
        let seconds = max(0, unixSeconds)
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, date) = civil(day)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits)
        return "\(days[day % 7]), \(twoDigits(date)) \(months[month - 1]) \(year) "
            + clock.joined(separator: ":") + " GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Year, month and day of the month, from days since 1970. Years are counted from March, so
    /// that the leap day is the last day of a year (Howard Hinnant, "chrono-compatible low-level
    /// date algorithms").
    private static func civil(_ day: Int) -> (year: Int, month: Int, date: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
