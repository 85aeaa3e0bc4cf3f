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
    /// An event of a batch: the batch's number and the event's index.
    indirect case batch(Int, index: Int, PressReading)
    /// A leaf, which is called with the reply.
    case leaf((isolated Relay, Reply) -> Void)
}
