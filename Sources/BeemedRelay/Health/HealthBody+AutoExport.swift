import BeemedDomain
import RelayTrunk

/// Health Auto Export: `{"data": {"metrics": [...], "workouts": [...]}}`
/// (help.healthyapps.dev, "Health Metrics - JSON Export Format").
extension HealthBody {
    mutating func readAutoExport(
        _ data: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        let metrics = data["metrics"]?.elements
        let workouts = data["workouts"]?.elements
        // Symptoms, medications and the like come in lists of their own.
        let hasLists = data.values.contains { $0.elements != nil }
        guard hasLists else { throw .unknownShape }
        for (index, metric) in (metrics ?? []).enumerated() {
            try readMetric(metric, at: "data.metrics[\(index)]", source)
        }
        for (index, workout) in (workouts ?? []).enumerated() {
            let sample: HealthSample
            do throws(Unreadable) {
                sample = try self.workout(workout, source)
            } catch {
                note(error, at: "data.workouts[\(index)]")
                continue
            }
            try add(sample)
        }
    }

    private mutating func readMetric(
        _ metric: JSONTree, at position: String, _ source: Source
    ) throws(Fault) {
        guard let name = metric["name"]?.text, let list = metric["data"]?.elements else {
            return note(Unreadable("a metric needs a 'name' and a list 'data'"), at: position)
        }
        let unit = metric["units"]?.text ?? ""
        let isSleep = HealthMetric.isSame(name, "sleep")
        var read: [HealthSample] = []
        for (index, element) in list.enumerated() {
            do throws(Unreadable) {
                read.append(
                    isSleep
                        ? try sleep(element, name, unit, source)
                        : try quantity(element, name, unit, source))
            } catch {
                note(error, at: "\(position).data[\(index)]")
            }
        }
        if !isSleep { markTotals(&read, source.summary) }
        for sample in read { try add(sample) }
    }

    private func quantity(
        _ element: JSONTree, _ name: String, _ unit: String, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        let time = try source.time(of: element, "date")
        let members = element.members ?? [:]
        let values = values(of: members, in: unit)
        let main = ["qty", "Avg", "systolic"].first { values[$0] != nil } ?? values.keys.min()
        let isQuantityLost = values["qty"] == nil && (members["qty"] ?? .null) != .null
        guard let main, !isQuantityLost else {
            throw Unreadable("qty", members["qty"], "write a number as in 8123 or 0.25")
        }
        let seconds = HealthBody.seconds(of: source.summary)
        let end = try source.time(of: element, "end", or: time)
        let isDaily = seconds >= HealthBody.daySeconds
        return HealthSample(
            metric: name, values: values, main: main, kind: element["value"]?.text,
            span: SampleSpan(
                start: time.instant, end: max(end.instant, time.instant + seconds), day: time.day,
                moment: isDaily ? nil : time.moment),
            source: element["source"]?.text ?? "",
            role: time.isDay || time.second == 0 ? .day : .sample)
    }

    /// A day of the clock's change has an hour more; the next day has samples of its own.
    private static let daySeconds: Int64 = 25 * 3_600

    /// The seconds of one item of an export that is summarised like that; 0 for a moment.
    private static func seconds(of summary: String?) -> Int64 {
        switch summary?.lowercased().prefix(2) {
        case "mi": 60
        case "ho": 3_600
        case "da": daySeconds
        default: 0
        }
    }

    private func values(
        of members: [String: JSONTree], in unit: String
    ) -> [String: HealthSample.Value] {
        var values: [String: HealthSample.Value] = [:]
        for (field, value) in members.prefix(HealthSample.maxFields)
        where !HealthBody.texts.contains(field) {
            values[field] = value.decimal.map { HealthSample.Value(value: $0, unit: unit) }
        }
        return values
    }

    /// The members that are no numbers, whatever they look like.
    private static let texts: Set = [
        "date", "end", "source", "value", "startDate", "endDate", "sleepStart", "sleepEnd",
        "inBedStart", "inBedEnd",
    ]

