import Foundation

/// How much a run tries: `swift test` each ninth place once, and about a third of other cases and
/// seeds; CI, which sets `CI`, all of them once; and `make simulate`, which sets `THOROUGH` and runs
/// an optimised build, each with every seed.
enum Thorough {
    static let isOn = ProcessInfo.processInfo.environment["THOROUGH"] != nil
    /// Whether it tries each place.
    static let isEveryPlace =
        isOn || ProcessInfo.processInfo.environment["CI"]?.isEmpty == false

    /// The places of that number that this run tries.
    static func places(_ count: Int) -> [Int] {
        (1...count).filter { isEveryPlace || $0 % 9 == 0 }
    }

    /// A call that fails once: its error, and after how many calls.
    typealias Fault = (code: Int32, after: Int)

    /// How the calls of a site fail, which is the one of that number: with each of three errors
    /// after none to five calls, which the errors share, or with one of them.
    static func faults(ofSite number: Int) -> [Fault] {
        ([5, 28, 30] as [Int32]).enumerated().flatMap { index, code -> [Fault] in
            if isOn { return (0..<6).map { (code, $0) } }
            if isEveryPlace { return [(code, index), (code, index + 3)] }
            return number % 3 == index ? [(code, index)] : []
        }
    }

    /// The seeds for a place: all, or one, which is another for the next place.
    static func seeds(_ count: Int, at place: Int) -> Range<UInt64> {
        let first = isOn ? 0 : UInt64(place % count)
        return first..<(isOn ? UInt64(count) : first + 1)
    }
}
