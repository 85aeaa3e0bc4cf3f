/// Makes the calls that an `Election` names. Used by a single thread.
package struct ClusterMember: Sendable {
    private let store: any KeyValueStore
    private let keys: StoreKeys
    private let record: @Sendable () -> LeaderRecord
    private let clock: @Sendable () -> Monotonic
    package private(set) var election: Election
    /// Why the last call failed; nil when it did not.
    package private(set) var trouble: KeyValueFault?

    /// - Parameters:
    ///   - record: what the leader's key says when this relay leads.
    ///   - clock: never jumps, and runs on while the machine sleeps.
    package init(
        _ store: any KeyValueStore, _ keys: StoreKeys, leaseSeconds: Int,
        clock: @escaping @Sendable () -> Monotonic, record: @escaping @Sendable () -> LeaderRecord
    ) {
        self.store = store
        self.keys = keys
        self.record = record
        self.clock = clock
        election = Election(leaseSeconds: leaseSeconds, clock: clock)
    }

    /// Gives up leading for good; `step` ends the lease.
    package mutating func withdraw() { election.withdraw() }

    /// Makes the next call, if one is due.
    ///
    /// - Returns: when the following one is due; nil when there will be none.
    package mutating func step() -> Monotonic? {
        let sent = clock()
        switch election.next(at: sent) {
        case .stop: return nil
        case .wait(let until): return until
        case .call(let call):
            let result = perform(call)
            if case .failed(let fault) = result { trouble = fault } else { trouble = nil }
            election.apply(result, of: call, sent: sent, at: clock())
            return clock()
        }
    }

    private func perform(_ call: Election.Call) -> Election.Result {
        do throws(KeyValueFault) {
            switch call {
            case .poll: return .leader(try store.get(keys.leader))
            case .grant(let seconds):
                let granted = try store.grant(seconds: seconds)
                return .granted(lease: granted.lease, seconds: granted.seconds)
            case .claim(let lease):
                let look = Transaction.Operation.get(KeyRange(keys.leader))
                let result = try store.commit(
                    Transaction(
                        if: [.createRevision(of: keys.leader, is: 0)],
                        then: [.put(keys.leader, record().value, lease: lease), look],
                        else: [look]))
                return .leader(result.found.first?.first)
            case .renew(let lease): return .renewed(seconds: try store.keepAlive(lease))
            case .revoke(let lease):
                try store.revoke(lease)
                return .done
            }
        } catch { return .failed(error) }
    }
}
