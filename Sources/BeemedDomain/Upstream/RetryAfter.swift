/// The field `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The requested delay in seconds, at least 0; nil when unreadable.
    ///
    /// - Parameter answered: when the answer was created, by the clock that the date refers to.
    package static func seconds(_ field: String, answered: UnixTime) -> Double? {
        let field = field.trimmed
        if let seconds = Double(field), seconds.isFinite { return max(0, seconds) }
        guard let date = DateField.parse(field, now: answered) else { return nil }
        let (seconds, isTooLarge) = date.seconds.subtractingReportingOverflow(answered.seconds)
        return isTooLarge ? nil : max(0, Double(seconds))
    }
}

/// An HTTP date, in one of three formats (RFC 9110 section 5.6.7). The old formats are read but
/// never sent. It is read by hand: Foundation's formatter brings megabytes of words of all
/// languages along.
package enum DateField {
    /// The time; nil when unreadable.
    ///
    /// - Parameter now: a year of two digits is never more than 50 years later.
    package static func parse(
        _ field: String, now: UnixTime = TimeRules.earliest
    ) -> UnixTime? {
        var words = field.split { $0 == " " || $0 == "," }.map(String.init)
        guard let weekday = words.first, isWeekday(weekday) else { return nil }
        words.removeFirst()
        // RFC 850: `06-Nov-94 08:49:37 GMT`.
        if let date = words.first, date.contains("-") {
            let parts = date.split(separator: "-", omittingEmptySubsequences: false)
            words.replaceSubrange(0..<1, with: parts.map(String.init))
        }
        // C's `asctime`: `Nov 6 08:49:37 1994`, in UTC.
        if words.count == 4, month(words[0]) != nil {
            words = [words[1], words[0], words[3], words[2], "GMT"]
        }
        guard words.count == 5, let day = Int(words[0]), let month = month(words[1]),
            let year = year(words[2], now), let second = second(of: words[3]),
            let offset = offset(words[4]),
            let date = Daystamp(year: year, month: month, day: day)
        else { return nil }
        return UnixTime(date.number * 86_400 + second - offset)
    }

    private static func isWeekday(_ word: String) -> Bool {
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].contains(word.prefix(3).lowercased())
    }

    private static func month(_ word: String) -> Int? {
        let names = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        return names.firstIndex(of: word.lowercased()).map { $0 + 1 }
    }

    /// A year, whose century is missing in RFC 850's format.
    private static func year(_ word: String, _ now: UnixTime) -> Int? {
        guard let number = Int(word), word.allSatisfy(\.isNumber) else { return nil }
        guard word.count == 2 else { return word.count == 4 ? number : nil }
        let latest = Daystamp(number: now.seconds / 86_400).parts.year + 50
        return latest - (latest - number) % 100
    }

    /// The second of the day of `08:49:37`.
    private static func second(of word: String) -> Int64? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count == 2 ? Int64($0) : nil }
        guard parts.count == 3, numbers.count == 3, (0..<24).contains(numbers[0]),
            (0..<60).contains(numbers[1]), (0...60).contains(numbers[2])
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
    }

    /// Seconds ahead of UTC. The standard knows `GMT` alone; some servers write others.
    private static func offset(_ word: String) -> Int64? {
        if ["GMT", "UTC", "UT", "Z"].contains(word) { return 0 }
        guard let sign = word.first, sign == "+" || sign == "-", word.utf8.count == 5,
            let number = Int64(word.dropFirst()), number >= 0, number % 100 < 60
        else { return nil }
        return (number / 100 * 3_600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }
}
