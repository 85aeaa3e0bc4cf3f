import BeemedDomain
import Foundation
import RelayHTTP

/// Messages for the user: one sentence each, with the next step.
extension HealthCheck {
    var alarms: [String] {
        var all = acceptanceAlarms + riskAlarms + goalAlarms + deliveryAlarms
        if let alarm = clockAlarm { all.append(alarm) }
        if let zone = unknownZone {
            let name = isNamed ? " '\(zone)'" : ""
            all.append(
                "this machine does not know the user's time zone\(name), so days may begin at the "
                    + "wrong hour: install tzdata, and tzdata-legacy where there is one")
        }
        if isFolderOpen {
            all.append("others on this machine may look into the data folder: run chmod 700 on it")
        }
        if recoveryReport.isDamage { all += recoveryReport.sentences }
        return all
    }

    /// Why presses are not accepted, or wait for the account.
    private var acceptanceAlarms: [String] {
        var all: [String] = []
        switch sync {
        case .diskFull: all.append("nothing is accepted: \(whyNothingIsAccepted)")
        case .signInAgain:
            let conflict = conflict.map { isNamed ? $0.words : FolderConflict.unnamed }
            all.append(
                tokenFault ?? conflict
                    ?? "Beeminder does not take the token: run beemed-relay connect")
        case .notConnected: all.append("no Beeminder account: run beemed-relay connect")
        case .online, .offline, .unverified:
            if !isVerified, !core.isVerifying {
                all.append(
                    "the token is not verified yet: Beeminder has not said whose it is; it is "
                        + "asked again by itself")
            }
        }
        all.add(crowdingDevices.count, "device") {
            "presses of \($0)\(names(crowdingDevices)) are not accepted: too many of them wait for "
                + "Beeminder; they are accepted again when those are delivered"
        }
        all.add(devicesOverQuota.count, "device") {
            "presses of \($0)\(names(devicesOverQuota)) are not accepted for now: too many of them "
                + "were undone, merged or did not count; see what it sends (events list --device "
                + "NAME), and repair or remove it"
        }
        all.add(crowdingGoals.count, "goal") {
            "presses to \($0) are not accepted: Beeminder has refused too many; retry or discard "
                + "those of GET /events?state=refused"
        }
        return all
    }

    private var whyNothingIsAccepted: String {
        let isFull = obstacle?.isFull ?? true
        if isFull { return "the disk is full; free some space there" }
        guard let obstacle, !obstacle.isReadOnly else {
            return "the disk may only be read; see the system's log for the reason"
        }
        return "\(obstacle); see the relay's log"
    }

    /// How a person saves a goal: without the first step, two datapoints would be there later.
    private static let byHand =
        "log it at beeminder.com, and take it back here first: beemed-relay events undo ID"

    private var deliveryAlarms: [String] {
        var all: [String] = []
        if let error = deliveryError {
            let presses = pendingEvents - core.heldEvents
            let count = presses > 0 ? presses : waitingDeletions
            let fate =
                count == 1
                ? "waits and is sent again by itself" : "wait and are sent again by themselves"
            // An answer's words may name a goal, or repeat a comment: not for strangers.
            let shown = isNamed ? error : String(error.prefix { !",:".contains($0) })
            let what = presses > 0 ? count.of("press", "presses") : count.of("deletion")
            all.append("Beeminder answers with errors (\(shown)): \(what) \(fate)")
        }
        let faults = core.eventFaults(at: now)
        all.add(faults.overwritten, "press", "presses") {
            "\($0) replaced a datapoint that was there under their name: another relay, or an "
                + "earlier device of that name, uses the same ids; add the device under another "
                + "name"
        }
        all.add(faults.greater, "datapoint") {
            "Beeminder has greater values of \($0) than this folder, which stay: an older copy of "
                + "the folder was put back; look at Beeminder whether they are right"
        }
        let since = faults.doubtfulTimes.since.map {
            " (after \(Date(timeIntervalSince1970: Double($0.seconds)).ISO8601Format()))"
        }
        all.add(faults.doubtfulTimes.events, "press", "presses") {
            "\($0) came before the clock was compared with Beeminder's, and the machine stopped "
                + "before that: the times may be wrong\(since ?? ""); look at Beeminder whether the "
                + "days are right"
        }
        all.add(faults.unchangeable, "datapoint") {
            "Beeminder does not let \($0) be deleted or changed, which is tried again: do it at "
                + "Beeminder; GET /events says why"
        }
        all.add(failingEvents, "press", "presses") {
            "Beeminder answers \($0) with errors each time, which is tried again: GET "
                + "/events?state=queued says why; or \(HealthCheck.byHand)"
        }
        if core.isStalled(at: now) {
            all.append("presses wait, and nothing was sent for ten minutes: restart the relay")
        }
        return all
    }

