/// The events of a goal of which Beeminder has a datapoint that could not be deleted or changed.
/// They need no order towards others, and hold up none: they are tried again when nothing else
/// waits.
struct FailedChanges: Sendable {
    /// In the order in which they are tried.
    private(set) var numbers: [SequenceNumber] = []
    /// The time before which none is tried.
    private(set) var until: Monotonic?
    /// Consecutive attempts that settled nothing.
    private var failures = 0

    /// The attempts after which they are reported: they take some minutes.
    private static let manyFailures = 6

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }
    /// How many there are, once they were tried often enough to tell a person.
    var reportedCount: Int { failures < FailedChanges.manyFailures ? 0 : count }

    func contains(_ number: SequenceNumber) -> Bool { numbers.contains(number) }

    mutating func add(_ more: [SequenceNumber]) { numbers += more }

    /// The next one to try.
    mutating func popFirst() -> SequenceNumber? { isEmpty ? nil : numbers.removeFirst() }

    /// - Returns: whether it was there.
    mutating func remove(_ number: SequenceNumber) -> Bool {
        guard let place = numbers.firstIndex(of: number) else { return false }
        numbers.remove(at: place)
        return true
    }

    /// One of them, or another event of the goal, was settled.
    mutating func succeed() { failures = 0 }

    /// They wait as after a failure.
    mutating func rest(
        at now: Monotonic, left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        failures += 1
        let seconds = Backoff.seconds(after: failures, &randomness)
        until = now.adding(seconds: Backoff.wait(seconds, left: left))
    }

    /// Ends the delay.
    mutating func hasten() { until = nil }
}
