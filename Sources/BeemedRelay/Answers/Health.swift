import BeemedDomain
import RelayHTTP

/// Can the relay accept, and can it deliver? What health says must be true, so it is made of the
/// last attempts and of what the start has found, never of good intentions.
struct Health: Sendable {
    /// In a word.
    enum Status: String, Sendable {
        /// Both work.
        case ok
        /// Presses are taken; something is slow or missing, and nobody need come running.
        case degraded
        /// A person must do something.
        case failing
    }

    var sync: SyncState
    /// Why the journal could not be written, by the last attempt; nil when it could.
    var obstacle: DiskError?
    var queued: Int
    var refused: Int
    /// Seconds that the oldest press has waited; nil when none does.
    var oldestPendingSeconds: Int64?
    /// Whether the last attempt to deliver left its press in the queue.
    var lastDeliveryFailed: Bool
    /// Unix seconds of the last sync that held; nil before the first.
    var lastSync: UnixTime?
    var missingGoals: [GoalSlug]
    /// Goals that derail before what waits for them is tried next.
    var goalsAtRisk: [GoalSlug]
    /// Presses that wait for the user whose they are.
    var parked: Int
    /// Whether the relay's own clock is right.
    var isClockSound: Bool
    /// What the start found in the journal.
    var findings: Findings
    /// Whether others than the relay's user may look into the data folder.
    var isFolderOpen = false

    /// Whether the journal can be written, by the last attempt.
    enum Store: String, Sendable {
        case writable, obstructed
    }

    private var store: Store { obstacle == nil ? .writable : .obstructed }

    var status: Status {
        switch sync {
        case .diskFull, .signInAgain, .notConnected: return .failing
        case .offline: return .degraded
        case .online:
            let isSound =
                !lastDeliveryFailed && missingGoals.isEmpty && goalsAtRisk.isEmpty && parked == 0
                && !findings.isDamage && !isFolderOpen
            return isSound ? .ok : .degraded
        }
    }

    /// What a person should know, a sentence each.
    private var alarms: [String] {
        var all: [String] = []
        switch sync {
        case .diskFull: all.append("nothing is accepted: \(whyNothingIsAccepted)")
        case .signInAgain: all.append("Beeminder does not take the token: run beemed-relay connect")
        case .notConnected: all.append("no Beeminder account: run beemed-relay connect")
        case .online, .offline: break
        }
        for goal in missingGoals {
            all.append("Beeminder knows no goal '\(goal)'; its presses wait")
        }
        for goal in goalsAtRisk {
            all.append("'\(goal)' derails before its presses are tried next: log it by hand")
        }
        if parked > 0 {
            all.append("\(parked) presses wait for the account that they were made for")
        }
        if !isClockSound { all.append("the clock is not set: presses wait until it is") }
        if isFolderOpen {
            all.append("others on this machine may look into the data folder: run chmod 700 on it")
        }
        if findings.isDamage { all += findings.sentences }
        return all
    }

    private var whyNothingIsAccepted: String {
        guard let obstacle else {
            return "\(queued) presses wait for Beeminder, and there is no room for more"
        }
        if obstacle.isFull { return "the disk is full" }
        return obstacle.isReadOnly ? "the disk may only be read" : "\(obstacle)"
    }

    var response: Response {
        let body = JSONWriter.object { json in
            json.add("status", status.rawValue)
            json.add("sync", sync.rawValue)
            json.add("queued", Int64(queued))
            json.add("refused", Int64(refused))
            if let oldestPendingSeconds { json.add("oldestPendingSeconds", oldestPendingSeconds) }
            json.add("lastDeliveryFailed", lastDeliveryFailed)
            json.add("journal") { journal in
                journal.add("store", store.rawValue)
                if let lastSync { journal.add("lastSync", lastSync.seconds) }
                journal.add("tornTailBytes", Int64(findings.tornTailBytes))
                journal.add("damagedBytes", Int64(findings.damagedBytes))
                journal.add("quarantinedBytes", Int64(findings.quarantinedBytes))
                journal.add("missingRecords", Int64(clamping: findings.missingRecords))
            }
            json.addArray("alarms") { list in
                for alarm in alarms { list.element(alarm) }
            }
        }
        return .json(body, status: status == .failing ? 503 : 200)
    }
}

extension Findings {
    /// How many records must have been there and are not.
    fileprivate var missingRecords: UInt64 {
        missing.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) + 1 }
    }
}
