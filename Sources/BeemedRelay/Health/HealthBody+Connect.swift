import BeemedDomain

/// HC Webhook (Android Health Connect): one list for each type, at the top or, with its preset
/// `Open Wearables`, one list of records (mcnaveen/health-connect-webhook, `SyncManager.kt` and
/// `WebhookPayloadTransformer.kt`).
extension HealthBody {
    mutating func readHealthConnect(
        _ members: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        var isKnown = members["app_version"] != nil || members["appVersion"] != nil
        if case .flag(true)? = members["test"] {
            recordTest()
            isKnown = true
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let list = value.elements, list.contains(where: { $0.members != nil }) else {
                continue
            }
            for record in list {
                if try readRecord(record, of: name, source) { isKnown = true }
            }
        }
        guard isKnown else { throw .unknownShape }
    }

    /// The records of the preset `Open Wearables`.
    mutating func readRecords(_ data: [String: JSONTree], _ source: Source) throws(Fault) {
        for record in data["records"]?.elements ?? [] {
            guard let type = record["type"]?.text else { continue }
            _ = try readRecord(record, of: type, source)
        }
    }

    /// - Returns: whether it is a record of health data.
    private mutating func readRecord(
        _ record: JSONTree, of type: String, _ source: Source
    ) throws(Fault) -> Bool {
        guard let members = record.members else { return false }
        var fields: [String: JSONTree] = [:]
        for (name, value) in members { fields[HealthMetric.key(name)] = value }
        func time(_ name: String) -> SampleTime? {
            fields[name]?.text.flatMap { SampleTime($0, source.calendar) }
        }
        let start = time("start_time") ?? time("time")
        let end = time("session_end_time") ?? time("end_time") ?? start
        guard let end else { return false }
        var values: [String: HealthSample.Value] = [:]
        addPhases(of: fields, to: &values)
        // The record's own fields last: a phase may have any name.
        for (name, value) in fields where values.count < HealthSample.mostFields {
            guard let number = value.amount else { continue }
            values[name] = HealthSample.Value(value: number, unit: HealthBody.unit(of: name))
        }
        // At most 1e15, unlike the sum of phases.
        let seconds = Int64(fields["duration_seconds"]?.amount ?? 0)
        let begin = start ?? end
        let isSleep = HealthMetric.isSame(type, "sleep")
        let main = HealthBody.mainFields.first { values[$0] != nil } ?? values.keys.min() ?? ""
        try add(
            HealthSample(
                metric: type, values: values, main: main,
                kind: fields["title"]?.text ?? (isSleep ? nil : record["type"]?.text),
                span: SampleSpan(
                    start: start == nil ? end.instant - seconds : begin.instant, end: end.instant,
                    day: isSleep ? end.day : begin.day),
                source: fields["metadata"]?.dataOrigin ?? "", isSession: isSleep))
        return true
    }

    /// The phases of a sleep session as fields.
    private func addPhases(
        of fields: [String: JSONTree], to values: inout [String: HealthSample.Value]
    ) {
        for stage in fields["stages"]?.elements ?? [] {
            let seconds = stage["duration_seconds"] ?? stage["durationSeconds"]
            guard let name = stage["stage"]?.text, let seconds = seconds?.amount else { continue }
            let key = HealthMetric.key(name)
            let before = values[key]?.value ?? 0
            guard before > 0 || values.count < HealthBody.mostPhases else { continue }
            values[key] = HealthSample.Value(value: before + seconds, unit: "s")
        }
    }

    /// The greatest number of phases of a sleep session that are kept; Health Connect knows eight.
    private static let mostPhases = 16

    /// The field that counts, if a record has several.
    private static let mainFields = [
        "count", "meters", "calories", "kilograms", "liters", "bpm", "avg", "rmssd_millis",
        "percentage", "celsius", "delta_celsius", "mmol_per_liter", "ml_per_kg_per_min", "systolic",
        "duration_seconds", "rate", "watts", "value",
    ]

    /// The unit that a field's name tells.
    private static func unit(of field: String) -> String {
        switch field {
        case "count", "steps": return "count"
        case "calories": return "kcal"
        case "kilograms": return "kg"
        case "liters": return "L"
        case "percentage": return "%"
        case "celsius", "delta_celsius", "baseline_celsius": return "°C"
        case "mmol_per_liter": return "mmol/L"
        case "ml_per_kg_per_min": return "ml/kg/min"
        case "systolic", "diastolic": return "mmHg"
        case "rmssd_millis": return "ms"
        case "bpm", "rate": return "bpm"
        default: break
        }
        for (ending, unit) in [
            ("meters", "m"), ("_seconds", "s"), ("_grams", "g"), ("_minutes", "min"),
            ("_hours", "h"), ("_kcal", "kcal"), ("_bpm", "bpm"),
        ] where field.hasSuffix(ending) { return unit }
        return ""
    }
}

extension JSONTree {
    /// The app from which Health Connect has a record.
    fileprivate var dataOrigin: String? { (self["data_origin"] ?? self["dataOrigin"])?.text }
}
