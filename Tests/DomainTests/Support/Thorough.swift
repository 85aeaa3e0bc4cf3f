import Foundation

/// How much a run tries: `swift test` each ninth place once, and a third of other cases and seeds;
/// CI, which sets `CI`, all of them once; and `make simulate`, which sets `THOROUGH` and runs an
/// optimised build, each with every seed.
enum Thorough {
    static let isOn = ProcessInfo.processInfo.environment["THOROUGH"] != nil
    /// Whether it tries each place.
    static let isEveryPlace =
        isOn || ProcessInfo.processInfo.environment["CI"]?.isEmpty == false

    /// The places of that number that this run tries.
    static func places(_ count: Int) -> [Int] {
        (1...count).filter { isEveryPlace || $0 % 9 == 0 }
    }

    /// After how many calls of a site it fails with one of three codes: after none to five, which
    /// the codes share, or one each.
    static func delays(of code: Int) -> [Int] {
        if isOn { return Array(0..<6) }
        return isEveryPlace ? [code, code + 3] : [code]
    }

    /// The seeds for a place: all, or one, which is another for the next place.
    static func seeds(_ count: Int, at place: Int) -> Range<UInt64> {
        let first = isOn ? 0 : UInt64(place % count)
        return first..<(isOn ? UInt64(count) : first + 1)
    }
}
