import BeemedDomain
import RelayTrunk

/// Health Auto Export: `{"data": {"metrics": [...], "workouts": [...]}}`
/// (help.healthyapps.dev, "Health Metrics - JSON Export Format").
extension HealthBody {
    mutating func readAutoExport(_ data: [String: JSONTree]) throws(Fault) {
        // Symptoms, medications and the like come in lists of their own.
        guard data.values.contains(where: { $0.elements != nil }) else { throw .unknownShape }
        for (index, metric) in (data["metrics"]?.elements ?? []).enumerated() {
            try readMetric(metric, at: "data.metrics[\(index)]")
        }
        let calendar = source.calendar
        try parse(data["workouts"]?.elements ?? [], at: { "data.workouts[\($0)]" }) {
            (record) throws(Unreadable) in
            try record.sample(of: "workouts", .workout, calendar)
        }
    }

    private mutating func readMetric(_ metric: JSONTree, at position: String) throws(Fault) {
        guard let name = metric["name"]?.text, let list = metric["data"]?.elements else {
            return note(Unreadable("a metric needs a 'name' and a list 'data'"), at: position)
        }
        let unit = metric["units"]?.text ?? ""
        let source = source
        let label = { (index: Int) in "\(position).data[\(index)]" }
        if HealthMetric.isSame(name, "sleep") {
            let unit = unit.isEmpty ? "hr" : unit
            try parse(list, at: label) { (record) throws(Unreadable) in
                record["start_date"] != nil && record["end_date"] != nil
                    ? try source.phase(record, name, unit) : try source.night(record, name, unit)
            }
        } else {
            try parse(
                list, at: label,
                { (record) throws(Unreadable) in try source.quantity(record, name, unit) },
                changing: source.markTotals)
        }
    }
}

extension HealthBody.Source {
    fileprivate func quantity(
        _ record: HealthRecord, _ name: String, _ unit: String
    ) throws(Unreadable) -> HealthSample {
        var sample = try record.sample(of: name, .quantity, unit: unit, calendar)
        sample.span.end = max(sample.span.end, sample.span.start + seconds)
        if summarized == "da" { sample.span.moment = nil }
        return sample
    }

    /// The beginning of how the export is summarised; empty when not stated.
    private var summarized: String { String((summary ?? "").lowercased().prefix(2)) }

    /// The seconds of one item of an export that is summarised like that; 0 for a moment.
    private var seconds: Int64 {
        switch summarized {
        case "mi": 60
        case "ho": 3_600
        // A day of the clock's change has an hour more; the next day has samples of its own.
        case "da": 25 * 3_600
        default: 0
        }
    }

    /// Summarised by day there is one item a day, at midnight. If there are several, each is the
    /// item of an hour or a minute; so is a single one when the sender names another summary.
    fileprivate func markTotals(_ samples: inout [HealthSample]) {
        guard summarized.isEmpty || summarized == "da" else { return }
        let midnights = samples.indices.filter { samples[$0].span.second == 0 }
        let counts = Dictionary(samples.map { ($0.span.day, 1) }, uniquingKeysWith: +)
        for index in midnights where counts[samples[index].span.day] == 1 {
            samples[index].role = summarized.isEmpty ? .perhapsDay : .day
        }
    }

    // MARK: Sleep

    /// A night that is summarised.
    fileprivate func night(
        _ record: HealthRecord, _ name: String, _ unit: String
    ) throws(Unreadable) -> HealthSample {
        var sample = try record.sample(of: name, .night, unit: unit, calendar)
        if (sample.values["total_sleep"]?.value ?? 0) == 0 {
            sample.values["total_sleep"] = asleep(sample.values)
        }
        sample.main = "total_sleep"
        sample.span = SampleSpan(of: sample.span.day)
        sample.role = .day
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
    fileprivate func phase(
        _ record: HealthRecord, _ name: String, _ unit: String
    ) throws(Unreadable) -> HealthSample {
        var sample = try record.sample(of: name, .phase, unit: unit, calendar)
        let kind = sample.kind ?? "Asleep"
        let key = HealthMetric.key(kind)
        sample.kind = kind
        // `deep`, `rem`, `core`, `awake`, `in_bed` are fields of a summarised night.
        for field in ["total_sleep", key] { sample.values[field] = sample.value(of: nil) }
        sample.countsByDefault = key != "awake" && key != "in_bed"
        sample.span.moment = nil
        if let end = try record.time(HealthShape.phase.end, calendar) {
            sample.span.day = end.day.adding(days: end.second >= 18 * 3_600 ? 1 : 0)
        }
        return sample
    }
}
