import BeemedDomain
import RelayHTTP

extension Relay {
    /// What a relay is made of. Time, disk and network come from outside.
    struct Parts: Sendable {
        var settings: Settings
        var core: RelayCore
        var recoveryReport: RecoveryReport
        var devices: DeviceBook
        var presets: PresetBook
        var owner: String
        /// Tells the owner's own presses from those of another folder's owner.
        var ownerGeneration: DeviceGeneration?
        var store: RelayStore
        var upstream: any AccountUpstream
        /// The account that `upstream` uses.
        var connection: ConnectedAccount?
        var clock: @Sendable () -> Moment
        var log: Log
    }

    /// Who waits for the reply to a press.
    enum Waiter {
        /// The request that brought it, how it was read, and where that is noted.
        case request(ExchangeID, PressReading, RequestLog.Entry)
        /// The request that takes back a press, and where it is noted.
        case undo(ExchangeID, RequestLog.Entry)
        /// The request that pins a goal, at which place from 0, and where it is noted.
        case pin(ExchangeID, position: Int?, RequestLog.Entry)
        /// One of many in a request: which batch, and which of its events.
        case batch(Int, index: Int, PressReading)
    }
}
