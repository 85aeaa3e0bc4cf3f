import Synchronization

/// Elects the leader: polls the leader's key, claims a missing one, and renews the lease. Used by a
/// single thread.
///
/// The key is polled and not watched: watches hang on a member that is frozen or has lost the
/// others.
package struct Election: Sendable {
    /// The state of this relay.
    package enum State: Sendable, Equatable {
        /// Another relay leads, whose key has this value, or none is known to.
        case following([UInt8]?)
        /// The leader's key is claimed with the granted lease, which ends at that time.
        case claiming(lease: Int64, end: Monotonic)
        /// This relay leads.
        case leading(LeaseTerm)
        /// The lease is being given back, with so many tries left: each goes to another member.
        case leaving(lease: Int64, tries: Int)
        /// The relay takes part no more.
        case withdrawn
    }

    package private(set) var state = State.following(nil)
    /// Why the last call failed; nil when it did not.
    package private(set) var trouble: StoreFault?
    /// When the next call is due.
    private var due = Monotonic(milliseconds: .min / 2)
    /// Whether this relay must not lead any more.
    private var isWithdrawing = false
    /// When the leader's key was last read.
    private var heard: Monotonic?
    private let store: any KeyValueStore
    private let keys: StoreKeys
    private let seconds: Int
    private let clock: @Sendable () -> Monotonic
    private let address: [UInt8]

    /// Seconds between two looks at the leader's key.
    static let pollSeconds = 0.5
    /// Seconds until a failed call is repeated, at the next member of etcd.
    package static let retrySeconds = 0.2
    /// How often the end of a lease is requested.
    private static let leavingTries = 3

    /// - Parameters:
    ///   - seconds: how long a lease lasts.
    ///   - clock: never jumps, and runs on while the machine sleeps.
    ///   - address: where this relay serves: what the leader's key says when it leads.
    package init(
        _ store: any KeyValueStore, _ keys: StoreKeys, leaseSeconds seconds: Int,
        clock: @escaping @Sendable () -> Monotonic, address: String
    ) {
        (self.store, self.keys, self.seconds) = (store, keys, seconds)
        (self.clock, self.address) = (clock, Array(address.utf8))
    }

    /// Gives up leading for good: `step` ends the lease, so that another relay leads at once.
    package mutating func withdraw() {
        isWithdrawing = true
        due = Monotonic(milliseconds: .min / 2)
        switch state {
        case .following: state = .withdrawn
        case .claiming(let lease, _):
            state = .leaving(lease: lease, tries: Election.leavingTries)
        case .leading(let term):
            term.finish()
            state = .leaving(lease: term.lease, tries: Election.leavingTries)
        case .leaving, .withdrawn: break
        }
    }

    /// Makes the next call, if one is due. Returns when the following one is; nil if there is none.
    package mutating func step() -> Monotonic? {
        let now = clock()
        endOverdue(now)
        if case .withdrawn = state { return nil }
        guard due <= now else { return due }
        var next: Monotonic?
        do throws(StoreFault) {
            next = try call(at: now)
            trouble = nil
        } catch {
            trouble = error
            fail(error)
        }
        let end = clock()
        due = next ?? end.adding(seconds: Election.retrySeconds)
        return end
    }

    /// Ends what the clock has ended.
    private mutating func endOverdue(_ now: Monotonic) {
        switch state {
        case .leading(let term) where !term.isValid:
            // The lease of this relay may not have ended: others need not wait for that.
            state = .leaving(lease: term.lease, tries: 1)
            due = now
        case .claiming(_, let end) where end <= now: state = .following(nil)
        default: break
        }
    }

    /// Makes the call of the present state, which begins now: a lease lasts at least from then on.
    /// Returns when the next one is due; nil for the time of a retry.
    private mutating func call(at sent: Monotonic) throws(StoreFault) -> Monotonic? {
        switch state {
        case .following:
            let entry = try store.get(keys.leader)
            heard = clock()
            if let entry { return follow(entry) }
            let asked = clock()
            let (lease, seconds) = try store.grant(seconds: self.seconds)
            state = .claiming(lease: lease, end: asked.adding(seconds: Double(seconds)))
            return clock()
        case .claiming(let lease, let end):
            guard let entry = try claim(lease) else { return nil }
            guard entry.lease == lease else { return follow(entry) }
            state = .leading(
                LeaseTerm(epoch: entry.revision, lease: lease, expiry: end, clock: clock))
        case .leading(let term):
            let seconds = try store.keepAlive(term.lease)
            guard seconds > 0 else {
                term.finish()
                state = .following(nil)
                return nil
            }
            term.renew(until: sent.adding(seconds: Double(seconds)))
        case .leaving(let lease, _):
            try store.revoke(lease)
            state = isWithdrawing ? .withdrawn : .following(nil)
            return nil
        case .withdrawn: return nil
        }
        return sent.adding(seconds: Double(seconds) / 3)
    }

    private mutating func fail(_ fault: StoreFault) {
        switch (state, fault) {
        case (.leaving(let lease, let tries), .unanswered) where tries > 1:
            state = .leaving(lease: lease, tries: tries - 1)
        case (.leaving, _): state = isWithdrawing ? .withdrawn : .following(nil)
        // A relay that has not heard of a leader for the length of a lease knows none.
        case (.following(_?), _):
            let limit = heard?.adding(seconds: Double(seconds))
            if limit.map({ $0 <= clock() }) ?? true { state = .following(nil) }
        default: break
        }
    }

    /// Creates the leader's key, if there is none, and returns its entry.
    private func claim(_ lease: Int64) throws(StoreFault) -> KeyValue? {
        let claim = Transaction(
            if: [keys.leader: 0], then: [.put(keys.leader, address, lease: lease)],
            elseRead: [keys.leader])
        switch try store.commit(claim) {
        case .done(let revision):
            return KeyValue(keys.leader, address, revision: revision, lease: lease)
        case .differs(let found): return found[0]
        }
    }

    private mutating func follow(_ entry: KeyValue) -> Monotonic {
        let now = clock()
        heard = now
        state = .following(entry.value)
        return now.adding(seconds: Election.pollSeconds)
    }
}

