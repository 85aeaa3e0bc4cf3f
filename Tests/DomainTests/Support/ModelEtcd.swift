import Synchronization

@testable import BeemedDomain

/// etcd as a relay sees it, in one process: strictly serializable, with leases by its own clock,
/// and with a network in front of it that loses requests and answers, and delivers some late.
final class ModelEtcd: KeyValueStore {
    /// The faults of the network and of etcd.
    struct Trouble: Sendable {
        /// Of a hundred calls, those whose answer is lost although they took effect.
        var lostAnswers = 0
        /// Of a hundred calls, those that never arrive.
        var lostCalls = 0
        /// Of a hundred calls, those that arrive later, when the caller has long given up.
        var lateCalls = 0
        /// Whether the quota is used up.
        var isFull = false
        /// Whether it is used up by the next transaction, which is kept and refused all the same.
        var isAboutToBeFull = false
        /// How many entries can be read in time.
        var maxEntries = Int.max
        /// Whether nothing arrives.
        var isCutOff = false
    }

    fileprivate struct Lease: Sendable {
        var milliseconds: Int64
        var end: Int64
    }

    struct State: Sendable {
        var entries: [String: KeyValue] = [:]
        var revision: Int64 = 1
        fileprivate var leases: [Int64: Lease] = [:]
        fileprivate var lastLease: Int64 = 100
        /// Milliseconds of the clock that etcd and its clients share.
        var now: Int64 = 1_000
        var trouble = Trouble()
        /// Transactions that are still on their way.
        fileprivate var late: [Transaction] = []
        fileprivate var chance: Randomness
        /// The number of calls, and of those that arrived late.
        var calls = 0
        var lateArrivals = 0
    }

    private let state: Mutex<State>

    init(seed: UInt64 = 1) {
        state = Mutex(State(chance: Randomness(seed: seed)))
    }

    func with<Value>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock { body(&$0) }
    }

    var now: Monotonic { with { Monotonic(milliseconds: $0.now) } }

    /// Time passes.
    func pass(milliseconds: Int64) {
        with { state in
            state.now += milliseconds
            state.endLeases()
        }
    }

    /// Some of what is on its way arrives.
    func deliverLate() {
        with { state in
            while let first = state.late.first {
                state.late.removeFirst()
                _ = state.apply(first)
                state.lateArrivals += 1
            }
        }
    }

    // MARK: Calls

    func get(_ range: KeyRange, limit: Int) throws(StoreFault) -> [KeyValue] {
        let entries = try call { $0.find(range, limit) }
        if with({ entries.count > $0.trouble.maxEntries }) { throw .unanswered("too slow") }
        return entries
    }

    func commit(_ transaction: Transaction) throws(StoreFault) -> Transaction.Result {
        let isPut = transaction.changes.contains { $0.isPut }
        if with({ $0.trouble.isFull && isPut }) { throw .noSpace }
        let result = try call(late: transaction) { $0.apply(transaction) }
        let isFull = with { state in
            guard isPut, state.trouble.isAboutToBeFull else { return false }
            (state.trouble.isFull, state.trouble.isAboutToBeFull) = (true, false)
            return true
        }
        if isFull { throw .noSpace }
        return result
    }

    func grant(seconds: Int) throws(StoreFault) -> (lease: Int64, seconds: Int) {
        // A lease takes space, too (etcd 3.4, applierV3Capped).
        if with({ $0.trouble.isFull }) { throw .noSpace }
        return try call { state in
            state.lastLease += 1
            let milliseconds = Int64(seconds) * 1_000
            state.leases[state.lastLease] = Lease(
                milliseconds: milliseconds, end: state.now + milliseconds)
            return (state.lastLease, seconds)
        }
    }

    func keepAlive(_ lease: Int64) throws(StoreFault) -> Int {
        try call { state in
            guard let known = state.leases[lease] else { return 0 }
            state.leases[lease]?.end = state.now + known.milliseconds
            return Int(known.milliseconds / 1_000)
        }
    }

    func revoke(_ lease: Int64) throws(StoreFault) {
        try call { state in
            state.leases[lease] = nil
            state.dropKeysOfEndedLeases()
        }
    }

    /// Makes a call, or what the network makes of it. Waiting for an answer takes time.
    private func call<Value: Sendable>(
        late transaction: Transaction? = nil, _ body: (inout State) -> Value
    ) throws(StoreFault) -> Value {
        let value: Value? = state.withLock { state in
            state.calls += 1
            state.now += 2
            state.endLeases()
            let dice = Int.random(in: 0..<100, using: &state.chance)
            let trouble = state.trouble
            if trouble.isCutOff || dice < trouble.lostCalls {
                state.now += 400
                return nil
            }
            if let transaction, dice < trouble.lostCalls + trouble.lateCalls {
                state.late.append(transaction)
                state.now += 400
                return nil
            }
            let value = body(&state)
            if dice >= 100 - trouble.lostAnswers {
                state.now += 400
                return nil
            }
            return value
        }
        guard let value else { throw .unanswered("the network") }
        return value
    }
}

