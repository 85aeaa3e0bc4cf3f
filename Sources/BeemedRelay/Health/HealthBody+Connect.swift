import BeemedDomain
import RelayTrunk

/// HC Webhook (Android Health Connect): one list for each type, at the top or, with its preset
/// `Open Wearables`, one list of records (mcnaveen/health-connect-webhook, `SyncManager.kt` and
/// `WebhookPayloadTransformer.kt`).
extension HealthBody {
    mutating func readHealthConnect(
        _ members: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        var isKnown = members["app_version"] != nil || members["appVersion"] != nil
        let isOld = HealthBody.cutsDays(members)
        if case .flag(true)? = members["test"] {
            recordTest()
            isKnown = true
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let list = value.elements, list.contains(where: { $0.members != nil }) else {
                continue
            }
            let records = list.enumerated().map { (type: name, $1, at: "\(name)[\($0)]") }
            let isRead = try readRecords(records, isOld: isOld, source)
            // Records of a known metric of which none can be read are told one by one.
            if isRead || HealthMetric.known(name) != nil { isKnown = true }
        }
        guard isKnown else { throw .unknownShape }
    }

    /// The records of the preset `Open Wearables`.
    mutating func readRecords(_ data: [String: JSONTree], _ source: Source) throws(Fault) {
        let records = (data["records"]?.elements ?? []).enumerated().map {
            (type: $1["type"]?.text ?? "", $1, at: "data.records[\($0)]")
        }
        _ = try readRecords(records, isOld: HealthBody.cutsDays(data), source)
    }

    /// - Returns: whether one of them is a record of health data.
    private mutating func readRecords(
        _ records: [(type: String, record: JSONTree, at: String)], isOld: Bool, _ source: Source
    ) throws(Fault) -> Bool {
        var read: [HealthSample] = []
        for (type, record, position) in records {
            do throws(Unreadable) {
                read.append(try sample(record, of: type, source))
            } catch {
                note(error, at: position)
            }
        }
        if isOld { HealthBody.markCutDays(&read) }
        for sample in read { try add(sample) }
        return !read.isEmpty
    }

    /// Whether the app calls the oldest bucket of a day a whole one, although it begins at the hour
    /// of the sync two days later (mcnaveen/health-connect-webhook, issue 72; mended in 1.9.20).
    private static func cutsDays(_ members: [String: JSONTree]) -> Bool {
        let text = members["app_version"]?.text ?? members["appVersion"]?.text
        guard let version = text?.prefix(20).split(separator: ".").map({ Int($0) ?? 0 }),
            !version.isEmpty
        else { return false }
        return version.lexicographicallyPrecedes([1, 9, 20])
    }

    private static func markCutDays(_ samples: inout [HealthSample]) {
        var oldest: [String: Int] = [:]
        for (index, sample) in samples.enumerated() where sample.isWholeDay {
            let known = oldest[sample.metric]
            if known.map({ sample.span.start < samples[$0].span.start }) ?? true {
                oldest[sample.metric] = index
            }
        }
        for index in oldest.values { samples[index].mayBePart = true }
    }

    private func sample(
        _ record: JSONTree, of type: String, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        guard let members = record.members, !type.isEmpty else {
            throw Unreadable("it is not a record with a type")
        }
        var fields: [String: JSONTree] = [:]
        for (name, value) in members { fields[HealthMetric.key(name)] = value }
        let span = try HealthBody.span(of: fields, source)
        let (start, end) = (span.start, span.end)
        let values = values(of: fields)
        guard !values.isEmpty else {
            let name = HealthBody.mainFields.first { fields[$0] != nil } ?? "count"
            throw Unreadable(name, fields[name], "write a number as in 8123 or 0.25")
        }
        let isSleep = HealthMetric.isSame(type, "sleep")
        let main = HealthBody.mainFields.first { values[$0] != nil } ?? values.keys.min() ?? ""
        // At most 1e15, unlike the sum of phases.
        let seconds = Int64(fields["duration_seconds"]?.decimal ?? 0)
        let kind = record["type"]?.text
        var sample = HealthSample(
            metric: type, values: values, main: main,
            kind: fields["title"]?.text ?? (isSleep || kind == type ? nil : kind),
            span: SampleSpan(
                start: start?.instant ?? end.instant - seconds, end: end.instant,
                day: isSleep ? end.day : (start ?? end).day),
            source: fields["metadata"]?.dataOrigin ?? "",
            isSession: isSleep || HealthMetric.isSame(type, "workouts"))
        if !isSleep, !sample.isDayUntilNow(from: start ?? end) {
            sample.span.moment = (start ?? end).moment
        }
        return sample
    }

    private static func span(
        of fields: [String: JSONTree], _ source: Source
    ) throws(Unreadable) -> (start: SampleTime?, end: SampleTime) {
        let record = JSONTree.object(fields)
        let first = fields["start_time"] == nil ? "time" : "start_time"
        let start = fields[first] == nil ? nil : try source.time(of: record, first)
        let last = fields["session_end_time"] == nil ? "end_time" : "session_end_time"
        return (start, try source.time(of: record, last, or: start))
    }

    private func values(of fields: [String: JSONTree]) -> [String: HealthSample.Value] {
        var values: [String: HealthSample.Value] = [:]
        addPhases(of: fields, to: &values)
        // The record's own fields last: a phase may have any name.
        for (name, value) in fields where values.count < HealthSample.maxFields {
            let isCounted = HealthBody.mainFields.contains(name)
            guard let number = isCounted ? value.decimal : value.amount else { continue }
            values[name] = HealthSample.Value(value: number, unit: HealthBody.unit(of: name))
        }
        return values
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
            guard before > 0 || values.count < HealthBody.maxPhases else { continue }
            values[key] = HealthSample.Value(value: before + seconds, unit: "s")
        }
    }

    /// The greatest number of phases of a sleep session that are kept; Health Connect knows eight.
    private static let maxPhases = 16

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

extension HealthSample {
    /// Whether it is what an app has summed up over a calendar day.
    fileprivate var isWholeDay: Bool {
        source.isEmpty && !isSession && (23 * 3_600...25 * 3_600).contains(span.end - span.start)
    }

    /// Whether it is what an app has summed up since midnight: the total of a day, which cannot be
    /// parted at a goal's deadline. Buckets of minutes are an hour long at most.
    fileprivate func isDayUntilNow(from start: SampleTime) -> Bool {
        source.isEmpty && !isSession && start.second == 0 && span.end - span.start > 3_600
    }
}
