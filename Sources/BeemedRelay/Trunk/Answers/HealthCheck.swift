import BeemedDomain
import RelayHTTP

/// `GET /healthz`: whether the relay can accept and deliver. The answer must be true, so it reports
/// the last attempts and the result of recovery, not assumptions.
final class HealthCheck {
    enum Status: String, Sendable {
        /// Accepting and delivering both work.
        case ok
        /// Presses are accepted; something is slow or missing, and the user should check.
        case degraded
        /// The user must act.
        case failing
    }

    let core: CoreView
    let now: Moment

    // The core's values that are needed more than once: each is read when it is needed first.
    lazy var sync = core.sync
    lazy var isVerified = core.isVerified
    lazy var unknownZone = core.unknownZone
    lazy var pendingEvents = core.pendingEvents
    lazy var waitingDeletions = core.waitingDeletions
    lazy var lastDeliveryFailed = core.lastDeliveryFailed
    lazy var deliveryError = core.deliveryError(at: now)
    lazy var failingEvents = core.failingEvents
    lazy var crowdingDevices = core.crowdingDevices
    lazy var devicesOverQuota = core.devicesOverQuota(at: now)
    lazy var crowdingGoals = core.crowdingGoals
    lazy var missingGoals = core.missingGoals
    lazy var goalsAtRisk = core.goalsAtRisk(at: now)
    lazy var clock = core.clockState(at: now)

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

    init(_ core: CoreView, at now: Moment) { (self.core, self.now) = (core, now) }

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
            if isNamed, let user = core.user { json.add("user", user) }
            json.add("queued", Int64(pendingEvents))
            json.add("deletions", Int64(waitingDeletions))
            json.add("refused", Int64(core.refusedEvents))
            json.add("missingGoals", Int64(missingGoals.count))
            json.add("goalsAtRisk", Int64(goalsAtRisk.count))
            if isNamed { goalsAtRisk.filter(\.isShown).write(to: &json) }
            if let seconds = core.oldestPendingSeconds(at: now) {
                json.add("oldestPendingSeconds", seconds)
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
