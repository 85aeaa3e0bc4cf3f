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
    ///
    /// - Parameter asked: the wait that Beeminder has requested, in seconds.
    mutating func rest(
        at now: Monotonic, left: Int64?, atLeast asked: Double = 0,
        _ randomness: inout some RandomNumberGenerator
    ) {
        if let until, until > now { return }
        failures += 1
        let own = Backoff.seconds(after: failures, &randomness)
        let seconds = min(max(asked, own), Backoff.asked.upperBound)
        until = now.adding(seconds: Backoff.wait(seconds, left: left))
    }

    /// Ends the delay.
    mutating func hasten() { until = nil }
}

/// Finds out whether a failure is caused by a goal's first event or by the goal: another event is
/// tried at once behind the first. If that one arrives, the first is the cause; if it fails, too,
/// the goal is at fault, and keeps the order of its events.
struct CauseSearch: Sendable {
    /// Whether the next request is about another event than the first.
    private(set) var isDue = false
    /// How often another event was tried.
    private var tries = 0
    /// Whether the next one to try is one that was set aside, if there is one: none may starve
    /// behind events that always fail.
    private(set) var isTurnOfAside = false
    /// The event that may be the cause, while another one is under way.
    private(set) var suspect: SequenceNumber?

    /// The number of failures in succession from which on the first event may be the cause.
    static let manyFailures = 2

    /// - Parameters:
    ///   - failures: the attempts in succession that settled nothing.
    ///   - count: the number of waiting events.
    mutating func plan(failures: Int, count: Int) {
        isDue = failures >= CauseSearch.manyFailures && count > 1
    }

    /// Takes another event than the first, if it is time to try one: each has its turn.
    mutating func takeAnother(from waiting: inout Queue<SequenceNumber>) -> SequenceNumber? {
        defer { isDue = false }
        guard isDue, let first = waiting.first, waiting.count > 1 else { return nil }
        // The newest one first: many like the first may be next to it, such as those of one device.
        let index = tries % 2 == 0 ? waiting.count - 1 : 1 + tries / 2 % max(1, waiting.count - 2)
        let another = waiting.remove(at: index)
        tries += 1
        suspect = first
        isTurnOfAside = true
        return another
    }

    /// An event that was set aside is tried instead of the first one.
    mutating func begin(besides first: SequenceNumber) {
        isDue = false
        suspect = first
        isTurnOfAside = false
    }

    /// The request under way has ended.
    ///
    /// - Returns: the event that is the cause; nil if none was found.
    mutating func end(isSettled: Bool) -> SequenceNumber? {
        defer { suspect = nil }
        return isSettled ? suspect : nil
    }

    mutating func cancel() { isDue = false }
}
