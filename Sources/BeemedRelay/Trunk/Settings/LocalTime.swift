import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Local times as text, to the millisecond and with the distance to UTC:
/// `2026-11-18T10:33:12.345+01:00` (RFC 3339).
package struct LocalTime: Sendable {
    private var second: Int64 = .min
    /// With the dot before the milliseconds.
    private var date = ""
    private var zone = ""

    /// - Parameter nanoseconds: since 1970.
    mutating func text(_ nanoseconds: Int64) -> String {
        let second = nanoseconds / 1_000_000_000
        if second != self.second { renew(second) }
        let milliseconds = nanoseconds / 1_000_000 % 1_000
        var text = JSONWriter(capacity: 32)
        text.write(raw: date)
        text.write(digit(milliseconds / 100))
        text.write(digit(milliseconds / 10 % 10))
        text.write(digit(milliseconds % 10))
        text.write(raw: zone)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The abbreviation of the machine's time zone now, and its seconds ahead of UTC.
    package static var zone: (name: String, offset: Int) {
        guard let parts = unsafe parts(of: time(nil)) else { return ("UTC", 0) }
        return unsafe (String(cString: parts.tm_zone), parts.tm_gmtoff)
    }

    /// The C library's local time; the zone is read again each time.
    private static func parts(of second: time_t) -> tm? {
        var (second, parts) = unsafe (second, tm())
        tzset()
        return unsafe localtime_r(&second, &parts) == nil ? nil : parts
    }

    private func digit(_ number: Int64) -> UInt8 { 0x30 + UInt8(truncatingIfNeeded: number) }

    /// Once a second.
    private mutating func renew(_ second: Int64) {
        self.second = second
        guard let parts = unsafe LocalTime.parts(of: time_t(second)) else { return }
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        let (hour, minute, seconds) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
        let offset = unsafe parts.tm_gmtoff / 60
        date = "\(year)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(seconds))."
        zone = "\(offset < 0 ? "-" : "+")\(two(abs(offset) / 60)):\(two(abs(offset) % 60))"
    }

    private func two(_ number: some BinaryInteger) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
