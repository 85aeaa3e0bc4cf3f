@testable import BeemedDomain

/// The cluster around one relay after the other: each takes over the journal of the one before,
/// which may be gone, or frozen and still trying.
struct SimulatedCluster: Sendable {
    /// An earlier leader that goes on.
    struct Zombie: Sendable {
        var journal: Journal
        var batch: RecordQueue.Batch?
    }

    let etcd: ModelEtcd
    var rig: ClusterRig
    var zombies: [Zombie] = []
    /// How many batches of earlier leaders were kept out.
    var fencedBatches = 0
    private var takeovers = 0

    init(seed: UInt64, local: SimulatedDisk) {
        etcd = ModelEtcd(seed: seed)
        rig = ClusterRig(etcd, name: "r0", local: local)
    }

    mutating func open() throws -> (Journal, Recovered, Receipt) { try rig.open(limits: .small) }

    /// Another relay leads, as soon as it can.
    mutating func takeOver() throws -> (Journal, Recovered, Receipt) {
        takeovers += 1
        rig = ClusterRig(etcd, name: "r\(takeovers)", local: rig.local)
        return try rig.open(limits: .small)
    }
}

extension Simulation {
    /// Makes the network or etcd fail, heals them, or freezes the relay.
    mutating func troubleCluster() {
        guard let etcd = cluster?.etcd else { return }
        let kind = Int.random(in: 0..<9, using: &chance)
        etcd.with { state in
            switch kind {
            case 0: state.trouble.lostAnswers = 30
            case 1: state.trouble.lostCalls = 30
            case 2, 3: state.trouble.lateCalls = 30
            case 4:
                let isFull = state.trouble.isFull
                (state.trouble.isFull, state.trouble.isAboutToBeFull) = (isFull, !isFull)
            case 5: state.trouble.isCutOff = true
            default: state.trouble = ModelEtcd.Trouble()
            }
        }
        if kind == 8 { freeze() }
    }

    /// The relay is frozen beyond its lease. It does not know when it goes on.
    private mutating func freeze() {
        cluster?.etcd.pass(milliseconds: .random(in: 5_000...20_000, using: &chance))
        mustRestart = true
    }

    /// The leader goes on, although it leads no longer.
    mutating func leaveZombie() {
        guard cluster != nil else { return }
        let batch = queue.take(at: now.monotonic, isClosing: true)
        cluster?.zombies.append(SimulatedCluster.Zombie(journal: journal, batch: batch))
    }

    /// The next relay leads. etcd is reachable for it after a while.
    mutating func takeOver() -> (Journal, Recovered, Receipt)? {
        guard cluster != nil else { return nil }
        for _ in 0..<20 {
            cluster?.etcd.with { $0.trouble.isCutOff = false }
            if let opened = try? cluster?.takeOver() { return opened }
            cluster?.etcd.with { $0.trouble = ModelEtcd.Trouble() }
        }
        return nil
    }

    /// The lease is renewed as time passes, and late calls of etcd arrive.
    mutating func passInCluster(_ milliseconds: Int64) {
        guard cluster != nil else { return }
        cluster?.rig.pass(milliseconds: milliseconds)
        if Int.random(in: 0..<4, using: &chance) == 0 { cluster?.etcd.deliverLate() }
        wakeZombies()
        if cluster?.rig.term?.isValid != true { mustRestart = true }
    }

    /// Earlier leaders go on with what they had in hand: nothing of it may be kept.
    private mutating func wakeZombies() {
        let zombies = cluster?.zombies ?? []
        cluster?.zombies = []
        for var zombie in zombies {
            guard let batch = zombie.batch else { continue }
            var outcomes: [CommitOutcome] = []
            zombie.journal.write(batch) { outcomes.append($0) }
            cluster?.fencedBatches += 1
            for outcome in outcomes {
                if case .committed = outcome {
                    promises.require(false, "a deposed relay has written")
                }
            }
        }
    }
}
