import BeemedDomain
import RelayTrunk

/// Open Wearables (Garmin, Fitbit, Oura, ...): `{"type": "steps.created", "data": {...}}`
/// (docs.openwearables.io, "Outgoing Webhooks").
extension HealthBody {
    mutating func readOpenWearables(_ type: String, _ data: [String: JSONTree]) throws(Fault) {
        let calendar = source.calendar
        if type == "health_data.synced" {
            let records = data["records"]?.elements ?? []
            try readRecords(records, at: "data.records", of: data) { $0["type"]?.text }
        } else if let samples = data["samples"]?.elements {
            let series = data["series_type"]?.text ?? type
            try parse(samples, at: { "data.samples[\($0)]" }) { (record) throws(Unreadable) in
                var sample = try record.sample(
                    of: record["type"]?.text ?? series, .series, unit: record["unit"]?.text ?? "",
                    calendar)
                if record["is_daily_total"] == .flag(true) { sample.role = .dayOfSource }
                return sample
            }
        } else if let metric = HealthBody.sessions[type] {
            try parse([.object(data)], at: { _ in "data" }) { (record) throws(Unreadable) in
                try record.sample(of: metric, .session, calendar)
            }
        }
        // Connections, meals and what later versions add: nothing that a rule could take.
    }

    private static let sessions = [
        "workout.created": "workouts", "activity.created": "workouts", "sleep.created": "sleep",
    ]
}
