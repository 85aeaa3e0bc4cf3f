@testable import BeemedDomain
@testable import RelayTrunk

extension Device {
    /// A device that may log, of that name.
    static func known(_ name: String, goals: [String]? = nil, strict: Bool? = nil) -> Device {
        Device(
            name: .known(name), generation: DeviceGeneration(known: "x7k2p1"),
            tokenHash: TokenDigest(of: ""), can: [.log], goals: goals, strict: strict)
    }
}
