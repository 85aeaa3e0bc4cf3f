/// When the system's timer is set to end a wait; kept by the loop between its waits.
///
/// Deadlines mostly move further away: each request puts the end of its connection's wait off. To
/// set a timer for every wait and to cancel it costs more than to read a request. So the timer is
/// set anew only for an earlier time than it has, and a wait that it ends too early begins again.
struct Alarm: Sendable {
    private var time: Instant?

    /// Plans a wait.
    ///
    /// - Returns: whether the timer must be set to the deadline first.
    mutating func mustBeSet(for deadline: Instant) -> Bool {
        if let time, time <= deadline { return false }
        time = deadline
        return true
    }

    /// The timer has ended a wait, and is not set any more.
    mutating func rang() { time = nil }
}