    /// Goals that derail are named only to clients with a token.
    private var riskAlarms: [String] {
        let named = goalsAtRisk.filter { isNamed && $0.isShown }
        let others = goalsAtRisk.filter { !isNamed || !$0.isShown }
        var all = named.map { "'\($0.goal)' \($0.words): \(HealthCheck.byHand)" }
        if let first = others.first {
            let goals = others.count == 1 ? "a goal" : "\(others.count) goals, of which the first"
            all.append("\(goals) \(first.words): \(HealthCheck.byHand)")
        }
        return all
    }

    private var goalAlarms: [String] {
        var all: [String] = []
        guard isNamed else {
            if !missingGoals.isEmpty || !core.takenGoals.isEmpty {
                all.append("presses wait for goals that Beeminder does not know")
            }
            if !core.barredGoals.isEmpty {
                all.append("presses wait for goals that Beeminder does not take presses for")
            }
            all.add(core.refusedEvents, "press", "presses") { "Beeminder has refused \($0)" }
            return all
        }
        all += missingGoals.map {
            "Beeminder knows no goal '\($0)'; its presses wait: send them to another goal (events "
                + "retry ID --goal GOAL) or take them back (events undo ID)"
        }
        all += core.takenGoals.map {
            "a goal '\($0)' is gone, and another one has its name; presses wait for the former one: "
                + "send them to a goal (events retry ID --goal GOAL) or take them back (events undo "
                + "ID)"
        }
        all += core.barredGoals.map {
            "Beeminder, or a server before it, turns away what is sent for '\($0)', though the "
                + "account is all right: GET /events?goal=\($0) says why"
        }
        all.add(core.refusedEvents, "press", "presses") {
            // A search, which a stranger's request does not cost.
            let goals = core.refusedGoals(limit: 5).map { "'\($0)'" }.joined(separator: ", ")
            return "Beeminder has refused \($0)\(goals.isEmpty ? "" : " for \(goals)"); send them "
                + "again (events retry --refused) or discard those of GET /events?state=refused"
        }
        return all
    }

    /// Some of the names, as in ` ('a', 'b')`.
    private func names(_ devices: [DeviceIdentity]) -> String {
        guard isNamed else { return "" }
        return " (\(devices.prefix(5).map { "'\($0.name)'" }.joined(separator: ", ")))"
    }
}

extension [String] {
    /// Adds a sentence about so many things, if there are any.
    fileprivate mutating func add(
        _ count: Int, _ one: String, _ many: String? = nil, _ sentence: (String) -> String
    ) {
        if count > 0 { append(sentence(count.of(one, many))) }
    }
}

extension Int {
    /// `1 goal`, `2 goals`.
    fileprivate func of(_ one: String, _ many: String? = nil) -> String {
        self == 1 ? "1 \(one)" : "\(self) \(many ?? "\(one)s")"
    }
}

extension GoalAtRisk {
    fileprivate var words: String {
        let presses = waiting == 1 ? "a press waits" : "\(waiting) presses wait"
        let minutes = minutesLeft.magnitude == 1 ? "1 minute" : "\(minutesLeft.magnitude) minutes"
        if minutesLeft < 0 { return "has derailed \(minutes) ago, and \(presses)" }
        return "derails in \(minutes), and \(presses)"
    }
}

extension HealthCheck {
    /// The fault of the clock, and the remedy; nil when none is known.
    var clockAlarm: String? {
        let advice = isClockDisciplined == false ? "set it; NTP has not" : "set it, or turn NTP on"
        return switch clock {
        case .right: nil
        case .unset: "the relay's clock is not set: presses wait until it is; \(advice)"
        case .doubtful(let seconds):
            "the relay's clock is \(seconds.inWords) behind the last press before it, and no "
                + "source gave the time: \(advice)"
        case .wrong(let seconds):
            "the relay's clock is \(abs(seconds).inWords) \(seconds > 0 ? "behind" : "ahead of") "
                + "Beeminder's: \(advice); until then presses get Beeminder's time"
        }
    }

    /// The member `clock` of the answer.
    func writeClock(to json: inout JSONWriter) {
        json.add("clock") { json in
            switch clock {
            case .right: json.add("state", "right")
            case .unset: json.add("state", "unset")
            case .wrong(let seconds):
                json.add("state", "wrong")
                json.add("behindSeconds", seconds)
                json.add("source", "beeminder")
            case .doubtful(let seconds):
                json.add("state", "doubtful")
                json.add("behindSeconds", seconds)
            }
            if let isClockDisciplined { json.add("ntp", isClockDisciplined) }
        }
    }
}

extension Int64 {
    /// So many seconds as `45 min`, `5 h 12 min` or `3 days`.
    package var inWords: String {
        switch self {
        case ..<3_600: "\(Swift.max(0, self) / 60) min"
        case ..<172_800: "\(self / 3_600) h" + (self / 60 % 60 == 0 ? "" : " \(self / 60 % 60) min")
        default: "\(self / 86_400) days"
        }
    }
}
