import BeemedDomain
import RelayTrunk

/// HC Webhook (Android Health Connect): one list for each type, at the top or, with its preset
/// `Open Wearables`, one list of records (mcnaveen/health-connect-webhook, `SyncManager.kt` and
/// `WebhookPayloadTransformer.kt`).
extension HealthBody {
    mutating func readHealthConnect(_ members: [String: JSONTree]) throws(Problem) {
        var isKnown = isTest || members["app_version"] != nil || members["appVersion"] != nil
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let list = value.elements, list.contains(where: { $0.members != nil }) else {
                continue
            }
            let found = records(list, at: name, members, of: name)
            samples += found
            // Records of a known metric of which none can be read are told one by one.
            if !found.isEmpty || HealthMetric.known(name) != nil { isKnown = true }
        }
        guard isKnown else { throw .unknownHealthBody }
    }

    /// - Parameter metric: nil where each record names its type.
    private mutating func records(
        _ list: [JSONTree], at position: String, _ members: [String: JSONTree],
        of metric: String? = nil
    ) -> [HealthSample] {
        let found = read(list, at: position) { (record) throws(Unreadable) in
            guard let metric = metric ?? record["type"]?.text, !metric.isEmpty else {
                throw Unreadable("it is not a record with a type")
            }
            var sample = try record.sample(of: metric, .record)
            guard sample.role != .session else { return sample }
            // An app's sum since midnight is the total of a day, which cannot be split at a goal's
            // deadline. Buckets of minutes are an hour long at most.
            let isSum = sample.source.isEmpty && sample.second == 0
            if isSum, sample.end - sample.start > 3_600 { sample.moment = nil }
            // The next day's total covers its time.
            if sample.second > 0 {
                sample.end = min(sample.end, sample.start - sample.second + 86_400)
            }
            return sample
        }
        let version = (members["app_version"] ?? members["appVersion"])?.text ?? ""
        let numbers = version.prefix(20).split(separator: ".").map { Int($0) ?? 0 }
        let cutsDays = !numbers.isEmpty && numbers.lexicographicallyPrecedes([1, 9, 20])
        return cutsDays ? HealthBody.markingCutDays(found) : found
    }

    /// An older app calls the oldest bucket of a day a whole one, although it begins at the hour of
    /// the sync two days later (mcnaveen/health-connect-webhook, issue 72; mended in 1.9.20).
    private static func markingCutDays(_ found: [HealthSample]) -> [HealthSample] {
        var samples = found
        let days = samples.indices.filter { index in
            let sample = samples[index]
            return sample.source.isEmpty && sample.role != .session
                && (23 * 3_600...25 * 3_600).contains(sample.end - sample.start)
        }
        let oldest = Dictionary(days.map { (samples[$0].metric, $0) }) {
            samples[$1].start < samples[$0].start ? $1 : $0
        }
        for index in oldest.values { samples[index].role = .perhapsPart }
        return samples
    }
}

/// Open Wearables (Garmin, Fitbit, Oura, ...): `{"type": "steps.created", "data": {...}}`
/// (docs.openwearables.io, "Outgoing Webhooks").
extension HealthBody {
    mutating func readOpenWearables(_ type: String, _ data: [String: JSONTree]) {
        if type == "health_data.synced" {
            samples += records(data["records"]?.elements ?? [], at: "data.records", data)
        } else if let list = data["samples"]?.elements {
            let series = data["series_type"]?.text ?? type
            samples += read(list, at: "data.samples") { (record) throws(Unreadable) in
                var sample = try record.sample(
                    of: record["type"]?.text ?? series, .series, unit: record["unit"]?.text ?? "")
                if record["is_daily_total"] == .flag(true) { sample.makeTotal(.dayOfSource) }
                return sample
            }
        } else if let metric = HealthBody.sessions[type] {
            samples += read([.object(data)], at: "data", isAlone: true) {
                (record) throws(Unreadable) in
                try record.sample(of: metric, .session)
            }
        }
        // Connections, meals and what later versions add: nothing that a rule could take.
    }

    private static let sessions = [
        "workout.created": "workouts", "activity.created": "workouts", "sleep.created": "sleep",
    ]
}

