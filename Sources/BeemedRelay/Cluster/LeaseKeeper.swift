import BeemedDomain
import RelayTrunk
import Synchronization

/// The thread that takes part in the election and renews the lease. It never waits for a disk, for
/// the loop or for a batch.
final class LeaseKeeper: Sendable {
    /// The reports of the keeper.
    enum News: Sendable {
        /// That relay leads; nil when none is known to.
        case following(LeaderRecord?)
        /// This relay leads.
        case leading(LeaseTerm)
        /// The lease is given back.
        case withdrawn
        /// etcd fails its calls, for this reason; nil when they succeed again.
        case trouble(KeyValueFault?)
    }

    private let isWithdrawing = Atomic(false)

    /// Time for leases: it never jumps, and runs on while the machine sleeps.
    static let clock: @Sendable () -> Monotonic = {
        let seconds = (ContinuousClock.now - origin) / .milliseconds(1)
        return Monotonic(milliseconds: Int64(seconds))
    }

    private static let origin = ContinuousClock.now

    /// Starts the thread.
    ///
    /// - Parameter report: called on the thread with every change.
    func start(_ election: Election, report: @escaping @Sendable (News) -> Void) {
        SystemThread.start("lease") { self.run(election, report) }
    }

    /// Ends the lease, so that another relay leads at once. `report` hears when that is done.
    func withdraw() {
        isWithdrawing.store(true, ordering: .releasing)
    }

    private func run(_ initial: Election, _ report: (News) -> Void) {
        var election = initial
        var epoch: Int64?
        var leader: LeaderRecord?
        var isFirst = true
        var trouble: KeyValueFault?
        while true {
            if isWithdrawing.load(ordering: .acquiring) { election.withdraw() }
            let due = election.step()
            // A log names each kind of trouble once.
            if election.trouble?.kind != trouble?.kind {
                trouble = election.trouble
                report(.trouble(trouble))
            }
            switch election.state {
            case .leading(let term):
                if term.epoch != epoch { report(.leading(term)) }
                epoch = term.epoch
            case .following(let record):
                if isFirst || epoch != nil || record != leader { report(.following(record)) }
                (epoch, leader, isFirst) = (nil, record, false)
            case .leaving:
                // This relay leads no more, whether or not its lease could be given back.
                if epoch != nil { report(.following(nil)) }
                (epoch, leader) = (nil, nil)
            case .candidate, .claiming, .withdrawn: break
            }
            guard let due else { return report(.withdrawn) }
            var term: LeaseTerm?
            if case .leading(let present) = election.state { term = present }
            wait(until: due, orEndOf: term)
        }
    }

    /// Waits in short naps: a condition waits until a time of the wall clock, and would hang when
    /// that is set back.
    ///
    /// - Parameter term: others may end it, and then its lease is given back at once.
    private func wait(until due: Monotonic, orEndOf term: LeaseTerm?) {
        while !isWithdrawing.load(ordering: .acquiring), term?.isValid ?? true {
            let milliseconds = due.milliseconds - LeaseKeeper.clock().milliseconds
            guard milliseconds > 0 else { return }
            SystemThread.sleep(seconds: min(Double(milliseconds) / 1_000, LeaseKeeper.nap))
        }
    }

    /// How soon a withdrawal is noticed, in seconds.
    private static let nap = 0.1
}

extension KeyValueFault {
    /// The same for faults whose words differ.
    fileprivate var kind: Int {
        switch self {
        case .unanswered: 1
        case .noSpace: 2
        case .refused: 3
        }
    }
}