/// The term of a leader, from the claim to the end of its lease.
///
/// Shared: the thread that renews the lease extends the term, the journal ends it on finding
/// another leader, and delivery asks whether it may send.
package final class LeaseTerm: Sendable, Equatable {
    /// The revision in which the leader's key was written, once. Every write compares it.
    package let epoch: Int64
    /// The lease of the leader's key.
    package let lease: Int64
    private let expiry: Atomic<Int64>
    private let clock: @Sendable () -> Monotonic

    /// How long before the end of the lease nothing is begun any more, in seconds: a request that
    /// is under way is cancelled within a second.
    static let margin = 1.0

    /// - Parameters:
    ///   - expiry: when the lease ends at the earliest, counted from when the grant was requested.
    ///   - clock: never jumps, and runs on while the machine sleeps.
    package init(
        epoch: Int64, lease: Int64, expiry: Monotonic, clock: @escaping @Sendable () -> Monotonic
    ) {
        (self.epoch, self.lease, self.clock) = (epoch, lease, clock)
        self.expiry = Atomic(expiry.milliseconds)
    }

    /// When the lease ends at the earliest, if it is not renewed.
    var end: Monotonic { Monotonic(milliseconds: expiry.load(ordering: .acquiring)) }

    /// Whether the lease cannot have ended.
    package var isValid: Bool { clock() < end }

    /// Whether a request to Beeminder may begin or go on: time is left to cancel it.
    package var allowsRequests: Bool { clock().adding(seconds: LeaseTerm.margin) < end }

    /// The lease was renewed by a request that was sent at that time.
    ///
    /// A term that has ended stays ended: its relay has already been told.
    func renew(until later: Monotonic) {
        let known = expiry.load(ordering: .acquiring)
        guard known != LeaseTerm.ended, known < later.milliseconds else { return }
        // A single thread renews, so this fails only for a term that has just ended.
        _ = expiry.compareExchange(
            expected: known, desired: later.milliseconds, ordering: .acquiringAndReleasing)
    }

    /// Another relay leads, or may.
    package func finish() {
        expiry.store(LeaseTerm.ended, ordering: .releasing)
    }

    private static let ended = Int64.min / 2

    /// Each term is one object.
    package static func == (one: LeaseTerm, other: LeaseTerm) -> Bool { one === other }
}
