import Foundation

/// How much a run tries: `swift test` each place once, and `make simulate`, which sets `THOROUGH`
/// and runs an optimised build, each place with every seed.
enum Thorough {
    static let isOn = ProcessInfo.processInfo.environment["THOROUGH"] != nil

    /// The seeds for a place: all, or one, which is another for the next place.
    static func seeds(_ count: Int, at place: Int) -> Range<UInt64> {
        let first = isOn ? 0 : UInt64(place % count)
        return first..<(isOn ? UInt64(count) : first + 1)
    }
}
