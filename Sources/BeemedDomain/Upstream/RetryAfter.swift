import Foundation

/// The field `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// How many seconds it asks for, never less than 0; nil when it cannot be read.
    ///
    /// - Parameter answered: when the answer was made, by the clock that the date is of.
    static func seconds(_ field: String, answered: UnixTime) -> Double? {
        let field = field.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(field), seconds.isFinite { return max(0, seconds) }
        guard let date = DateField.read(field, now: answered) else { return nil }
        let (seconds, isTooLarge) = date.seconds.subtractingReportingOverflow(answered.seconds)
        return isTooLarge ? nil : max(0, Double(seconds))
    }
}

/// A date in a field of HTTP, in one of three forms (RFC 9110 section 5.6.7). The old forms are
/// read and never sent.
package enum DateField {
    /// Preferred, RFC 850's, and that of C's `asctime`.
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz",
        "EEE MMM d HH:mm:ss yyyy",
    ]

    /// The time that it names; nil when it cannot be read.
    ///
    /// - Parameter now: two digits of a year are never more than 50 years ahead of it.
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
