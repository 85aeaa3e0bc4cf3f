@testable import BeemedDomain

/// What the world does to a relay.
extension Simulation {
    mutating func changeMood() {
        let moods = ModelBeeminder.Mood.allCases + [.good, .good, .good, .losesAnswers]
        beeminder.mood = moods.randomElement(using: &chance) ?? .good
        beeminder.missing = []
        if Int.random(in: 0..<4, using: &chance) == 0 {
            beeminder.missing = [["water", "read"].randomElement(using: &chance) ?? "read"]
        }
    }

    mutating func troubleDisk() {
        switch Int.random(in: 0..<7, using: &chance) {
        case 0: disk.setFree(.random(in: 0...5_000, using: &chance))
        case 1, 2: disk.with { $0.capacity = Simulation.capacity }
        case 3:
            let sites = [
                "commit.append", "commit.size", "commit.sync", "commit.free", "publish.create",
                "publish.append", "publish.sync", "publish.folder", "rotate.seal",
                "rotate.seal.sync", "rewrite.unlink", "publish.verify", "commit.truncate",
            ]
            let codes: [Int32] = [5, 28, 122, 30]
            let code = codes.randomElement(using: &chance) ?? 5
            disk.fail(
                sites.randomElement(using: &chance) ?? "", code,
                after: .random(in: 0...2, using: &chance))
        case 4: disk.lie(at: "commit.append")
        default:
            disk.cutPower(
                atCall: .random(in: 1...40, using: &chance), after: Bool.random(using: &chance))
        }
    }

    /// Somebody does something.
    mutating func meddle() {
        switch Int.random(in: 0..<8, using: &chance) {
        case 7: takeBack()
        case 6: retryRefused()
        case 5: isQuick.toggle()
        case 0:
            isConnected.toggle()
            apply(isConnected ? .connected(as: nil, user: nil) : .disconnected)
        case 1: apply(.flushRequested)
        case 2: wall += [-3_600, 3_600, 86_400 * 30, -86_400].randomElement(using: &chance) ?? 0
        case 3: disk.healFaults()
        default:
            apply(.connected(as: nil, user: nil))
            isConnected = true
        }
    }
}
