import Synchronization

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
