import BeemedDomain
import Foundation
import RelayHTTP

extension Relay {
    /// The dependencies of a relay: time, disk and network are injected.
    struct Parts: Sendable {
        var settings: Settings
        var core: RelayCore
        var recoveryReport: RecoveryReport
        var devices: DeviceBook
        var presets: PresetBook
        var owner: String
        /// Distinguishes the owner's own presses from those of another folder's owner.
        var ownerGeneration: DeviceGeneration?
        var store: RelayStore
        var upstream: any AccountUpstream
        /// The account that `upstream` uses.
        var connection: ConnectedAccount?
        var clock: @Sendable () -> Moment
        var log: Log
    }

    /// The receiver of a reply.
    enum Waiter {
        /// A press: its request, how it was read, and its log entry.
        case request(ExchangeID, PressReading, RequestLog.Entry)
        /// An undo: its request and its log entry.
        case undo(ExchangeID, RequestLog.Entry)
        /// A pin: its request, the position from 0, and its log entry.
        case pin(ExchangeID, position: Int?, RequestLog.Entry)
        /// An event of a batch: the batch number and the event's index.
        case batch(Int, index: Int, PressReading)
        /// An event of the import in progress: its index.
        case imported(Int)
    }
}

extension Relay {
    /// A queue that does one thing at a time.
    static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}
