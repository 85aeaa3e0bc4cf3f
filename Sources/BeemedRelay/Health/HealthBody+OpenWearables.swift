import BeemedDomain
import RelayTrunk

/// Open Wearables (Garmin, Fitbit, Oura, ...): `{"type": "steps.created", "data": {...}}`
/// (docs.openwearables.io, "Outgoing Webhooks").
extension HealthBody {
    mutating func readOpenWearables(
        _ type: String, _ data: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        if type == "health_data.synced" { return try readRecords(data, source) }
        if let samples = data["samples"]?.elements {
            let series = data["series_type"]?.text ?? type
            for (index, element) in samples.enumerated() {
                let sample: HealthSample
                do throws(Unreadable) {
                    sample = try self.sample(element, of: series, source)
                } catch {
                    note(error, at: "data.samples[\(index)]")
                    continue
                }
                try add(sample)
            }
            return
        }
        switch type {
        case "workout.created", "activity.created": try readSession(data, as: "workouts", source)
        case "sleep.created": try readSession(data, as: "sleep", source)
        // Connections, meals and what later versions add: nothing that a rule could take.
        default: return
        }
    }

    private func sample(
        _ sample: JSONTree, of series: String, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        guard let value = sample["value"]?.decimal else {
            throw Unreadable("value", sample["value"], "write a number as in 8123 or 0.25")
        }
        let offset = sample["zone_offset"]?.text.flatMap(SampleTime.offset)
        let time = try source.time(of: sample, "timestamp", offset: offset)
        var isTotal = false
        if case .flag(true)? = sample["is_daily_total"] { isTotal = true }
        return HealthSample(
            metric: sample["type"]?.text ?? series,
            values: ["value": HealthSample.Value(value: value, unit: sample["unit"]?.text ?? "")],
            main: "value",
            span: SampleSpan(
                start: time.instant, end: time.instant, day: time.day, moment: time.moment),
            source: HealthBody.origin(sample["source"]),
            role: isTotal ? .dayOfSource : .sample)
    }

    private mutating func readSession(
        _ members: [String: JSONTree], as metric: String, _ source: Source
    ) throws(Fault) {
        let data = JSONTree.object(members)
        let offset = data["zone_offset"]?.text.flatMap(SampleTime.offset)
        let (start, end): (SampleTime, SampleTime)
        do throws(Unreadable) {
            start = try source.time(of: data, "start_time", offset: offset)
            end = try source.time(of: data, "end_time", offset: offset)
        } catch { return note(error, at: "data") }
        var values: [String: HealthSample.Value] = [:]
        for (field, unit) in HealthBody.sessionUnits {
            guard let value = data[field]?.decimal else { continue }
            values[field] = HealthSample.Value(value: value, unit: unit)
        }
        for stage in ["deep", "rem", "light", "awake"] {
            guard let minutes = data["stages"]?["\(stage)_minutes"]?.decimal else { continue }
            values[stage] = HealthSample.Value(value: minutes, unit: "min")
        }
        guard !values.isEmpty else {
            return note(
                Unreadable("duration_seconds", data["duration_seconds"], "write seconds"),
                at: "data")
        }
        let isSleep = metric == "sleep"
        let asleep = values["sleep_duration_seconds"] != nil
        try add(
            HealthSample(
                metric: metric, values: values,
                main: asleep ? "sleep_duration_seconds" : "duration_seconds",
                kind: data["type"]?.text,
                span: SampleSpan(
                    start: start.instant, end: end.instant, day: isSleep ? end.day : start.day,
                    moment: isSleep ? nil : start.moment),
                source: HealthBody.origin(data["source"]), isSession: true))
    }

    /// The units of a session's fields.
    private static let sessionUnits = [
        "duration_seconds": "s", "sleep_duration_seconds": "s", "calories_kcal": "kcal",
        "distance_meters": "m", "avg_heart_rate_bpm": "bpm", "max_heart_rate_bpm": "bpm",
        "elevation_gain_meters": "m", "efficiency_percent": "%",
    ]

    /// Provider and device in one text.
    private static func origin(_ source: JSONTree?) -> String {
        [source?["provider"]?.text, source?["device"]?.text].compactMap { $0 }
            .joined(separator: " ")
    }
}
