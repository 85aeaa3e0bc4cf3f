package import BeemedDomain
import RelayHTTP

/// The receiver of a reply.
package enum Waiter {
    /// A request with a press or another command.
    case request(Call)
    /// An undo of a device's last press.
    case undo(Call)
    /// A pin, and its position from 0.
    case pin(Call, position: Int?)
    /// A press of a queue, and its index there.
    indirect case queue(PressIntake, index: Int, PressReading)
    /// A leaf, which is called with the reply.
    case leaf((isolated Relay, Reply) -> Void)
}

/// Waiting requests by reply id.
struct PendingReplies<Waiter> {
    private var waiters: [UInt64: Waiter] = [:]
    private var last: UInt64 = 0

    mutating func add(_ waiter: consuming Waiter) -> ReplyID {
        last += 1
        waiters[last] = waiter
        return ReplyID(last)
    }

    /// Removes and returns the waiter of a reply id; nil if removed before.
    mutating func take(_ replyID: ReplyID) -> Waiter? {
        waiters.removeValue(forKey: replyID.value)
    }

    /// Removes and returns all waiters, in order.
    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