    /// Summarised by day there is one item a day, at midnight. One of many is the item of an hour
    /// or a minute; so is a single one when the sender says that it summarises otherwise.
    private func markTotals(_ samples: inout [HealthSample], _ summary: String?) {
        let summary = summary?.lowercased() ?? ""
        var counts: [Daystamp: Int] = [:]
        for sample in samples { counts[sample.span.day, default: 0] += 1 }
        for index in samples.indices where samples[index].role == .day {
            let isAlone = counts[samples[index].span.day] == 1
            let isDaily = summary.isEmpty || summary.hasPrefix("da")
            if !isDaily || !isAlone {
                samples[index].role = .sample
            } else if summary.isEmpty {
                samples[index].role = .perhapsDay
            }
        }
    }

    // MARK: Sleep

    /// A night that is summarised, or one phase of it.
    private func sleep(
        _ element: JSONTree, _ name: String, _ unit: String, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        if element["startDate"] != nil, element["endDate"] != nil {
            return try phase(element, name, unit, source)
        }
        let waking = ["sleepEnd", "inBedEnd"].first { element[$0]?.text != nil } ?? "date"
        let time = try source.time(of: element, waking)
        var values = values(of: element.members ?? [:], in: unit.isEmpty ? "hr" : unit)
        if (values["totalSleep"]?.value ?? 0) == 0 { values["totalSleep"] = asleep(values) }
        guard !values.isEmpty else {
            throw Unreadable("totalSleep", element["totalSleep"], "write hours as in 7.25")
        }
        let day = SampleSpan(
            start: time.day.number * 86_400, end: time.day.number * 86_400, day: time.day)
        return HealthSample(
            metric: name, values: values, main: "totalSleep", span: day,
            source: element["source"]?.text ?? "", role: .day)
    }

    /// Earlier versions, and sources without phases, give only the time asleep.
    private func asleep(_ values: [String: HealthSample.Value]) -> HealthSample.Value? {
        if let asleep = values["asleep"], asleep.value > 0 { return asleep }
        let phases = ["core", "deep", "rem"].compactMap { values[$0] }
        guard let first = phases.first else { return values["asleep"] }
        return HealthSample.Value(value: phases.reduce(0) { $0 + $1.value }, unit: first.unit)
    }

    private func phase(
        _ element: JSONTree, _ name: String, _ unit: String, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        let begin = try source.time(of: element, "startDate")
        let finish = try source.time(of: element, "endDate")
        guard let hours = element["qty"]?.decimal else {
            throw Unreadable("qty", element["qty"], "write hours as in 7.25")
        }
        let kind = element["value"]?.text ?? "Asleep"
        let key = HealthMetric.key(kind)
        let value = HealthSample.Value(value: hours, unit: unit.isEmpty ? "hr" : unit)
        // `deep`, `rem`, `core`, `awake`, `in_bed` are fields of a summarised night.
        return HealthSample(
            metric: name, values: ["totalSleep": value, key: value], main: "totalSleep",
            kind: kind, countsByDefault: key != "awake" && key != "in_bed",
            span: SampleSpan(
                start: begin.instant, end: finish.instant, day: finish.wakingDay),
            source: element["source"]?.text ?? "")
    }

    // MARK: Workouts

    private func workout(
        _ workout: JSONTree, _ source: Source
    ) throws(Unreadable) -> HealthSample {
        let begin = try source.time(of: workout, "start")
        let finish = try source.time(of: workout, "end", or: begin)
        var values: [String: HealthSample.Value] = [:]
        let seconds = workout["duration"]?.decimal ?? Double(finish.instant - begin.instant)
        values["duration"] = HealthSample.Value(value: seconds, unit: "s")
        for (field, value) in workout.members ?? [:] where values.count < HealthSample.maxFields {
            guard let quantity = value["qty"]?.decimal else { continue }
            values[field] = HealthSample.Value(
                value: quantity, unit: value["units"]?.text ?? "")
        }
        return HealthSample(
            metric: "workouts", values: values, main: "duration", kind: workout["name"]?.text,
            span: SampleSpan(
                start: begin.instant, end: finish.instant, day: begin.day, moment: begin.moment),
            source: workout["source"]?.text ?? "", isSession: true)
    }
}

extension SampleTime {
    /// The day of waking of a phase of sleep that ends then: what ends in the evening belongs to
    /// the next day.
    var wakingDay: Daystamp { second >= 18 * 3_600 ? day.adding(days: 1) : day }
}
