import BeemedDomain
import RelayTrunk

/// The meaning of a body of health data under the present rules, found out off the loop.
struct HealthReading: Sendable {
    /// The days that can be known: none while the user's time zone was never told, or bodies that
    /// came before wait for that; by a clock that was not compared with Beeminder's those that the
    /// body names, of which the core decides whether they are credible.
    enum KnownDays: Sendable {
        case none, named, all
    }

    struct Job: Sendable {
        var bytes: [UInt8]
        var source: HealthBody.Source
        var rules: RuleBook
        /// The names of the goals that the sender may log to; nil means all.
        var goals: Set<String>?
        var store: RelayStore
        /// Nothing is saved.
        var isDryRun = false
        var known = KnownDays.all

        fileprivate var today: Daystamp { source.calendar.day(at: source.now) }
    }

    struct Day: Sendable {
        var total: DayTotal
        /// Why the value is not passed on; nil otherwise.
        var ignored: String?
        var reply: Reply?
    }

    var days: [Day] = []
    /// The presses of visits.
    private(set) var visits: [(rule: RuleName, goal: GoalSlug, sample: HealthSample)] = []
    private(set) var body: HealthBody
    /// The last sample of each metric: all that is needed of the samples from here on.
    let newest: [HealthSample]
    /// Metrics without a rule, by name.
    private(set) var unmapped: [String] = []
    /// The units that rules have from now on.
    private(set) var units: [RuleName: String] = [:]
    /// Whether nothing of the body is taken.
    let isDryRun: Bool
    /// The alarms about damaged samples for a person, one sentence each.
    private(set) var alarms: [String] = []

    /// The greatest number of metrics without a rule that are named.
    private static let maxUnmapped = 100

    /// Reads a body, adds its samples to the stored ones, and computes the days' values; nil when
    /// its days cannot be known yet. The samples are durable when this returns, before a total that
    /// is computed from them is passed on: after a crash in between the sender sends them again,
    /// while a total without its samples could become smaller with the next ones.
    init?(_ job: Job) throws(Problem) {
        body = try HealthBody(job.bytes, job.source)
        isDryRun = job.isDryRun || body.isTest
        // A dry run does not wait: it is judged by the clock as it is.
        if !isDryRun, job.known == .none || job.known == .named && body.isUndated { return nil }
        let groups = body.byMetric
        newest = groups.compactMap { $0.samples.max { $0.end < $1.end } }
        // They would be freed on the loop.
        body.byMetric = []
        var mapped: Set<String> = []
        for (name, rule) in job.rules.named {
            // A sender learns nothing of the rules for goals that it may not log to.
            guard let goal = GoalSlug(rule.goal), job.goals?.contains("\(goal)") ?? true else {
                continue
            }
            let own = groups.filter { rule.isAbout($0.samples[0]) }
            mapped.formUnion(own.map(\.name))
            try add(own.flatMap(\.samples), of: name, rule, to: goal, job)
        }
        unmapped = Set(groups.map(\.name)).subtracting(mapped).sorted()
            .prefix(HealthReading.maxUnmapped).map(\.self)
        if !isDryRun, job.known != .named { job.store.removeOldSamples(before: job.today) }
    }

    /// Adds the days of a rule, and its visits.
    private mutating func add(
        _ samples: [HealthSample], of name: RuleName, _ rule: HealthRule, to goal: GoalSlug,
        _ job: Job
    ) throws(Problem) {
        var rule = rule
        // The unit of the first data stays the rule's, or a phone that is set to miles would change
        // the datapoints.
        if rule.unit == nil, rule.field == nil, let unit = rule.unit(in: samples) {
            (rule.unit, units[name]) = (unit, unit)
        }
        visits += samples.filter { $0.role == .visit }.map { (name, goal, $0) }
        let counting = samples.filter { $0.role != .visit && rule.counts($0) }
        let byDay = Dictionary(grouping: counting) { rule.day(of: $0, in: job.source.calendar) }
        for (day, samples) in byDay.sorted(by: { $0.key < $1.key }) {
            var total = DayTotal(
                rule: name, goal: goal, day: day, value: 0, comment: rule.metric,
                hasFloor: rule.floor ?? false)
            let ignored = try setValue(of: &total, from: samples, rule, job)
            days.append(Day(total: total, ignored: ignored))
        }
    }

    /// Sets the value of a rule's day, and returns why there is none; nil when there is one.
    private mutating func setValue(
        of total: inout DayTotal, from samples: [HealthSample], _ rule: HealthRule, _ job: Job
    ) throws(Problem) -> String? {
        let (day, name) = (total.day, total.rule)
        // No samples are stored of days that the core does not take.
        guard job.known == .named || abs(day.number - job.today.number) <= 36 else {
            return IgnoredTotal.day.rawValue
        }
        let values = samples.compactMap { sample in
            rule.value(of: sample).map { SampleSet.Stored(sample, $0) }
        }
        guard !values.isEmpty else {
            return samples.contains { $0.value(of: rule.field) != nil } ? "unit" : "field"
        }
        let kept: (set: SampleSet, alarm: String?)
        do throws(DiskError) {
            kept = try job.store.samples(of: day, name, rule, isDryRun: isDryRun)
        } catch { throw .unreadableSamples(error) }
        if let alarm = kept.alarm { alarms.append(alarm) }
        var set = kept.set
        guard set.add(values, combining: rule.combination) else { return "samples" }
        guard let value = set.value(rule.combination), value.magnitude <= Press.greatestValue else {
            return "value"
        }
        total.value = value
        total.isPartial = set.isPartial ?? false
        guard set != kept.set, !isDryRun else { return nil }
        do throws(DiskError) { try job.store.save(set, of: day, name) } catch { throw .diskFull }
        return nil
    }
}

extension Problem {
    static func unreadableSamples(_ error: DiskError) -> Problem {
        .retryLater(
            .crowded,
            "the samples that came before cannot be read (\(error)), and without them a day would "
                + "become smaller; send the same again", after: 60)
    }
}
