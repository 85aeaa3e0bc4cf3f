import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A rule: the days of this metric are datapoints of that goal.
struct HealthRule: Codable, Sendable, Equatable {
    /// Any name of the metric; the sender's own always works.
    var metric: String
    var goal: String
    /// How the samples of a day become its value; nil means the metric's usual way.
    var aggregate: Aggregate?
    /// The value that counts of a sample with several, as `deep` of sleep; nil for the usual one.
    var field: String?
    /// The unit of the datapoints; nil means the sender's.
    var unit: String?
    /// Only samples whose source contains this text count; nil means all.
    var source: String?
    /// Only samples of this kind count, as in `Running` of workouts; nil means all.
    var when: String?
    /// Whether a day never falls below a value that it had; nil means no.
    var floor: Bool?
    /// The days that a sample with a time counts for; nil means civil days.
    var days: Days?

    /// The days by which samples are counted.
    enum Days: String, Codable, Sendable {
        /// From midnight to midnight, as health apps show them and as totals of days come.
        case civil
        /// As the goal's deadline ends them.
        case goal
    }

    /// The longest text of a member, in Unicode scalars.
    static let maxLetters = 100

    /// Why the rule can never be used, whatever unit its metric comes in; nil for a usable one.
    var fault: String? {
        if HealthMetric.key(metric).isEmpty { return "'metric' must be the name of a metric" }
        if GoalSlug(goal) == nil { return "'goal' must be a goal's name in its Beeminder URL" }
        for text in [metric, field, source, when, unit].compactMap({ $0 })
        where text.unicodeScalars.count > HealthRule.maxLetters {
            return "every text of a rule must have at most \(HealthRule.maxLetters) letters"
        }
        if let unit, HealthUnit(unit) == nil {
            return "'\(unit)' is not a known unit; leave 'unit' out to take the values "
                + "as they come"
        }
        return nil
    }

    /// Why its unit cannot be used beside that of the metric's last sample, if one came.
    func fault(ofUnitBeside seenUnit: String?) -> String? {
        guard let unit, let wanted = HealthUnit(unit) else { return nil }
        // The unit of another field is known only when it comes.
        guard field == nil, let usual = seenUnit ?? HealthMetric.known(metric)?.unit,
            let given = HealthUnit(usual), given.dimension != wanted.dimension
        else { return nil }
        return "\(metric) comes in \(usual), which cannot be converted into '\(unit)'"
    }

    /// The value of a sample in the rule's unit; nil when the rule is not about this sample, or the
    /// unit cannot be converted.
    func value(of sample: HealthSample) -> Double? {
        guard let found = sample.value(of: field) else { return nil }
        guard let unit, let wanted = HealthUnit(unit) else { return found.value }
        guard let given = HealthUnit(found.unit) else { return nil }
        return given.convert(found.value, to: wanted)
    }

    /// The unit of the first of these samples that counts; nil if it has none that is known.
    func unit(in samples: [HealthSample]) -> String? {
        let unit = samples.first(where: counts)?.value(of: nil)?.unit ?? ""
        return unit.isEmpty || HealthUnit(unit) == nil ? nil : unit
    }

    /// Whether the rule is about the metric of a sample, or about such visits; without `when` about
    /// arrivals.
    func isAbout(_ sample: HealthSample) -> Bool {
        guard sample.role == .visit else { return HealthMetric.isSame(metric, sample.metric) }
        return HealthMetric.key(metric) == HealthMetric.key(sample.metric)
            && sample.kind?.lowercased() == (when ?? "enter").lowercased()
    }

    /// Whether the rule is about this sample of its metric.
    func counts(_ sample: HealthSample) -> Bool {
        if let source, !sample.source.lowercased().contains(source.lowercased()) { return false }
        guard let when else { return sample.countsByDefault }
        return sample.kind.map { $0.lowercased().contains(when.lowercased()) } ?? false
    }

    /// The day to which a sample belongs: the civil one, if the sample has no moment.
    func day(of sample: HealthSample, in calendar: GoalCalendar) -> Daystamp {
        guard days == .goal, let moment = sample.moment, let goal = GoalSlug(goal) else {
            return sample.day
        }
        return calendar.day(of: goal, at: moment)
    }

    /// The settings that stored samples depend on: with another of these they mean something else.
    var meaning: String {
        [HealthMetric.key(metric), field, unit, source, when].map { $0 ?? "" }
            .joined(separator: "\u{1F}")
    }

    /// How the samples of a day become its value.
    var combination: Aggregate {
        aggregate ?? HealthMetric.known(metric)?.aggregate ?? .sum
    }
}

typealias RuleBook = Book<HealthRule>

extension HealthRule: ShownEntry {
    static let word = "rule"
    static let plural: StaticString = "rules"
    static let file = DataFile.rules
    static let maxEntries = 64
    static let code = ErrorCode.unusableRule

    static func isName(_ name: String) -> Bool { RuleName(name) != nil }

    static func book(of relay: isolated Relay) -> LiveBook<HealthRule> { relay.health.rules }

    /// `PUT /rules/{name}`.
    static func set(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let health = relay.health
        var rule = try call.request.content(
            HealthRule.self, besides: ["name", "deadline"],
            orSay: "send {\"metric\": \"step_count\", \"goal\": \"walk\"}, and if you like "
                + "\"aggregate\": \"sum|last|max|min|mean|count\", \"field\", \"unit\", "
                + "\"source\", \"when\", \"floor\": true, \"days\": \"civil|goal\"")
        if let fault = rule.fault(ofUnitBeside: health.seen.unit(of: rule.metric)) {
            throw Problem(.unusableRule, fault)
        }
        // A rule that is put again keeps the unit of its first data, and with it the samples of the
        // day.
        let known = health.rules.book[call.name]
        var same = rule
        same.unit = known?.unit
        if rule.field == nil, rule.unit == nil, same.meaning == known?.meaning { rule = same }
        // As with the unit: to say nothing of the days changes nothing.
        if rule.days == nil, known?.goal == rule.goal { rule.days = known?.days }
        return try BookRoutes.set(rule, relay, call)
    }

    /// Its samples are removed, too, unless another rule has the name by now.
    static func afterRemoval(of name: String, in relay: isolated Relay) {
        let health = relay.health
        guard let rule = RuleName(name), health.rules.book[name] == nil else { return }
        health.work.add { [store = relay.files.store] in store.removeSamples(of: rule) }
    }

    func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter) {
        json.add("name", name)
        json.add("metric", metric)
        json.add("goal", goal)
        json.add("aggregate", combination.rawValue)
        if let field { json.add("field", field) }
        if let unit { json.add("unit", unit) }
        if let source { json.add("source", source) }
        if let when { json.add("when", when) }
        json.add("floor", floor ?? false)
        if let days { json.add("days", days.rawValue) }
        // When the goal's days end, in seconds from midnight, as far as known.
        let goals = core.view.goals
        let deadline = GoalSlug(goal).flatMap { goals[goals.current($0)]?.deadline } ?? 0
        if deadline != 0 { json.add("deadline", Int64(deadline)) }
    }
}

extension Book<HealthRule> {
    /// The used rules, by name.
    var named: [(name: RuleName, rule: HealthRule)] {
        sorted.compactMap { entry in RuleName(entry.name).map { ($0, entry.entry) } }
    }
}
