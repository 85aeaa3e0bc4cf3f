/// The longest silence of a device that is no reason for a reminder.
enum Silence {
    /// The accepted seconds: from five minutes to a year.
    static let range: ClosedRange<Int64> = 300...31_536_000

    /// Parses `1d`, `12h` or `30m` to seconds, and `off` to nil.
    ///
    /// - Throws: `DeviceFault.unusableExpectation`.
    static func read(_ text: String) throws(DeviceFault) -> Int64? {
        if text == "off" { return nil }
        let sizes: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60]
        guard let size = text.last.flatMap({ sizes[$0] }), let count = Int64(text.dropLast()),
            (1...1_000_000).contains(count), range.contains(count * size)
        else { throw .unusableExpectation(text) }
        return count * size
    }

    /// As it was written, in the largest unit without a remainder.
    static func text(_ seconds: Int64) -> String {
        if seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
        return seconds % 3_600 == 0 ? "\(seconds / 3_600)h" : "\(seconds / 60)m"
    }
}
