import Synchronization

/// Elects the leader: follows the leader's key, claims a missing key, and renews the lease.
///
/// A state machine without clock and network: `next` says which call to make, and `apply` takes
/// its result. The key is polled and not watched: watches hang on a member that is frozen or has
/// lost the others.
package struct Election: Sendable {
    /// The state of this relay.
    package enum State: Sendable {
        /// Another relay leads, or none is known to.
        case following(LeaderRecord?)
        /// There is no leader, and a lease is requested.
        case candidate
        /// The leader's key is claimed with the granted lease, which ends at that time.
        case claiming(lease: Int64, end: Monotonic)
        /// This relay leads.
        case leading(LeaseTerm)
        /// The lease is being given back, with so many tries left: each goes to another member.
        case leaving(lease: Int64, tries: Int)
        /// The relay takes part no more.
        case withdrawn
    }

    /// A call of the store.
    package enum Call: Sendable, Equatable {
        /// Read the leader's key.
        case poll
        /// Request a lease of this many seconds.
        case grant(seconds: Int)
        /// Create the leader's key with this lease, if there is none; else read it.
        case claim(lease: Int64)
        /// Renew the lease.
        case renew(lease: Int64)
        /// End the lease.
        case revoke(lease: Int64)
    }

    /// The next action.
    package enum Step: Sendable, Equatable {
        case call(Call)
        case wait(until: Monotonic)
        case stop
    }

    /// The result of a call.
    package enum Result: Sendable {
        case leader(KeyValue?)
        case granted(lease: Int64, seconds: Int)
        case renewed(seconds: Int)
        case done
        case failed(KeyValueFault)
    }

    package private(set) var state = State.following(nil)
    /// When the next call is due.
    private var due = Monotonic(milliseconds: .min / 2)
    /// Whether this relay must not lead any more.
    private var isWithdrawing = false
    /// When the leader's key was last read.
    private var heard: Monotonic?
    private let seconds: Int
    private let clock: @Sendable () -> Monotonic

    /// Seconds between two looks at the leader's key.
    static let pollSeconds = 0.5
    /// Seconds until a failed call is repeated, at the next member of etcd.
    package static let retrySeconds = 0.2
    /// How often the end of a lease is requested.
    private static let leavingTries = 3

    /// - Parameters:
    ///   - seconds: how long a lease lasts.
    ///   - clock: as for `LeaseTerm`.
    package init(leaseSeconds seconds: Int, clock: @escaping @Sendable () -> Monotonic) {
        self.seconds = seconds
        self.clock = clock
    }

    /// This relay ends: it gives back its lease, so that another one leads at once.
    package mutating func withdraw() {
        isWithdrawing = true
        due = Monotonic(milliseconds: .min / 2)
    }

    /// The action that is due now.
    package mutating func next(at now: Monotonic) -> Step {
        // The lease of this relay may not have ended: others need not wait for that.
        if case .leading(let term) = state, term.isOver {
            state = .leaving(lease: term.lease, tries: 1)
            due = now
        }
        if case .claiming(_, let end) = state, end <= now { state = .following(nil) }
        if isWithdrawing { leave() }
        if case .withdrawn = state { return .stop }
        guard due <= now else { return .wait(until: due) }
        switch state {
        case .following: return .call(.poll)
        case .candidate: return .call(.grant(seconds: seconds))
        case .claiming(let lease, _): return .call(.claim(lease: lease))
        case .leading(let term): return .call(.renew(lease: term.lease))
        case .leaving(let lease, _): return .call(.revoke(lease: lease))
        case .withdrawn: return .stop
        }
    }

    private mutating func leave() {
        switch state {
        case .following, .candidate: state = .withdrawn
        case .claiming(let lease, _):
            state = .leaving(lease: lease, tries: Election.leavingTries)
        case .leading(let term):
            term.finish()
            state = .leaving(lease: term.lease, tries: Election.leavingTries)
        case .leaving, .withdrawn: break
        }
    }

    /// Applies the result of the call that `next` has named.
    ///
    /// - Parameter sent: when the call was begun: a lease lasts at least from then on.
    package mutating func apply(
        _ result: Result, of call: Call, sent: Monotonic, at now: Monotonic
    ) {
        due = now.adding(seconds: Election.retrySeconds)
        switch (state, result) {
        case (.following, .leader(let entry)): follow(entry, now)
        case (.candidate, .granted(let lease, let seconds)):
            state = .claiming(lease: lease, end: sent.adding(seconds: Double(seconds)))
            due = now
        case (.claiming(let lease, let end), .leader(let entry?)):
            guard entry.lease == lease else { return follow(entry, now) }
            let term = LeaseTerm(
                epoch: entry.createRevision, lease: lease, expiry: end, clock: clock)
            state = .leading(term)
            due = sent.adding(seconds: Double(self.seconds) / 3)
        case (.leading(let term), .renewed(let seconds)):
            guard seconds > 0 else {
                term.finish()
                state = .following(nil)
                return
            }
            term.renew(until: sent.adding(seconds: Double(seconds)))
            due = sent.adding(seconds: Double(self.seconds) / 3)
        case (.leaving(let lease, let tries), .failed(.unanswered)) where tries > 1:
            state = .leaving(lease: lease, tries: tries - 1)
        case (.leaving, .done), (.leaving, .failed):
            state = isWithdrawing ? .withdrawn : .following(nil)
        // A relay that has not heard of a leader for the length of a lease knows none.
        case (.following(_?), .failed):
            let limit = heard?.adding(seconds: Double(seconds))
            if limit.map({ $0 <= now }) ?? true { state = .following(nil) }
        default: break
        }
    }

    private mutating func follow(_ entry: KeyValue?, _ now: Monotonic) {
        heard = now
        guard let entry else {
            state = .candidate
            due = now
            return
        }
        state = .following(LeaderRecord(entry.value))
        due = now.adding(seconds: Election.pollSeconds)
    }
}

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

