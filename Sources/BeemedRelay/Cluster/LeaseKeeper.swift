import BeemedDomain
import RelayTrunk
import Synchronization

/// The thread that takes part in the election and renews the lease. It never waits for a disk, for
/// the loop or for a batch.
final class LeaseKeeper: Sendable {
    private let isWithdrawing = Atomic(false)
    private let log: Log

    /// Time for leases: it never jumps, and runs on while the machine sleeps.
    static let clock: @Sendable () -> Monotonic = { SystemClock.moment().monotonic }

    init(_ log: Log) { self.log = log }

    /// Starts the thread.
    ///
    /// - Parameter report: called on the thread when the relay follows another leader or none,
    ///   leads, or has given back its lease for good.
    func start(
        _ election: Election, report: @escaping @Sendable (Election.State) -> Void
    ) {
        SystemThread.start("lease") { self.run(election, report) }
    }

    /// Ends the lease, so that another relay leads at once. `report` hears when that is done.
    func withdraw() {
        isWithdrawing.store(true, ordering: .releasing)
    }

    private func run(_ initial: Election, _ report: (Election.State) -> Void) {
        var election = initial
        var reported: Election.State?
        var trouble: StoreFault?
        while true {
            if isWithdrawing.load(ordering: .acquiring) { election.withdraw() }
            let due = election.step()
            logChange(from: trouble, to: election.trouble)
            trouble = election.trouble
            // The state as it matters to clients: none while this relay tries to lead; it leads no
            // more, whether or not its lease can be given back.
            let state: Election.State? =
                switch election.state {
                case .claiming: nil
                case .leaving: .following(nil)
                case .following, .leading, .withdrawn: election.state
                }
            if let state, state != reported {
                report(state)
                reported = state
            }
            guard let due else { return }
            // A condition would wait until a time of the wall clock, and hang when that is set back.
            // In short naps: others may end the term, and then its lease is given back at once.
            let milliseconds = max(0, due.milliseconds - LeaseKeeper.clock().milliseconds)
            SystemThread.sleep(seconds: min(Double(milliseconds) / 1_000, LeaseKeeper.nap))
        }
    }

    /// Names each kind of trouble once.
    private func logChange(from known: StoreFault?, to trouble: StoreFault?) {
        switch (known, trouble) {
        case (nil, nil), (.unanswered, .unanswered), (.noSpace, .noSpace), (.refused, .refused):
            break
        case (_, let trouble?):
            log.warning("etcd does not do its part", [("cause", trouble.words)])
        case (_, nil): log.info("etcd answers again", [])
        }
    }

    /// How soon a withdrawal is noticed, in seconds.
    private static let nap = 0.1
}
