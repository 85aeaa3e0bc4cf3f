import RelayCluster
import RelayCommands
import RelayHealth
import RelayPage
import RelayReminders
import RelayTransfer
import RelayTrunk

extension Leaf {
    /// The leaves of this program, a line each: `make leaves` takes them off in turn.
    static let all: [Leaf] = [
        .commands,
        .health,
        .reminders,
        .transfer,
        .page,
        .cluster,
    ]
}