/// Proof that this relay leads for some time yet. Only a `LeaseTerm` can make one: a request to
/// Beeminder needs it, so a relay whose lease may have ended cannot send.
package struct Leadership: Sendable {
    /// Until then no other relay can lead.
    package let until: Monotonic

    fileprivate init(until: Monotonic) {
        self.until = until
    }
}

/// The term of a leader, from the claim to the end of its lease.
///
/// Shared: the thread that renews the lease extends the term, the journal ends it on finding
/// another leader, and delivery asks for proof of it.
package final class LeaseTerm: Sendable {
    /// The revision in which the leader's key was created. Every write compares it.
    package let epoch: Int64
    /// The lease of the leader's key.
    package let lease: Int64
    /// When this relay began to lead.
    package let began: Monotonic
    private let expiry: Atomic<Int64>
    private let clock: @Sendable () -> Monotonic

    /// How long before the end of the lease nothing is begun any more, in seconds: a request that
    /// is under way is cancelled within a second.
    package static let margin = 1.0

    /// - Parameters:
    ///   - expiry: when the lease ends at the earliest, counted from when the grant was requested.
    ///   - clock: never jumps, and runs on while the machine sleeps.
    package init(
        epoch: Int64, lease: Int64, expiry: Monotonic, clock: @escaping @Sendable () -> Monotonic
    ) {
        self.epoch = epoch
        self.lease = lease
        self.clock = clock
        began = clock()
        self.expiry = Atomic(expiry.milliseconds)
    }

    /// When the lease ends at the earliest, if it is not renewed.
    package var end: Monotonic { Monotonic(milliseconds: expiry.load(ordering: .acquiring)) }

    /// Whether the lease cannot have ended.
    package var isValid: Bool { clock() < end }

    /// Whether the term was ended, by the clock or by `end()`.
    package var isOver: Bool { !isValid }

    /// Proof of leading, with time left to cancel what it allows; nil when there is none.
    package var proof: Leadership? {
        let until = Monotonic(milliseconds: end.milliseconds - Int64(LeaseTerm.margin * 1_000))
        return clock() < until ? Leadership(until: until) : nil
    }

    /// The lease was renewed by a request that was sent at that time.
    ///
    /// A term that has ended stays ended: its relay has already been told.
    func renew(until later: Monotonic) {
        var known = expiry.load(ordering: .acquiring)
        while known != LeaseTerm.ended, known < later.milliseconds {
            let (isDone, present) = expiry.compareExchange(
                expected: known, desired: later.milliseconds, ordering: .acquiringAndReleasing)
            if isDone { return }
            known = present
        }
    }

    /// Another relay leads, or may.
    package func finish() {
        expiry.store(LeaseTerm.ended, ordering: .releasing)
    }

    private static let ended = Int64.min / 2
}
