/// The requested parts of a goal.
struct GoalDetail: Sendable {
    /// Without `road`, `roadall` and `fullroad`.
    var isEmaciated = false
    /// With `datapoints` at the end, oldest first; at most this many of the newest.
    var datapointCount: Int?
    /// Only datapoints that changed at or after that second.
    var changedSince: Int?
    /// With unknown fields.
    var hasStrangeFields = false
}

/// Writes a goal with the keys and in the order recorded 2026-01.
struct GoalWriter {
    let goal: SimulatedGoal
    let rule: DayRule
    let now: Double
    private let standing: GoalProgress?
    private let wording: GoalWording?
    private var json = JSONObject()

    /// A writer of that goal at that time.
    init(_ goal: SimulatedGoal, _ rule: DayRule, now: Double) {
        self.goal = goal
        self.rule = rule
        self.now = now
        let standing = goal.standing(rule, at: now)
        let rate = "+\(GoalWording.shown(goal.rate))/\(goal.rateUnit.name)"
        self.standing = standing
        wording = standing.map {
            GoalWording(standing: $0, rule: rule, units: goal.units, rateText: rate)
        }
    }

    /// Beeminder's sort key for goals: plain ASCII, most urgent first.
    var urgencyKey: String {
        let loseDate = padded(standing?.loseDate ?? 0)
        let stake = padded(1_000_000_000 - Int((goal.pledge * 100).rounded()))
        return "FRO\(goal.isFrozen ? "1" : "x");PPRx;DL\(loseDate);P\(stake);\(goal.slug)"
    }

    /// The goal as JSON.
    mutating func write(_ detail: GoalDetail) -> OrderedJSON {
        json = JSONObject()
        writeIdentity()
        writeSchedule()
        writeStanding()
        writeLooks()
        writeMath()
        if !detail.isEmaciated { writeRoads() }
        writeStake()
        writeData()
        if detail.hasStrangeFields {
            json["zeitgeist"] = ["level": .number(11), "notes": .array([.null, .bool(true)])]
        }
        if detail.datapointCount != nil || detail.changedSince != nil {
            json["datapoints"] = .array(datapoints(detail))
        }
        return .object(json)
    }

    private mutating func writeIdentity() {
        let uploads = "https://cdn.beeminder.com/uploads/\(goal.id)"
        let defaults = "https://cdn.beeminder.com/default"
        json["slug"] = .string(goal.slug)
        json["title"] = .string(goal.title)
        json["description"] = .null
        json["goalval"] = .null
        json["rate"] = .decimal(goal.rate)
        json["goaldate"] = .integer(goal.goalDate)
        json["svg_url"] = standing == nil ? .null : .string("\(uploads).svg")
        json["graph_url"] =
            .string(standing == nil ? "\(defaults)_large_graph.png" : "\(uploads).png")
        json["thumb_url"] =
            .string(standing == nil ? "\(defaults)_thumb_graph.png" : "\(uploads)-thumb.png")
        json["goal_type"] = .string(goal.settings.kind.rawValue)
        json["autodata"] = .text(goal.autodata)
        json["healthkitmetric"] = .string("")
        json["autodata_config"] = .object(JSONObject())
    }

    private mutating func writeSchedule() {
        json["losedate"] = .integer(standing?.loseDate ?? goal.createdAt)
        json["urgencykey"] = .string(urgencyKey)
        json["deadline"] = .integer(goal.deadline)
        json["leadtime"] = .integer(3)
        json["alertstart"] = .integer(61_200)
        json["use_defaults"] = .bool(true)
        json["id"] = .string(goal.id)
        json["ephem"] = .bool(false)
        json["queued"] = .bool(goal.isQueued(at: now))
        json["panic"] = .integer(54_000)
        json["updated_at"] = .integer(goal.updatedAt)
        json["burner"] = .string(goal.isOnBackburner ? "backburner" : "frontburner")
        json["yaw"] = .integer(1)
    }

    private mutating func writeStanding() {
        json["lane"] = standing.map { .integer($0.queue) } ?? .null
        json["delta"] = standing.map { .number($0.delta) } ?? .null
        json["runits"] = .string(goal.rateUnit.rawValue)
        json["limsum"] = .text(wording?.limitSum)
        json["frozen"] = .bool(goal.isFrozen)
        json["lost"] = .bool(false)
        json["won"] = .bool(false)
        json["contract"] = [
            "amount": .decimal(goal.pledge),
            "stepdown_at": goal.stepdownAt.map(OrderedJSON.integer) ?? .null,
            "pending_amount": .null, "pending_at": .null,
        ]
        json["delta_text"] = .text(wording?.deltas)
        json["safebuf"] = standing.map { .integer($0.safeDays) } ?? .null
        json["safebump"] = standing.map { .number($0.bump) } ?? .null
        json["safesum"] = .string(wording?.safeSum ?? "")
        json["autoratchet"] = .null
        json["coasting"] = standing.map { _ in .bool(goal.rate == 0) } ?? .null
        json["limsumdate"] = .string(wording?.limitDate ?? "")
        json["limsumdays"] = .string(wording?.limitDays ?? "")
        json["baremin"] = .text(wording?.bareMinimum)
        json["baremintotal"] = .text(wording?.bareTotal)
    }

