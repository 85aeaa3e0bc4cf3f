/// A goal's progress on a day: the numbers that Beeminder derives when it draws the graph, by
/// formulas that fit all goals recorded 2026-01.
struct GoalProgress: Sendable, Equatable {
    /// The day of the computation.
    let today: CivilDay
    /// The sum of all datapoints up to today.
    let current: Double
    /// The values of the line today and on the days after, as far as the forecast needs them.
    let lines: [Double]
    /// Days until the goal derails without further datapoints; 0 is "today".
    let safeDays: Int
    /// The total required on the day on which it would derail.
    let bump: Double
    /// The last second of that day.
    let loseDate: Int

    /// Days covered by `dueby`.
    static let forecastDays = 7

    /// The progress of that goal at that time.
    init(_ goal: SimulatedGoal, _ rule: DayRule, now: Int) {
        let today = rule.day(of: now)
        self.today = today
        let current = goal.datapoints.filter { $0.day <= today }.reduce(0) { $0 + $1.value }
        self.current = current
        lines = (0...GoalProgress.forecastDays).map { goal.line(at: today.advanced(by: $0)) }
        safeDays = GoalProgress.safeDays(goal, today, rule, current)
        let loseDay = today.advanced(by: safeDays)
        bump = goal.line(at: loseDay)
        loseDate = rule.lastSecond(of: loseDay)
    }

    /// Today's total minus the line's value.
    var delta: Double { current - lines[0] }
    /// The line's value in a week.
    var lineInAWeek: Double { lines[GoalProgress.forecastDays] }
    /// A legacy number: -1 on the last safe day.
    var queue: Int { safeDays <= 1 ? safeDays - 2 : safeDays - 1 }

    /// The urgency as a colour.
    var color: GoalColor {
        switch safeDays {
        case ..<1: .red
        case 1: .orange
        case 2: .blue
        case 3..<7: .green
        case _: .darkGreen
        }
    }

    /// The first day on which the line is above the total; never for a line that does not rise, and
    /// at most the goal's end.
    private static func safeDays(
        _ goal: SimulatedGoal, _ today: CivilDay, _ rule: DayRule, _ current: Double
    ) -> Int {
        let last = max(0, rule.day(of: goal.goalDate).number - today.number)
        let isBelow = { (days: Int) in
            // Rounding errors in sums of tenths must not derail a goal.
            current < goal.line(at: today.advanced(by: days)) - 1e-9
        }
        if isBelow(0) { return 0 }
        let daily = goal.rate / goal.rateUnit.days
        guard daily > 0 else { return last }
        // Not below zero: with a slope near zero a rounding error would become infinite.
        let estimate = max(0, (current - goal.line(at: today)) / daily)
        guard estimate < Double(last) else { return last }
        var days = Int(estimate)
        while days > 0, isBelow(days) { days -= 1 }
        while days < last, !isBelow(days) { days += 1 }
        return days
    }
}

/// The colours of a goal, with the names and hex values of the live service, which differ from the
/// API reference.
enum GoalColor: String, Sendable {
    case red, orange, blue, green, gray
    case darkGreen = "dkgreen"

    /// The colour in hex. Orange, blue, dark green and gray were recorded 2026-01.
    var hex: String {
        switch self {
        case .red: "#ff0000"
        case .orange: "#f89406"
        case .blue: "#125bca"
        case .green: "#00aa00"
        case .darkGreen: "#228b22"
        case .gray: "#808080"
        }
    }

    /// The older field's name, which has only one green and no gray.
    var roadStatus: String {
        switch self {
        case .gray: ""
        case .darkGreen: "green"
        case .red, .orange, .blue, .green: rawValue
        }
    }
}
