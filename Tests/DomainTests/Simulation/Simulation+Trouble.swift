@testable import BeemedDomain

/// The troubles of a relay: Beeminder's moods, faults of the disk, and people's acts.
extension Simulation {
    mutating func changeMood() {
        let moods = ModelBeeminder.Mood.allCases + [.good, .good, .good, .losesAnswers]
        beeminder.mood = moods.randomElement(using: &chance) ?? .good
        beeminder.missing = []
        beeminder.isRefusing = Bool.random(using: &chance)
        beeminder.barred = [:]
        for goal in ["water", "pushups", "read"] where Int.random(in: 0..<8, using: &chance) == 0 {
            beeminder.barred[goal] = ModelBeeminder.Bar.allCases.randomElement(using: &chance)
        }
        if Int.random(in: 0..<4, using: &chance) == 0 {
            beeminder.missing = [["water", "read"].randomElement(using: &chance) ?? "read"]
        }
        // A goal that is gone takes nothing, and does not come back within half a minute.
        late.removeAll { beeminder.missing.contains($0.batch.goal.description) }
    }

    /// Where a call of the disk may fail.
    private static let sites = [
        "commit.append", "commit.size", "commit.sync", "commit.free", "commit.truncate",
        "commit.truncate.sync", "commit.compare", "preallocate.append", "preallocate.truncate",
        "publish.create", "publish.append",
        "publish.size",
        "publish.sync", "publish.rename", "publish.folder", "publish.verify", "publish.unlink",
        "retire.link", "retire.folder", "retire.unlink", "retire.unlink.sync",
        "space.unlink", "space.unlink.sync", "open.list", "open.unlink", "recover.list",
        "recover.read",
        "quarantine.read", "history.list",
        "obstacle.sync", "obstacle.folder", "probe.create", "probe.unlink", "reserve.list",
        "reserve.free", "reserve.create", "reserve.append", "reserve.sync", "reserve.unlink",
        "reserve.unlink.sync", "rotate.list",
    ]

    /// Where a write may lie; most of them are of the first kind.
    private static let writes = [
        "commit.append", "commit.append", "publish.append", "preallocate.append",
        "reserve.append",
    ]

    mutating func troubleDisk() {
        switch Int.random(in: 0..<7, using: &chance) {
        case 0: disk.setFree(.random(in: 0...5_000, using: &chance))
        case 1, 2: disk.with { $0.capacity = Simulation.capacity }
        case 3:
            let codes: [Int32] = [5, 28, 122, 30]
            let code = codes.randomElement(using: &chance) ?? 5
            disk.fail(
                Simulation.sites.randomElement(using: &chance) ?? "", code,
                after: .random(in: 0...2, using: &chance))
        case 4: disk.lie(at: Simulation.writes.randomElement(using: &chance) ?? "")
        default:
            disk.cutPower(
                atCall: .random(in: 1...40, using: &chance), after: Bool.random(using: &chance))
        }
    }

    /// Somebody does something.
    mutating func meddle() {
        switch Int.random(in: 0..<14, using: &chance) {
        case 10: switchToken()
        case 11: takeOverFolder()
        case 13: meddleWithDay()
        case 12: beeminder.hasLate = true
        case 9:
            let index = Int.random(in: 0..<devices.count, using: &chance)
            devices[index].replace(&chance)
        case 8: moveElsewhere()
        case 7: takeBack()
        case 6: retryRefused()
        case 5: isQuick.toggle()
        case 0:
            isConnected.toggle()
            if isConnected { connect() } else { apply(.disconnected) }
        case 1: apply(.flushRequested)
        case 2: wall += [-3_600, 3_600, 86_400 * 30, -86_400].randomElement(using: &chance) ?? 0
        case 3: disk.healFaults()
        default:
            connect()
            isConnected = true
        }
    }
}
