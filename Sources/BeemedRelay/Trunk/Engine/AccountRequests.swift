import BeemedDomain

/// Requests to Beeminder for the connected account, each logged with its result.
struct AccountRequests: Sendable {
    private let upstream: any AccountUpstream
    private let log: Log
    private let report: @Sendable (Input) -> Void

    /// - Parameter report: receives the results, on any thread.
    init(
        _ upstream: any AccountUpstream, _ log: Log, report: @escaping @Sendable (Input) -> Void
    ) {
        self.upstream = upstream
        self.log = log
        self.report = report
    }

    /// Reports Beeminder's time from now on.
    func listenToTime() {
        upstream.onTime { [report] time in report(.receivedTime(time)) }
    }

    func send(_ batch: DatapointBatch) {
        upstream.send(batch) { [log, report] result in
            log.delivery(batch, result)
            report(.delivered(batch, result))
        }
    }

    func erase(_ deletion: DatapointDeletion) {
        upstream.erase(deletion) { [log, report] outcome in
            log.deletion(deletion, outcome)
            report(.erased(deletion, outcome))
        }
    }

    func fetchGoals(since: Int64?, names: [GoalSlug]) {
        upstream.fetchGoals(since: since, names: names) { [log, report] answer in
            log.goals(answer)
            report(.fetched(answer))
        }
    }
}
