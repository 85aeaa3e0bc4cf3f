/// The events of a goal whose requests have failed, perhaps because of the events themselves: what
/// Beeminder answers only with a fault, and datapoints that could not be deleted or changed. They
/// need no order towards others, and hold up none: they are tried again, one by one, when nothing
/// else waits.
struct FailedEvents: Sendable {
    /// In the order in which they are tried, without the one that is being tried.
    private(set) var numbers: [SequenceNumber] = []
    /// The time before which none is tried.
    private(set) var until: Monotonic?
    /// The one that is being tried.
    private(set) var tried: SequenceNumber?
    /// Consecutive attempts that settled nothing, those within one delay counted once.
    private var failures = 0

    /// The attempts after which they are reported: they take some minutes.
    static let manyFailures = 6

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }
    /// All of them, once they were tried often enough to tell a person.
    var reported: [SequenceNumber] {
        failures < FailedEvents.manyFailures ? [] : numbers + (tried.map { [$0] } ?? [])
    }

    func contains(_ number: SequenceNumber) -> Bool { numbers.contains(number) }

    mutating func add(_ more: [SequenceNumber]) { numbers += more }

    /// The next one to try; `end` must follow.
    mutating func popFirst() -> SequenceNumber? {
        guard !isEmpty else { return nil }
        tried = numbers.removeFirst()
        return tried
    }

    /// The request under way has ended.
    ///
    /// - Parameter isSettled: whether the request has settled the tried event.
    mutating func end(isSettled: Bool) {
        if tried != nil, isSettled { failures = 0 }
        tried = nil
    }

    /// - Returns: whether the event was there.
    mutating func remove(_ number: SequenceNumber) -> Bool {
        guard let index = numbers.firstIndex(of: number) else { return false }
        numbers.remove(at: index)
        if isEmpty, tried == nil { failures = 0 }
        return true
    }

    /// They wait as after a failure.
    mutating func rest(
        at now: Monotonic, left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        if let until, until > now { return }
        failures += 1
        let seconds = Backoff.seconds(after: failures, &randomness)
        until = now.adding(seconds: Backoff.wait(seconds, left: left))
    }

    /// Ends the delay.
    mutating func hasten() { until = nil }
}
