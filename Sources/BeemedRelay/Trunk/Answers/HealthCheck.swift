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

    /// From here on the core's values, by the names of `RelayCore`.
    var sync: SyncState
    var isVerified = true
    var isVerifying = false
    /// The user's time zone, if this machine does not know it.
    var unknownZone: String?
    var user: String?
    var pendingEvents: Int
    var heldEvents = 0
    var waitingDeletions = 0
    var refusedEvents = 0
    /// Some of the goals of refused presses.
    var refusedGoals: [GoalSlug] = []
    var oldestPendingSeconds: Int64?
    var lastDeliveryFailed = false
    var deliveryError: String?
    /// Presses of the last week that replaced an existing datapoint with the same request id.
    var overwritten = 0
    /// Datapoints of the last week of which Beeminder has a greater value than the journal.
    var greater = 0
    var doubtfulTimes: DoubtfulTimes?
    var isStalled = false
    var unchangeableEvents = 0
    var failingEvents = 0
    var crowdingDevices: [DeviceIdentity] = []
    var devicesOverQuota: [DeviceIdentity] = []
    var crowdingGoals: [GoalSlug] = []
    var missingGoals: [GoalSlug] = []
    var takenGoals: [GoalSlug] = []
    var barredGoals: [GoalSlug] = []
    var goalsAtRisk: [GoalAtRisk] = []
    var clock: ClockState

    /// Why the token cannot be one, in words; nil for a plausible one.
    var tokenFault: String?
    /// Why the token is not used, if it is another user's than the folder.
    var conflict: FolderConflict?
    /// The error of the last journal write; nil after a success.
    var obstacle: DiskError?
    /// The last successful sync; nil before the first.
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
        guard crowdingDevices.isEmpty, devicesOverQuota.isEmpty, crowdingGoals.isEmpty else {
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
            json.add("queued", Int64(pendingEvents))
            json.add("deletions", Int64(waitingDeletions))
            json.add("refused", Int64(refusedEvents))
            json.add("missingGoals", Int64(missingGoals.count))
            json.add("goalsAtRisk", Int64(goalsAtRisk.count))
            if isNamed { goalsAtRisk.filter(\.isShown).write(to: &json) }
            if let oldestPendingSeconds {
                json.add("oldestPendingSeconds", oldestPendingSeconds)
            }
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
