import BeemedDomain

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
        for metric in metrics ?? [] { try readMetric(metric, source) }
        for workout in workouts ?? [] { try readWorkout(workout, source) }
    }

    private mutating func readMetric(_ metric: JSONTree, _ source: Source) throws(Fault) {
        guard let name = metric["name"]?.text, let list = metric["data"]?.elements else {
            throw .unknownShape
        }
        let unit = metric["units"]?.text ?? ""
        let isSleep = HealthMetric.isSame(name, "sleep")
        var read: [HealthSample] = []
        for element in list {
            let sample =
                isSleep
                ? sleep(element, name, unit, source) : quantity(element, name, unit, source)
            if let sample { read.append(sample) }
        }
        if !isSleep { markTotals(&read, source.summary) }
        for sample in read { try add(sample) }
    }

    private func quantity(
        _ element: JSONTree, _ name: String, _ unit: String, _ source: Source
    ) -> HealthSample? {
        guard let text = element["date"]?.text, let time = SampleTime(text, source.calendar),
            let members = element.members
        else { return nil }
        let values = values(of: members, in: unit)
        let main = ["qty", "Avg", "systolic"].first { values[$0] != nil } ?? values.keys.min()
        let end = element["end"]?.text.flatMap { SampleTime($0, source.calendar) }
        return HealthSample(
            metric: name, values: values, main: main ?? "qty",
            kind: element["value"]?.text,
            span: SampleSpan(start: time.instant, end: end?.instant ?? time.instant, day: time.day),
            source: element["source"]?.text ?? "",
            role: time.isDay || time.second == 0 ? .day : .sample,
            grouping: source.summary?.lowercased() ?? "")
    }

    private func values(
        of members: [String: JSONTree], in unit: String
    ) -> [String: HealthSample.Value] {
        var values: [String: HealthSample.Value] = [:]
        for (field, value) in members.prefix(HealthSample.mostFields) {
            values[field] = value.amount.map { HealthSample.Value(value: $0, unit: unit) }
        }
        return values
    }

    /// Summarised by day there is one item a day, at midnight. One of many is the item of an hour
    /// or a minute; so is a single one when the sender says that it summarises otherwise.
    private func markTotals(_ samples: inout [HealthSample], _ summary: String?) {
        let summary = summary?.lowercased() ?? ""
        var counts: [Daystamp: Int] = [:]
        for sample in samples { counts[sample.span.day, default: 0] += 1 }
        for index in samples.indices where samples[index].role == .day {
            let isAlone = counts[samples[index].span.day] == 1
            let isDaily = summary.isEmpty ? isAlone : summary.hasPrefix("da")
            if !isDaily || !isAlone { samples[index].role = .sample }
        }
    }

    // MARK: Sleep

    /// A night that is summarised, or one phase of it.
    private func sleep(
        _ element: JSONTree, _ name: String, _ unit: String, _ source: Source
    ) -> HealthSample? {
        if let start = element["startDate"]?.text, let end = element["endDate"]?.text {
            return phase(element, name, unit, from: start, to: end, source)
        }
        let waking = element["sleepEnd"] ?? element["inBedEnd"] ?? element["date"]
        guard let text = waking?.text ?? element["date"]?.text,
            let time = SampleTime(text, source.calendar), let members = element.members
        else { return nil }
        var values = values(of: members, in: unit.isEmpty ? "hr" : unit)
        if (values["totalSleep"]?.value ?? 0) == 0 { values["totalSleep"] = asleep(values) }
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
        _ element: JSONTree, _ name: String, _ unit: String, from start: String, to end: String,
        _ source: Source
    ) -> HealthSample? {
        guard let begin = SampleTime(start, source.calendar),
            let finish = SampleTime(end, source.calendar), let hours = element["qty"]?.decimal
        else { return nil }
        let kind = element["value"]?.text ?? "Asleep"
        let key = HealthMetric.key(kind)
        let value = HealthSample.Value(value: hours, unit: unit.isEmpty ? "hr" : unit)
        // `deep`, `rem`, `core`, `awake`, `in_bed` are fields of a summarised night.
        return HealthSample(
            metric: name, values: ["totalSleep": value, key: value], main: "totalSleep",
            kind: kind, countsUnasked: key != "awake" && key != "in_bed",
            span: SampleSpan(
                start: begin.instant, end: finish.instant, day: finish.wakingDay),
            source: element["source"]?.text ?? "")
    }

    // MARK: Workouts

    private mutating func readWorkout(_ workout: JSONTree, _ source: Source) throws(Fault) {
        guard let start = workout["start"]?.text, let begin = SampleTime(start, source.calendar)
        else { return }
        let finish = workout["end"]?.text.flatMap { SampleTime($0, source.calendar) } ?? begin
        var values: [String: HealthSample.Value] = [:]
        let seconds = workout["duration"]?.decimal ?? Double(finish.instant - begin.instant)
        values["duration"] = HealthSample.Value(value: seconds, unit: "s")
        for (field, value) in workout.members ?? [:] where values.count < HealthSample.mostFields {
            guard let quantity = value["qty"]?.decimal else { continue }
            values[field] = HealthSample.Value(
                value: quantity, unit: value["units"]?.text ?? "")
        }
        try add(
            HealthSample(
                metric: "workouts", values: values, main: "duration", kind: workout["name"]?.text,
                span: SampleSpan(
                    start: begin.instant, end: finish.instant, day: begin.day),
                source: workout["source"]?.text ?? ""))
    }
}

extension SampleTime {
    /// The day of waking of a phase of sleep that ends then: what ends in the evening belongs to
    /// the next day.
    var wakingDay: Daystamp { second >= 18 * 3_600 ? day.adding(days: 1) : day }
}
