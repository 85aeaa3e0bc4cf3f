import Foundation

/// The field `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// The requested delay in seconds, at least 0; nil when it is unreadable.
    ///
    /// - Parameter answered: when the answer was created, by the clock that the date refers to.
    static func seconds(_ field: String, answered: UnixTime) -> Double? {
        let field = field.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(field), seconds.isFinite { return max(0, seconds) }
        guard let date = DateField.read(field, now: answered) else { return nil }
        let (seconds, isTooLarge) = date.seconds.subtractingReportingOverflow(answered.seconds)
        return isTooLarge ? nil : max(0, Double(seconds))
    }
}

/// An HTTP date, in one of three formats (RFC 9110 section 5.6.7). The old formats are read but
/// never sent.
package enum DateField {
    /// The preferred format, RFC 850's, and that of C's `asctime`.
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz",
        "EEE MMM d HH:mm:ss yyyy",
    ]

    /// The time; nil when it is unreadable.
    ///
    /// - Parameter now: a year of two digits is never more than 50 years after it.
    package static func read(
        _ field: String, now: UnixTime = TimeRules.earliest
    ) -> UnixTime? {
        let blanks = field.split(separator: " ").joined(separator: " ")
        for form in forms {
            guard let date = formatter(form, now).date(from: blanks) else { continue }
            return UnixTime(Int64(date.timeIntervalSince1970))
        }
        return nil
    }

    private static func formatter(_ form: String, _ now: UnixTime) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = form
        let now = Date(timeIntervalSince1970: Double(now.seconds))
        formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.25 * 86_400)
        return formatter
    }
}
