import BeemedDomain
import RelayHTTP

/// `GET /healthz`: whether the relay can accept and deliver. The answer must be true, so it reports
/// the last attempts and the result of recovery, not assumptions.
struct HealthCheck: Sendable {
    enum Status: String, Sendable {
        /// Accepting and delivering both work.
        case ok
        /// Presses are accepted; something is slow or missing, and the user should check.
        case degraded
        /// The user must act.
        case failing
    }

    var sync: SyncState
    /// Whether Beeminder has named the user of the token.
    var isVerified = true
    /// Whether the first call to Beeminder is in progress.
    var isVerifying = false
    /// Why the token cannot be one, in words; nil for a plausible one.
    var tokenFault: String?
    /// Why the token is not used, if it is another user's than the folder.
    var conflict: FolderConflict?
    /// The user's time zone, if this machine does not know it.
    var unknownZone: String?
    var user: String?

    /// Presses that wait.
    var queued: Int
    /// The waiting presses that need a person.
    var held = 0
    var deletions = 0
    var refused = 0
    /// Some of the goals of refused presses.
    var refusedGoals: [GoalSlug] = []
    /// Age of the oldest waiting press, in seconds; nil when none waits.
    var oldestSeconds: Int64?
    /// Whether the last delivery attempt left its press in the queue.
    var lastDeliveryFailed = false
    /// Beeminder's answer to the presses that wait; nil while it accepts them.
    var deliveryError: String?
    /// Presses of the last week that replaced an existing datapoint with the same request id.
    var overwritten = 0
    /// Datapoints of the last week of which Beeminder has a greater value than the journal.
    var greater = 0
    /// Presses whose times may be wrong.
    var doubtfulTimes: DoubtfulTimes?
    /// Whether deliverable presses have made no progress for a while.
    var isStalled = false
    /// Datapoints that Beeminder does not let the relay delete or change.
    var unchangeable = 0
    /// Presses that Beeminder has neither taken nor refused in several attempts, while it works
    /// otherwise.
    var failing = 0
    /// Devices at their limit of waiting presses, whose further presses are refused.
    var crowdingDevices: [DeviceIdentity] = []
    /// Devices that have used up their allowance of presses that do not count or are undone, and
    /// whose further presses are refused for now.
    var devicesOverQuota: [DeviceIdentity] = []
    /// Goals at their limit of refused presses, for which further presses are refused.
    var crowdingGoals = 0
    /// Goals with waiting presses that Beeminder does not know.
    var missingGoals: [GoalSlug] = []
    /// Goals to which the account may not log, or for which a server other than Beeminder answers.
    var barredGoals: [GoalSlug] = []
    /// Goals with waiting presses that derail soon, or have derailed.
    var atRisk: [GoalAtRisk] = []
    var clock: ClockState

    /// The error of the last journal write; nil after a success.
    var obstacle: DiskError?
    /// The last successful sync, in Unix seconds; nil before the first.
    var lastSync: UnixTime?
    var recoveryReport = RecoveryReport()
    /// Whether other users of the machine can access the data folder.
    var isFolderOpen = false
    /// Whether the system reports that NTP has set the clock; nil without a report.
    var isClockDisciplined: Bool?
    /// Where this relay leads its cluster; nil without one.
    var leader: Endpoint?
    /// Whether users, goals and devices are named: only to a client with a token that may read.
    var isNamed = false

    private func status(of alarms: [String]) -> Status {
        guard crowdingDevices.isEmpty, devicesOverQuota.isEmpty, crowdingGoals == 0 else {
            return .failing
        }
        switch sync {
        case .diskFull, .signInAgain, .notConnected: return .failing
        case .offline: return .degraded
        case .online, .unverified:
            // The error of a press that is sent again says nothing of the others.
            let faults = alarms.count - (deliveryError == nil ? 0 : 1)
            return lastDeliveryFailed || faults > 0 ? .degraded : .ok
        }
    }

    var response: Response {
        let alarms = alarms
        let status = status(of: alarms)
        return .json(status: status == .failing ? 503 : 200) { json in
            json.add("status", status.rawValue)
            if let leader {
                json.add("role", "leader")
                json.add("leader", "\(leader)")
            }
            json.add("sync", sync.rawValue)
            if sync != .notConnected { json.add("verified", isVerified) }
            if isNamed, let user { json.add("user", user) }
            json.add("queued", Int64(queued))
            json.add("deletions", Int64(deletions))
            json.add("refused", Int64(refused))
            json.add("missingGoals", Int64(missingGoals.count))
            json.add("goalsAtRisk", Int64(atRisk.count))
            if isNamed { atRisk.filter(\.isShown).write(to: &json) }
            if let oldestSeconds { json.add("oldestPendingSeconds", oldestSeconds) }
            json.add("lastDeliveryFailed", lastDeliveryFailed)
            json.add("journal") { journal in
                journal.add("store", obstacle == nil ? "writable" : "obstructed")
                if let lastSync { journal.add("lastSync", lastSync.seconds) }
                journal.add("tornTailBytes", Int64(recoveryReport.tornTailBytes))
                journal.add("damagedBytes", Int64(recoveryReport.damagedBytes))
                journal.add("quarantinedBytes", Int64(recoveryReport.quarantinedBytes))
                journal.add("missingRecords", Int64(clamping: recoveryReport.missingRecords))
            }
            writeClock(to: &json)
            json.addArray("alarms", of: alarms)
        }
    }
}

extension [GoalAtRisk] {
    /// The list as in health and context.
    func write(to json: inout JSONWriter) {
        json.addArray("atRisk", of: self) { risk, json in
            json.add("goal", risk.goal.description)
            json.add("minutesLeft", risk.minutesLeft)
            json.add("waiting", Int64(risk.waiting))
        }
    }
}

extension RecoveryReport {
    fileprivate var missingRecords: UInt64 {
        missing.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) + 1 }
    }
}
