import BeemedDomain
import RelayTrunk

/// A sender's names for the parts of a sample, in the form of `HealthMetric.key`. Of several names
/// the first that the record has counts.
struct HealthShape: Sendable {
    /// The time, or the begin.
    var begin: [String]
    var end: [String] = []
    /// Texts that tell samples of different kinds apart.
    var kind: [String] = []
    /// The values of which the first counts when a rule names none. They may be written as texts.
    var values: [String]
    /// Whether another value counts when there is none of these.
    var takesOthers = false
    /// Whether workouts are sessions here, and sleep, which is of the day of waking.
    var hasSessions = false

    /// Health Auto Export: a quantity, a night, a phase of one, a workout.
    static let quantity = HealthShape(
        begin: ["date"], end: ["end"], kind: ["value"],
        values: ["qty", "avg", "systolic", "diastolic", "min", "max"], takesOthers: true)
    static let night = HealthShape(
        begin: ["sleep_end", "in_bed_end", "date"],
        values: ["total_sleep", "asleep", "core", "deep", "rem", "awake", "in_bed"])
    static let phase = HealthShape(
        begin: ["start_date"], end: ["end_date"], kind: ["value"], values: ["qty"])
    static let workout = HealthShape(
        begin: ["start"], end: ["end"], kind: ["name"], values: ["duration", "duration_seconds"],
        hasSessions: true)
    /// HC Webhook.
    static let record = HealthShape(
        begin: ["start_time", "time"], end: ["session_end_time", "end_time"],
        kind: ["title", "type"], values: HealthUnit.fields.map(\.key), takesOthers: true,
        hasSessions: true)
    /// Open Wearables: a sample, and a night or a workout.
    static let series = HealthShape(begin: ["timestamp"], values: ["value"])
    static let session = HealthShape(
        begin: ["start_time"], end: ["end_time"], kind: ["type"],
        values: ["sleep_duration_seconds", "duration_seconds"], hasSessions: true)
    /// Shortcuts, Home Assistant, anything.
    static let plain = HealthShape(
        begin: ["start", "date"], end: ["end"], kind: ["kind"], values: ["value"])
}

/// An element of a body: its members by name, however their sender spells it. Null is no member.
struct HealthRecord {
    private var members: [String: (name: String, value: JSONTree)] = [:]
    /// The user's time zone.
    private let calendar: GoalCalendar

    init(_ element: JSONTree, _ calendar: GoalCalendar) {
        self.calendar = calendar
        for (name, value) in element.members ?? [:] where value != .null {
            members[HealthMetric.key(name).cut(to: HealthSample.maxLetters)] = (name, value)
        }
    }

    subscript(_ name: String) -> JSONTree? { members[name]?.value }

    func first(of names: [String]) -> String? { names.first { members[$0] != nil } }

    /// Its sample of a metric.
    ///
    /// - Parameters:
    ///   - unit: of its values; nil when their names tell it.
    ///   - usual: the time of a record without one; nil when there must be one.
    func sample(
        of metric: String, _ shape: HealthShape, unit: String? = nil, usual: SampleTime? = nil
    ) throws(Unreadable) -> HealthSample {
        let begin = try time(shape.begin)
        let end = try time(shape.end)
        guard let first = begin ?? end ?? usual else {
            throw unreadable(shape.begin[0], Unreadable.time)
        }
        let last = end ?? first
        let metric = metric.cut(to: HealthSample.maxLetters)
        let identity = shape.hasSessions ? HealthMetric.identity(of: metric) : nil
        let isSleep = identity == "sleep"
        // Without it the day of waking would be guessed.
        if isSleep, end == nil { throw unreadable(shape.end[0], Unreadable.time) }
        let isSession = isSleep || identity == "workouts"
        var values = values(shape, unit)
        if isSession, !isSleep, begin != nil, self.first(of: shape.values) == nil {
            let seconds = Double(last.instant - first.instant)
            values["duration_seconds"] = HealthSample.Value(value: seconds, unit: "s")
        }
        // At most 1e15, unlike the sum of phases.
        let seconds = Int64(self["duration_seconds"]?.decimal ?? 0)
        return HealthSample(
            metric: metric, values: values, main: try main(of: values, shape),
            kind: kind(shape, of: metric),
            start: begin?.instant ?? last.instant - seconds, end: last.instant,
            day: isSleep ? last.day : first.day, moment: isSleep ? nil : first.moment,
            second: first.second,
            source: source.cut(to: HealthSample.maxLettersOfSource),
            role: isSession ? .session : .sample)
    }

    private func kind(_ shape: HealthShape, of metric: String) -> String? {
        let kind = shape.kind.lazy.compactMap { self[$0]?.text }.first
        return kind == metric ? nil : kind?.cut(to: HealthSample.maxLettersOfSource)
    }

    /// The value that counts when a rule names none.
    private func main(
        of values: [String: HealthSample.Value], _ shape: HealthShape
    ) throws(Unreadable) -> String {
        if let main = shape.values.first(where: { values[$0] != nil }) { return main }
        let bad = first(of: shape.values)
        if bad == nil, shape.takesOthers, let other = values.keys.min() { return other }
        throw unreadable(bad ?? shape.values[0], "write a number as in 8123 or 0.25")
    }

