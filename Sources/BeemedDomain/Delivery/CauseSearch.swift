/// Finds out whether a goal's first event is the cause when it fails, or the goal is: another event
/// is tried at once behind it. If that one arrives, the first is the cause; if it fails, too, the
/// goal is at fault, and keeps the order of its events.
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
        let place = tries % 2 == 0 ? waiting.count - 1 : 1 + tries / 2 % max(1, waiting.count - 2)
        let another = waiting.remove(at: place)
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
