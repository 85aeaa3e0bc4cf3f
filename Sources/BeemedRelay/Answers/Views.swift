import BeemedDomain
import RelayHTTP

extension EventView {
    /// The event as `GET /events/{id}` shows it.
    var json: [UInt8] {
        JSONWriter.object { json in
            json.add("id", event.key.id.description)
            json.add("device", event.key.device.description)
            json.add("goal", event.goal.description)
            json.add("value", event.value)
            json.add("comment", event.comment)
            json.add("timestamp", event.at.seconds)
            json.add("timeFrom", event.timeSource.rawValue)
            json.add("received", event.arrival.wall.seconds)
            json.add("requestid", event.key.requestID)
            json.add("state", state.rawValue)
            json.add("attempts", Int64(attempts))
            if let lastError { json.add("lastError", lastError) }
            switch settlement {
            case .delivered(let how, let datapoint):
                json.add("how", how.rawValue)
                if let datapoint { json.add("datapoint", datapoint) }
            case .refused(let status, let why):
                json.add("refusal") { refusal in
                    refusal.add("status", Int64(status))
                    refusal.add("why", why)
                }
            case nil: break
            }
            if !event.metadata.isEmpty { json.add("metadata", event.metadata) }
        }
    }
}
