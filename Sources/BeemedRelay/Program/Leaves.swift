import RelayCluster
import RelayCommands
import RelayPage
import RelayTrunk

extension Leaf {
    /// What stands on the trunk in this program, a line each: `make leaves` takes them off in turn.
    static let all: [Leaf] = [
        .commands,
        .page,
        .cluster,
    ]
}
