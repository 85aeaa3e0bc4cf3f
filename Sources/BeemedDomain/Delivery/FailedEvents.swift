/// The events of a goal whose requests have failed, perhaps because of the events themselves: what
/// Beeminder answers only with a fault, and datapoints that could not be deleted or changed. They
/// need no order towards others, and hold up none: they are tried again, one by one, when nothing
/// else waits.
struct FailedEvents: Sendable {
    /// How many they are, without the one that is being tried.
    private(set) var count = 0
    /// The time before which none is tried.
    private(set) var until: Monotonic?
    /// The one that is being tried.
    private(set) var tried: SequenceNumber?
    /// Consecutive attempts that settled nothing, those within one delay counted once.
    private var failures = 0

    /// The attempts after which they are reported: they take some minutes.
    static let manyFailures = 6

    /// Whether they were tried often enough to tell a person.
    var areReported: Bool { failures >= FailedEvents.manyFailures }

    mutating func add(_ more: Int) { count += more }

    /// One of them is tried; `end` must follow.
    mutating func begin(_ number: SequenceNumber) {
        count -= 1
        tried = number
    }

    /// The request under way has ended.
    ///
    /// - Parameter isSettled: whether the request has settled the tried event.
    mutating func end(isSettled: Bool) {
        if tried != nil, isSettled { failures = 0 }
        tried = nil
    }

    /// One of them is to be sent no more.
    mutating func remove() {
        count -= 1
        if count == 0, tried == nil { failures = 0 }
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