    private mutating func writeLooks() {
        let color = standing?.color ?? .gray
        let today = rule.day(of: Int(now))
        let touched = goal.datapoints.map(\.updatedAt).max()
        json["roadstatuscolor"] = .string(color.roadStatus)
        json["colorkey"] = .string(color.rawValue)
        json["colorhex"] = .string(color.hex)
        json["lasttouch"] = .text(standing == nil ? nil : touched.map(CivilDay.iso8601))
        json["integery"] = .bool(false)
        json["fineprint"] = .null
        json["todayta"] = .bool(goal.count(on: today) > 0)
        json["hhmmformat"] = .bool(false)
        json["timey"] = .bool(false)
        json["gunits"] = .string(goal.units)
        json["gunits_singular"] =
            .string(goal.units.hasSuffix("s") ? String(goal.units.dropLast()) : goal.units)
        json["weekends_off"] = .bool(false)
        json["yaxis"] = .string(goal.settings.yAxis ?? "total \(goal.units)")
        json["maxflux"] = .null
        let earliest = standing == nil ? nil : goal.startDay.dashed
        json["tmin"] = .text(goal.settings.earliestDay?.dashed ?? earliest)
        json["tmax"] = .text(goal.settings.latestDay?.dashed)
    }

    private mutating func writeMath() {
        let isDrawn = standing != nil
        let lastDay = goal.datapoints.map(\.day).max() ?? goal.startDay
        let noon = { [rule] (day: CivilDay) in OrderedJSON.integer(rule.noon(of: day)) }
        json["initday"] = isDrawn ? noon(goal.startDay) : .null
        json["initval"] = isDrawn ? .number(goal.startValue) : .null
        json["curday"] = standing.map { noon($0.today) } ?? .null
        json["curval"] = standing.map { .number($0.current) } ?? .null
        json["currate"] = isDrawn ? .number(goal.rate) : .null
        json["lastday"] = isDrawn ? noon(lastDay) : .null
        json["dir"] = .integer(1)
        json["kyoom"] = .bool(goal.settings.kind.isCumulative)
        json["odom"] = isDrawn ? .bool(goal.settings.kind == .biker) : .null
        json["noisy"] = .bool(false)
        json["aggday"] = .string(goal.settings.kind.aggregation)
        json["plotall"] = .bool(true)
        json["steppy"] = .bool(true)
        json["rosy"] = .bool(false)
        json["movingav"] = .bool(false)
        json["aura"] = .bool(false)
        json["numpts"] = .integer(goal.datapoints.count)
    }

    private mutating func writeRoads() {
        let start = OrderedJSON.integer(rule.noon(of: goal.startDay))
        let end = OrderedJSON.integer(goal.goalDate)
        let goalDay = rule.day(of: goal.goalDate)
        let slope = OrderedJSON.number(goal.rate)
        let first = OrderedJSON.array([start, .decimal(goal.startValue), .null])
        let last = OrderedJSON.array([end, .null, slope])
        json["road"] = .array(standing == nil ? [] : [last])
        json["roadall"] = .array([first, last])
        json["fullroad"] =
            standing == nil
            ? .null
            : .array([
                .array([start, .number(goal.startValue), .integer(0)]),
                .array([end, .number(goal.line(at: goalDay)), slope]),
            ])
    }

    private mutating func writeStake() {
        let goalDay = rule.day(of: goal.goalDate)
        json["secret"] = .bool(goal.settings.isSecret)
        json["pledge"] = .decimal(goal.pledge)
        json["pledge_cap"] = .integer(max(10, Int(goal.pledge)))
        json["mathishard"] =
            standing == nil
            ? .null
            : .array([
                .integer(rule.noon(of: goalDay)), .number(goal.line(at: goalDay)),
                .number(goal.rate),
            ])
        json["headsum"] = .text(wording?.safeSum)
        json["datapublic"] = .bool(goal.settings.isDataPublic)
        json["graphsum"] = .text(wording?.limitSum)
        json["rah"] = standing.map { .number($0.lineInAWeek) } ?? .null
    }

    private mutating func writeData() {
        let newest = goal.newestFirst
        json["last_datapoint"] = newest.first?.json(rule) ?? .null
        json["callback_url"] = .null
        json["tags"] = .array(goal.settings.tags.map(OrderedJSON.string))
        json["recent_data"] = .array(newest.prefix(5).map { $0.json(rule) })
        json["dueby"] = standing.map(dueBy) ?? .null
    }

    private func dueBy(_ standing: GoalProgress) -> OrderedJSON {
        var days = JSONObject()
        for offset in 0..<GoalProgress.forecastDays {
            let line = standing.lines[offset]
            days[standing.today.advanced(by: offset).daystamp] = [
                "delta": .number(line - standing.current),
                "total": .number(line),
                "formatted_delta_for_beedroid": .string(wording?.delta(onDay: offset) ?? ""),
                "formatted_total_for_beedroid": .string(GoalWording.shown(line)),
            ]
        }
        return .object(days)
    }

    private func datapoints(_ detail: GoalDetail) -> [OrderedJSON] {
        var points = goal.newestFirst
        if let since = detail.changedSince { points = points.filter { $0.updatedAt >= since } }
        if let count = detail.datapointCount { points = Array(points.prefix(count)) }
        return points.reversed().map { $0.json(rule) }
    }

    private func padded(_ number: Int) -> String {
        let text = String(max(0, number))
        return String(repeating: "0", count: max(0, 10 - text.count)) + text
    }
}

extension SimulatedGoal {
    /// The datapoints by their own time, newest first. The initial one has the last second of its
    /// day and still sorts as older than any later one of that day.
    var newestFirst: [SimulatedDatapoint] {
        let keyed = datapoints.map { point in
            (day: point.day, time: point.isInitial ? 0 : point.timestamp, point: point)
        }
        return keyed.sorted { left, right in
            (left.day, left.time, left.point.id) > (right.day, right.time, right.point.id)
        }
        .map(\.point)
    }
}
