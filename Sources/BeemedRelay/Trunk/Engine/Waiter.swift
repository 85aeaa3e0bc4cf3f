import BeemedDomain
import RelayHTTP

/// The receiver of a reply.
enum Waiter {
    /// A request with a press or another command.
    case request(Call)
    /// An undo of a device's last press.
    case undo(Call)
    /// A pin, and its position from 0.
    case pin(Call, position: Int?)
    /// An event of a batch: the batch's number and the event's index.
    indirect case batch(Int, index: Int, PressReading)
    /// A day of health data: the batch's number and the day's index.
    case day(Int, index: Int)
    /// The press of a visit: the batch's number.
    case visit(Int)
    /// An event of the import in progress: its index.
    case imported(Int)
}
