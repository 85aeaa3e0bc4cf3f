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
