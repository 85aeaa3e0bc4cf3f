@testable import BeemedRelay
@testable import RelayTrunk

extension RouteTable {
    /// The routes of the whole program.
    static let relay = RouteTable(of: Leaf.all)
}