extension ModelEtcd.State {
    fileprivate mutating func endLeases() {
        guard leases.values.contains(where: { $0.end <= now }) else { return }
        leases = leases.filter { $0.value.end > now }
        dropKeysOfEndedLeases()
    }

    fileprivate mutating func dropKeysOfEndedLeases() {
        for (key, entry) in entries where entry.lease != 0 && leases[entry.lease] == nil {
            entries[key] = nil
            revision += 1
        }
    }

    fileprivate func find(_ range: KeyRange, _ limit: Int) -> [KeyValue] {
        guard let end = range.end else { return entries[range.first].map { [$0] } ?? [] }
        let keys = entries.keys.filter { $0 >= range.first && $0 < end }.sorted()
        return keys.prefix(limit).compactMap { entries[$0] }
    }

    fileprivate mutating func apply(_ transaction: Transaction) -> Transaction.Result {
        let holds = transaction.revisions.allSatisfy { key, revision in
            (entries[key]?.revision ?? 0) == revision
        }
        // A lease that has ended refuses the whole transaction.
        let hasLeases = transaction.changes.allSatisfy { change in
            if case .put(_, _, let lease) = change, lease != 0 {
                leases[lease] != nil
            } else {
                true
            }
        }
        guard holds, hasLeases else { return .differs(transaction.reads.map { entries[$0] }) }
        revision += 1
        for change in transaction.changes {
            switch change {
            case .put(let key, let value, let lease):
                entries[key] = KeyValue(key, value, revision: revision, lease: lease)
            case .delete(let range): for entry in find(range, .max) { entries[entry.key] = nil }
            }
        }
        return .done(revision)
    }
}

extension Transaction.Change {
    fileprivate var isPut: Bool {
        if case .put = self { true } else { false }
    }
}

/// A relay of a cluster, as tests handle it.
struct ClusterRig {
    let etcd: ModelEtcd
    let keys = StoreKeys(store: "home")
    let local: SimulatedDisk
    var member: Election

    init(
        _ etcd: ModelEtcd = ModelEtcd(), name: String = "pi-1",
        local: SimulatedDisk = SimulatedDisk()
    ) {
        self.etcd = etcd
        self.local = local
        member = Election(
            etcd, keys, leaseSeconds: 5, clock: { etcd.now }, address: name)
    }

    var term: LeaseTerm? {
        guard case .leading(let term) = member.state else { return nil }
        return term
    }

    /// The leader that it follows.
    var leader: String? {
        guard case .following(let name?) = member.state else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Time passes, in which the member does what is due.
    mutating func pass(milliseconds: Int64) {
        let end = etcd.now.milliseconds + milliseconds
        while etcd.now.milliseconds < end {
            guard let due = member.step() else {
                return etcd.pass(milliseconds: max(0, end - etcd.now.milliseconds))
            }
            let next = min(end, max(due.milliseconds, etcd.now.milliseconds))
            etcd.pass(milliseconds: max(0, next - etcd.now.milliseconds))
        }
    }

    /// Waits until it leads, for a minute at most.
    mutating func lead() -> LeaseTerm? {
        for _ in 0..<240 {
            if let term, term.isValid { return term }
            pass(milliseconds: 250)
        }
        return nil
    }

    /// The term, after waiting for it.
    mutating func leading() throws -> LeaseTerm {
        guard let term = lead() else { throw StoreFault.deposed }
        return term
    }

    func site(_ term: LeaseTerm) -> ClusterSite { ClusterSite(etcd, keys, term) }

    /// Opens the journal as the leader.
    mutating func open(
        limits: Journal.Limits = .plain
    ) throws -> (Journal, Recovered, Receipt) {
        try Journal.open(
            on: site(try leading()), local: local, store: "5704e", limits: limits)
    }
}