/// Health Auto Export: `{"data": {"metrics": [...], "workouts": [...]}}`
/// (help.healthyapps.dev, "Health Metrics - JSON Export Format").
extension HealthBody {
    mutating func readAutoExport(_ data: [String: JSONTree]) throws(Problem) {
        // Symptoms, medications and the like come in lists of their own.
        guard data.values.contains(where: { $0.elements != nil }) else { throw .unknownHealthBody }
        for (index, metric) in (data["metrics"]?.elements ?? []).enumerated() {
            readMetric(metric, at: "data.metrics[\(index)]")
        }
        samples += read(data["workouts"]?.elements ?? [], at: "data.workouts") {
            (record) throws(Unreadable) in
            try record.sample(of: "workouts", .workout)
        }
    }

    private mutating func readMetric(_ metric: JSONTree, at position: String) {
        guard let name = metric["name"]?.text, let list = metric["data"]?.elements else {
            return note(Unreadable("a metric needs a 'name' and a list 'data'"), at: position)
        }
        let unit = metric["units"]?.text ?? ""
        if HealthMetric.isSame(name, "sleep") {
            let unit = unit.isEmpty ? "hr" : unit
            samples += read(list, at: "\(position).data") { (record) throws(Unreadable) in
                record["start_date"] != nil && record["end_date"] != nil
                    ? try record.phase(of: name, unit) : try record.night(of: name, unit)
            }
        } else {
            samples += quantities(in: list, at: "\(position).data", name, unit)
        }
    }

    private mutating func quantities(
        in list: [JSONTree], at position: String, _ name: String, _ unit: String
    ) -> [HealthSample] {
        // The beginning of how the export is summarised; empty when not stated.
        let summary = String((source.summary ?? "").lowercased().prefix(2))
        // Of one item. A day of the clock's change has an hour more; the next day has samples of
        // its own.
        let seconds: Int64 = ["mi": 60, "ho": 3_600, "da": 25 * 3_600][summary] ?? 0
        var found = read(list, at: position) { (record) throws(Unreadable) in
            var sample = try record.sample(of: name, .quantity, unit: unit)
            sample.end = max(sample.end, sample.start + seconds)
            if summary == "da" { sample.moment = nil }
            return sample
        }
        guard summary.isEmpty || summary == "da" else { return found }
        // By day there is one item a day, at midnight. If there are several, each is the item of an
        // hour or a minute.
        let counts = Dictionary(found.map { ($0.day, 1) }, uniquingKeysWith: +)
        for index in found.indices where found[index].second == 0 && counts[found[index].day] == 1 {
            found[index].makeTotal(summary.isEmpty ? .perhapsDay : .day)
        }
        return found
    }
}

extension HealthRecord {
    /// A night that is summarised.
    fileprivate func night(of name: String, _ unit: String) throws(Unreadable) -> HealthSample {
        var sample = try sample(of: name, .night, unit: unit)
        if (sample.values["total_sleep"]?.value ?? 0) == 0 {
            sample.values["total_sleep"] = asleep(sample.values)
        }
        sample.main = "total_sleep"
        let start = sample.day.number * 86_400
        (sample.start, sample.end) = (start, start)
        sample.makeTotal(.day)
        return sample
    }

    /// Earlier versions, and sources without phases, give only the time asleep.
    private func asleep(_ values: [String: HealthSample.Value]) -> HealthSample.Value? {
        if let asleep = values["asleep"], asleep.value > 0 { return asleep }
        let phases = ["core", "deep", "rem"].compactMap { values[$0] }
        guard let first = phases.first else { return values["asleep"] }
        return HealthSample.Value(value: phases.reduce(0) { $0 + $1.value }, unit: first.unit)
    }

    /// A phase of a night. A phase that ends in the evening belongs to the next day of waking.
    fileprivate func phase(of name: String, _ unit: String) throws(Unreadable) -> HealthSample {
        var sample = try sample(of: name, .phase, unit: unit)
        let kind = sample.kind ?? "Asleep"
        let key = HealthMetric.key(kind)
        sample.kind = kind
        // `deep`, `rem`, `core`, `awake`, `in_bed` are fields of a summarised night.
        for field in ["total_sleep", key] { sample.values[field] = sample.value(of: nil) }
        sample.countsByDefault = key != "awake" && key != "in_bed"
        sample.moment = nil
        if let end = try time(HealthShape.phase.end) {
            sample.day = end.day.adding(days: end.second >= 18 * 3_600 ? 1 : 0)
        }
        return sample
    }
}
