import BeemedDomain

/// Waiting requests by reply id.
struct PendingReplies<Waiter> {
    private var waiters: [UInt64: Waiter] = [:]
    private var last: UInt64 = 0

    mutating func add(_ waiter: consuming Waiter) -> ReplyID {
        last += 1
        waiters[last] = waiter
        return ReplyID(last)
    }

    /// Removes and returns the waiter of a reply id; nil if it was removed before.
    mutating func take(_ replyID: ReplyID) -> Waiter? {
        waiters.removeValue(forKey: replyID.value)
    }

    /// Removes and returns all waiters, in order.
    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
