import BeemedDomain

/// Waiting requests by reply id. Reply ids are consecutive and mostly answered in order, so this is
/// a queue with removal from the middle.
struct PendingReplies<Waiter> {
    private var list: [Waiter?] = []
    /// The reply id of the first element.
    private var first: UInt64 = 1
    /// The number of empty elements at the beginning.
    private var empty = 0

    mutating func add(_ waiter: consuming Waiter) -> ReplyID {
        list.append(waiter)
        return ReplyID(first + UInt64(list.count) - 1)
    }

    /// Removes and returns the waiter of a reply id; nil if it was removed before.
    mutating func take(_ replyID: ReplyID) -> Waiter? {
        guard replyID.value >= first + UInt64(empty) else { return nil }
        let place = Int(replyID.value - first)
        guard place < list.count else { return nil }
        defer { close(place) }
        return list[place].take()
    }

    /// Removes and returns all waiters.
    mutating func removeAll() -> [Waiter] {
        defer { forget(list.count) }
        return list.compactMap { $0 }
    }

    private mutating func close(_ place: Int) {
        guard place == empty else { return }
        while empty < list.count, list[empty] == nil { empty += 1 }
        if empty == list.count || empty >= 1_024 && empty > list.count / 2 { forget(empty) }
    }

    private mutating func forget(_ count: Int) {
        first += UInt64(count)
        if count == list.count {
            list.removeAll(keepingCapacity: list.capacity <= 4_096)
        } else {
            list.removeFirst(count)
        }
        empty = 0
    }
}
