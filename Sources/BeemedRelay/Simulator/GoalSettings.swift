/// The kind of a goal, as Beeminder's `goal_type` names it.
enum GoalKind: String, Sendable {
    /// Do more.
    case hustler
    /// Do less.
    case drinker
    /// An odometer.
    case biker
    case fatloser, gainer, inboxer

    /// How the datapoints of a day become its value.
    var aggregation: String {
        switch self {
        case .hustler, .drinker: "sum"
        case .biker: "last"
        case .fatloser, .inboxer: "min"
        case .gainer: "max"
        }
    }

    /// Whether the days are added.
    var isCumulative: Bool { self == .hustler || self == .drinker }
}

/// A goal's settings that do not affect datapoints.
struct GoalSettings: Sendable {
    /// The simulated numbers are those of a "do more" goal in any case.
    var kind = GoalKind.hustler
    /// Nil for "total" and the goal's units.
    var yAxis: String?
    /// The first day of the graph; nil for the line's first.
    var earliestDay: CivilDay?
    /// The last day of the graph; nil for all.
    var latestDay: CivilDay?
    var isSecret = true
    var isDataPublic = false
    var tags: [String] = []
}

/// `PUT /users/u/goals/g.json`: the parameters of the API reference.
extension SimulatedBeeminder {
    /// Changes the given settings. All parameters are read before any change, and the graph is
    /// redrawn even for a title (recorded 2026-01: `queued` is true in the answer).
    ///
    /// The API cannot change a slug; it is ignored, as are unknown parameters.
    mutating func updateGoal(
        _ position: GoalPosition, _ call: SimulatedCall, at now: Double
    ) throws(Refusal) {
        let user = users[position.user]
        var changed = user.goals[position.goal]
        changed.title = call.text("title") ?? changed.title
        try changed.settings.apply(call)
        if let source = call.text("datasource") {
            changed.autodata = source.isEmpty ? nil : source
        }
        if let rows = call.parameters["roadall"] {
            let line = try StraightLine(rows, rule: user.rule(changed), unit: changed.rateUnit)
            (changed.startDay, changed.startValue) = (line.startDay, line.startValue)
            (changed.goalDate, changed.rate) = (line.goalDate, line.rate)
        }
        change(position, at: now) { goal in
            goal = changed
            return true
        }
    }
}

extension GoalSettings {
    /// Applies the given settings.
    mutating func apply(_ call: SimulatedCall) throws(Refusal) {
        yAxis = call.text("yaxis") ?? yAxis
        if call.parameters["secret"] != nil { isSecret = call.isOn("secret") }
        if call.parameters["datapublic"] != nil { isDataPublic = call.isOn("datapublic") }
        earliestDay = try GoalSettings.day("tmin", call) ?? earliestDay
        latestDay = try GoalSettings.day("tmax", call) ?? latestDay
        if let given = call.parameters["tags"] { tags = try GoalSettings.tags(given) }
    }

    private static func day(_ name: String, _ call: SimulatedCall) throws(Refusal) -> CivilDay? {
        guard let text = call.text(name), !text.isEmpty else { return nil }
        guard let day = CivilDay(daystamp: text) else { throw .badSetting(name) }
        return day
    }

    /// "Each tag must be an alphanumeric string"; an empty list or `null` removes all.
    private static func tags(_ given: OrderedJSON) throws(Refusal) -> [String] {
        var elements: [OrderedJSON] = []
        switch given {
        case .null: break
        case .array(let list): elements = list
        case .string(let text):
            guard case .array(let list)? = OrderedJSON(text: Array(text.utf8)) else {
                throw .badSetting("tags")
            }
            elements = list
        case .bool, .integer, .number, .decimal, .object: throw .badSetting("tags")
        }
        let tags = elements.compactMap(\.parameterText).filter { !$0.isEmpty }
        guard tags.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber } }) else {
            throw .badSetting("tags")
        }
        return tags
    }
}

/// A `roadall` of two rows: the start of the line, and its last segment. Simulated lines are
/// straight, so any other line is refused.
struct StraightLine: Equatable, Sendable {
    let startDay: CivilDay
    let startValue: Double
    let goalDate: Int
    /// Per rate unit of the goal.
    let rate: Double

    /// Reads `[[date, value, null], [date, value, rate]]`, the last row with one `null`, as an
    /// array or as its text. A date is in Unix seconds or a day, as `20260125`.
    init(
        _ json: OrderedJSON, rule: DayRule, unit: SimulatedGoal.RateUnit
    ) throws(Refusal) {
        let rows = StraightLine.rows(json)
        guard rows.count == 2, let first = rows.first, let last = rows.last,
            let start = StraightLine.day(first[0], rule), case .null = first[2],
            let startValue = StraightLine.number(first[1])
        else { throw .badSetting("roadall") }
        (startDay, self.startValue) = (start, startValue)
        let end = StraightLine.day(last[0], rule)
        let value = StraightLine.number(last[1])
        switch (end, value, StraightLine.number(last[2])) {
        case (let end?, nil, let rate?) where end > start:
            (goalDate, self.rate) = (rule.noon(of: end), rate)
        case (let end?, let value?, nil) where end > start:
            let days = Double(end.number - start.number)
            (goalDate, rate) = (rule.noon(of: end), (value - startValue) / days * unit.days)
        case (nil, let value?, let rate?) where (value - startValue) * rate > 0:
            let days = ((value - startValue) / rate * unit.days).rounded(.up)
            guard days < 1e6 else { throw .badSetting("roadall") }
            (goalDate, self.rate) = (rule.noon(of: start.advanced(by: Int(days))), rate)
        case _: throw .badSetting("roadall")
        }
    }

    /// Rows of three; empty for anything else.
    private static func rows(_ json: OrderedJSON) -> [[OrderedJSON]] {
        var list = json
        if case .string(let text) = json { list = OrderedJSON(text: Array(text.utf8)) ?? .null }
        guard case .array(let elements) = list else { return [] }
        let rows = elements.compactMap { element -> [OrderedJSON]? in
            guard case .array(let row) = element, row.count == 3 else { return nil }
            return row
        }
        return rows.count == elements.count ? rows : []
    }

    private static func number(_ json: OrderedJSON) -> Double? {
        json.parameterText.flatMap(Double.init(plain:))
    }

    private static func day(_ json: OrderedJSON, _ rule: DayRule) -> CivilDay? {
        if case .string(let text) = json, let day = CivilDay(daystamp: text) { return day }
        guard let seconds = number(json), abs(seconds) < 1e11 else { return nil }
        return rule.day(of: Int(seconds))
    }
}
