/// A time of day, read from `7:05`, `07:05:30` or `07:05:30.25`. Fractions of a second are more
/// than Beeminder stores.
package struct TimeOfDay {
    /// From 0 to 23.
    package let hour: Int64
    private let minute: Int64
    private let second: Int64

    /// Seconds since midnight.
    package var seconds: Int64 { hour * 3_600 + minute * 60 + second }

    /// - Returns: nil when it is no time of a day.
    package init?(_ text: Substring) {
        let whole = text.prefix { $0 != "." && $0 != "," }
        let parts = whole.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 2 ? Int64($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count,
            (0...23).contains(numbers[0]), numbers[1...].allSatisfy({ (0...59).contains($0) })
        else { return nil }
        (hour, minute, second) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
    }
}