    private func values(_ shape: HealthShape, _ unit: String?) -> [String: HealthSample.Value] {
        // The record's own members last: a phase may have any name.
        var values = phases
        for (name, (_, value)) in members {
            let isNamed = shape.values.contains(name)
            let usual = HealthUnit.usual(of: name)
            if let quantity = value["qty"]?.decimal {
                values[name] = HealthSample.Value(
                    value: quantity, unit: value["units"]?.text ?? "")
            } else if let number = isNamed || !usual.isEmpty ? value.decimal : value.amount {
                values[name] = HealthSample.Value(value: number, unit: unit ?? usual)
            }
        }
        return values
    }

    /// The phases of a night: a list of them, or their minutes.
    private var phases: [String: HealthSample.Value] {
        var phases: [String: HealthSample.Value] = [:]
        for stage in (self["stages"]?.elements ?? []).lazy.map({ HealthRecord($0, calendar) }) {
            guard let name = stage["stage"]?.text,
                let seconds = stage["duration_seconds"]?.amount
            else { continue }
            let key = HealthMetric.key(name)
            let before = phases[key]?.value ?? 0
            phases[key] = HealthSample.Value(value: before + seconds, unit: "s")
        }
        for phase in ["deep", "rem", "light", "awake"] {
            guard let minutes = self["stages"]?["\(phase)_minutes"]?.decimal else { continue }
            phases[phase] = HealthSample.Value(value: minutes, unit: "min")
        }
        return phases
    }

    /// The device or app that measured it.
    private var source: String {
        if let text = self["source"]?.text { return text }
        if let metadata = self["metadata"] {
            return HealthRecord(metadata, calendar)["data_origin"]?.text ?? ""
        }
        return [self["source"]?["provider"]?.text, self["source"]?["device"]?.text]
            .compactMap(\.self).joined(separator: " ")
    }

    /// The time in the first of these members; nil without one.
    func time(_ names: [String]) throws(Unreadable) -> SampleTime? {
        guard let name = first(of: names) else { return nil }
        // Written apart from the moment, as in `+01:00` or `-0500`.
        let offset = self["zone_offset"]?.text
            .flatMap { WrittenDate.Clock("00:00\($0.inPlainDigits.trimmed)")?.offset }
        guard let text = self[name]?.text, let time = SampleTime(text, calendar, offset: offset)
        else { throw unreadable(name, Unreadable.time) }
        return time
    }

    /// A time under a name that is not read, beside no other: without it the day would be today's.
    var otherTime: Unreadable? {
        let names = members.keys.sorted().filter { !HealthRecord.plainNames.contains($0) }
        let found = names.first { name in
            let value = self[name]
            let text = value?.text ?? ""
            return HealthRecord.timeNames.contains(name) || (value?.number ?? 0) >= 1e9
                || SampleTime(text, calendar) != nil || Daystamp(text) != nil
        }
        guard let found, let name = members[found]?.name else { return nil }
        return Unreadable(
            "'\(name.cut(to: 40))' is not read: send the day as 'date', as in 2026-11-22, or the "
                + "time as 'start'")
    }

    /// The members of a plain record.
    private static let plainNames: Set = [
        "metric", "value", "unit", "source", "kind", "end", "zone_offset",
    ]
    /// Names of a time, in whatever form that is written.
    private static let timeNames: Set = [
        "age", "at", "created_at", "dat", "datetime", "day", "daystamp", "days", "start_date",
        "start_time", "time", "timestamp", "ts", "when",
    ]

    /// A member that is not as it should be; by this a person finds it.
    private func unreadable(_ name: String, _ wanted: String) -> Unreadable {
        let (name, value) = members[name].map { ($0.name.cut(to: 40), $0.value) } ?? (name, .null)
        let shown = value.text.map { " is '\($0.cut(to: 40))', which" }
        let number = value.number.map { " is \($0), which" }
        let said =
            value == .null
            ? "'\(name)' is missing" : "'\(name)'\(shown ?? number ?? "") is not valid"
        return Unreadable("\(said): \(wanted)")
    }
}

/// An element of a body that cannot be read, for a person.
struct Unreadable: Error, Codable, Sendable, Equatable {
    /// The position in the body, as in `data.metrics[0].data[3]`.
    var position = ""
    let reason: String

    /// Says how to write a time.
    static let time = "write a time as in 2026-11-22T14:30:00+01:00"

    init(_ reason: String) { self.reason = reason }

    func write(to json: inout JSONWriter) {
        json.add("position", position)
        json.add("reason", reason)
    }
}

extension JSONTree {
    /// A number that a datapoint may have.
    var amount: Double? { number.flatMap { $0.magnitude <= Press.greatestValue ? $0 : nil } }

    /// The same, also when written as a text, in the decimal digits of any script. A comma is a
    /// decimal one where it cannot separate thousands.
    var decimal: Double? {
        guard let text else { return amount }
        guard text.utf8.count <= 100 else { return nil }
        var plain = text.inPlainDigits.trimmed
        let parts = plain.split(separator: ",", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard parts[1].utf8.count != 3, !parts[1].isEmpty, !parts[0].contains("."),
                parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            plain = "\(parts[0]).\(parts[1])"
        }
        return DecimalText.value(plain).flatMap { JSONTree.number($0).amount }
    }
}
