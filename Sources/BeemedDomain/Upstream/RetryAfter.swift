import Foundation

/// The field `Retry-After`: seconds, or a date in one of three forms (RFC 9110 sections 10.2.3 and
/// 5.6.7). An old form is to be understood and never sent.
enum RetryAfter {
    /// Preferred, RFC 850's, and that of C's `asctime`.
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz",
        "EEE MMM d HH:mm:ss yyyy",
    ]

    /// How many seconds from now it asks for, never less than 0; nil when it cannot be read.
    static func seconds(_ field: String, now: UnixTime) -> Double? {
        let field = field.trimmingCharacters(in: .whitespaces)
        if let seconds = Double(field), seconds.isFinite { return max(0, seconds) }
        let blanks = field.split(separator: " ").joined(separator: " ")
        for form in forms {
            guard let date = formatter(form, now).date(from: blanks) else { continue }
            return max(0, date.timeIntervalSince1970 - Double(now.seconds))
        }
        return nil
    }

    private static func formatter(_ form: String, _ now: UnixTime) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = form
        // Two digits of a year are never more than 50 years ahead.
        let now = Date(timeIntervalSince1970: Double(now.seconds))
        formatter.twoDigitStartDate = now.addingTimeInterval(-50 * 365.25 * 86_400)
        return formatter
    }
}
