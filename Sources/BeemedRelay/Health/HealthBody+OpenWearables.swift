import BeemedDomain

/// Open Wearables (Garmin, Fitbit, Oura, ...): `{"type": "steps.created", "data": {...}}`
/// (docs.openwearables.io, "Outgoing Webhooks").
extension HealthBody {
    mutating func readOpenWearables(
        _ type: String, _ data: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        if type == "health_data.synced" { return try readRecords(data, source) }
        if let samples = data["samples"]?.elements {
            let series = data["series_type"]?.text ?? type
            for sample in samples { try readSample(sample, of: series, source) }
            return
        }
        switch type {
        case "workout.created", "activity.created": try readSession(data, as: "workouts", source)
        case "sleep.created": try readSession(data, as: "sleep", source)
        // Connections, meals and what later versions add: nothing that a rule could take.
        default: return
        }
    }

    private mutating func readSample(
        _ sample: JSONTree, of series: String, _ source: Source
    ) throws(Fault) {
        guard let text = sample["timestamp"]?.text, let value = sample["value"]?.decimal else {
            return
        }
        let offset = sample["zone_offset"]?.text.flatMap(SampleTime.offset)
        guard let time = SampleTime(text, source.calendar, offset: offset) else { return }
        var isTotal = false
        if case .flag(true)? = sample["is_daily_total"] { isTotal = true }
        try add(
            HealthSample(
                metric: sample["type"]?.text ?? series,
                values: [
                    "value": HealthSample.Value(value: value, unit: sample["unit"]?.text ?? "")
                ],
                main: "value",
                span: SampleSpan(start: time.instant, end: time.instant, day: time.day),
                source: HealthBody.origin(sample["source"]),
                role: isTotal ? .dayOfSource : .sample))
    }

    private mutating func readSession(
        _ data: [String: JSONTree], as metric: String, _ source: Source
    ) throws(Fault) {
        let offset = data["zone_offset"]?.text.flatMap(SampleTime.offset)
        guard
            let start = data["start_time"]?.text.flatMap({
                SampleTime($0, source.calendar, offset: offset)
            }),
            let end = data["end_time"]?.text.flatMap({
                SampleTime($0, source.calendar, offset: offset)
            })
        else { throw .unknownShape }
        let units = [
            "duration_seconds": "s", "sleep_duration_seconds": "s", "calories_kcal": "kcal",
            "distance_meters": "m", "avg_heart_rate_bpm": "bpm", "max_heart_rate_bpm": "bpm",
            "elevation_gain_meters": "m", "efficiency_percent": "%",
        ]
        var values: [String: HealthSample.Value] = [:]
        for (field, unit) in units {
            guard let value = data[field]?.decimal else { continue }
            values[field] = HealthSample.Value(value: value, unit: unit)
        }
        for stage in ["deep", "rem", "light", "awake"] {
            guard let minutes = data["stages"]?["\(stage)_minutes"]?.decimal else { continue }
            values[stage] = HealthSample.Value(value: minutes, unit: "min")
        }
        let isSleep = metric == "sleep"
        let asleep = values["sleep_duration_seconds"] != nil
        try add(
            HealthSample(
                metric: metric, values: values,
                main: asleep ? "sleep_duration_seconds" : "duration_seconds",
                kind: data["type"]?.text,
                span: SampleSpan(
                    start: start.instant, end: end.instant, day: isSleep ? end.day : start.day),
                source: HealthBody.origin(data["source"]), isSession: isSleep))
    }

    /// Provider and device in one text.
    private static func origin(_ source: JSONTree?) -> String {
        [source?["provider"]?.text, source?["device"]?.text].compactMap { $0 }
            .joined(separator: " ")
    }
}
