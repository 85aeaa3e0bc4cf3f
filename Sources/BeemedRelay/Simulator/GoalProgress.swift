/// Where a goal stands on a day: the numbers that Beeminder derives when it draws the graph, by
/// formulas that fit all goals recorded 2026-01.
struct GoalProgress: Sendable, Equatable {
    /// The day it was computed for.
    let today: CivilDay
    /// All datapoints up to today, added up.
    let current: Double
    /// The line today and on the days after, as far as anything looks ahead.
    let lines: [Double]
    /// Days until the goal derails if nothing more is logged; 0 is "today".
    let safeDays: Int
    /// What must be reached on the day on which it would derail.
    let bump: Double
    /// The last second of that day.
    let loseDate: Int

    /// How many days ahead `dueby` looks.
    static let forecastDays = 7

    /// The standing of that goal at that moment.
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

    /// How far above the line today's total is.
    var delta: Double { current - lines[0] }
    /// The line a week from now.
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

    /// The first day on which the line is above the total; a line that does not rise is never,
    /// and the goal's end is the last day that counts.
    private static func safeDays(
        _ goal: SimulatedGoal, _ today: CivilDay, _ rule: DayRule, _ current: Double
    ) -> Int {
        let last = max(0, rule.day(of: goal.goalDate).number - today.number)
        let isBelow = { (days: Int) in
            // Sums of tenths must not derail a goal.
            current < goal.line(at: today.advanced(by: days)) - 1e-9
        }
        if isBelow(0) { return 0 }
        let daily = goal.rate / goal.rateUnit.days
        guard daily > 0 else { return last }
        // Not below zero: a slope of next to nothing would divide a rounding error into infinity.
        let estimate = max(0, (current - goal.line(at: today)) / daily)
        guard estimate < Double(last) else { return last }
        var days = Int(estimate)
        while days > 0, isBelow(days) { days -= 1 }
        while days < last, !isBelow(days) { days += 1 }
        return days
    }
}

/// The colours of a goal, in the words and hexes that the live service sends, which are not those
/// of the API reference.
enum GoalColor: String, Sendable {
    case red, orange, blue, green, gray
    case darkGreen = "dkgreen"

    /// The colour as a hex. Orange, blue, dark green and gray were recorded 2026-01.
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

    /// The older field's word, which knows one green only and none for gray.
    var roadStatus: String {
        switch self {
        case .gray: ""
        case .darkGreen: "green"
        case .red, .orange, .blue, .green: rawValue
        }
    }
}
