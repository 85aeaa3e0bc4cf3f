package import BeemedDomain
import RelayHTTP

extension EventView {
    /// Whether the event waits, was refused, or is left behind, so that its last error matters.
    private var isOpen: Bool {
        if isLeftBehind { return true }
        return switch state {
        case .queued, .sending, .held, .refused: true
        case .delivered, .guarded, .merged: false
        case .undone: isBeingErased
        }
    }

    /// Writes the members of the event.
    package func write(to json: inout JSONWriter, at now: Moment) {
        json.add("id", event.key.id.description)
        json.add("device", event.key.device.description)
        json.add("goal", goal.description)
        json.add("value", value)
        json.add("comment", event.comment)
        json.add("timestamp", at.seconds)
        if let day = event.daystamp { json.add("daystamp", day.description) }
        json.add("timeFrom", event.timeSource.rawValue)
        json.add("received", event.arrival.wall.seconds)
        json.add("requestid", event.key.requestID)
        json.add("state", state.rawValue)
        json.add("attempts", Int64(attempts))
        if let lastAttempt { json.add("lastAttempt", lastAttempt.seconds) }
        if let lastError, isOpen { json.add("lastError", lastError) }
        if let nextAttempt {
            let wait = nextAttempt.milliseconds
                .subtractingReportingOverflow(now.monotonic.milliseconds)
            let seconds = wait.overflow ? 0 : max(0, wait.partialValue) / 1_000
            json.add("nextAttempt", now.wall.seconds + seconds)
        }
        writeEnd(to: &json)
        if let guardedBy { json.add(guardedBy, of: event.preset) }
        if let rule = event.rule { json.add("rule", rule.description) }
        if let preset = event.preset { json.add("preset", preset.description) }
        if let mergedInto { json.add("mergedInto", mergedInto.requestID) }
        if !merges.isEmpty { json.addArray("merges", of: merges.map(\.requestID)) }
        if !event.metadata.isEmpty { json.add("metadata", event.metadata) }
    }

    private func writeEnd(to json: inout JSONWriter) {
        if state == .undone { json.add("erased", !isBeingErased) }
        if let arrival {
            json.add("how", arrival.how.rawValue)
            if let datapoint = arrival.datapoint { json.add("datapoint", datapoint) }
        }
        if case .refused(let status, let why)? = settlement {
            json.add("refusal") { refusal in
                refusal.add("status", Int64(status))
                refusal.add("why", why)
            }
        }
    }
}

extension JSONWriter {
    /// Adds which guard of which preset keeps a press from being sent.
    mutating func add(_ guardian: PresetGuard, of preset: PresetName?) {
        add("guard") { json in
            if let preset { json.add("preset", preset.description) }
            switch guardian {
            case .minimumInterval(let seconds): json.add("minimumInterval", seconds)
            case .oncePerDay: json.add("oncePerDay", true)
            }
        }
    }
}
