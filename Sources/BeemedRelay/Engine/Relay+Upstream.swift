import BeemedDomain
import RelayHTTP

/// Calls to Beeminder that the core requests, and their results.
extension Relay {
    func send(_ batch: DatapointBatch) {
        let log = log
        upstream.send(batch) { result in
            log.delivery(batch, result)
            self.report(.delivered(batch, result))
        }
    }

    func erase(_ deletion: DatapointDeletion) {
        let log = log
        upstream.erase(deletion) { outcome in
            log.deletion(deletion, outcome)
            self.report(.erased(deletion, outcome))
        }
    }

    func fetchGoals(since: Int64?) {
        let log = log
        upstream.fetchGoals(since: since) { answer in
            log.goals(answer)
            self.report(.fetched(answer))
        }
    }

    /// Compares the clock with Beeminder's from now on.
    func listenToTime() {
        upstream.onTime { [weak self] time in self?.report(.heardTime(time)) }
    }

    /// Saves that Beeminder has named the user of a saved token: commands show it while no relay
    /// runs.
    private func noteVerified() {
        guard var account = connection, account.isSaved, !account.isVerified, let user = core.user
        else { return }
        (account.user, account.isVerified) = (user, true)
        connection = account
        _ = store.save(account, log)
    }

    /// Passes a result from Beeminder to the loop; called on any thread.
    private nonisolated func report(_ input: Input) {
        loop.post {
            self.assumeIsolated { relay in
                relay.metrics.note(input)
                relay.apply(input)
                relay.noteVerified()
                relay.finishTurn()
                relay.closeWhenDelivered(at: relay.clock().monotonic)
            }
        }
    }
}
