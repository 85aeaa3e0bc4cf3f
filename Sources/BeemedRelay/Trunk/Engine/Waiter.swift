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
