/// Beeminder's sentences about a goal's progress.
struct GoalWording: Sendable {
    let standing: GoalProgress
    let rule: DayRule
    let units: String
    let rateText: String

    /// `+2`, the amount missing on the day on which the goal would derail.
    var bareMinimum: String { GoalWording.signed(standing.bump - standing.current) }

    /// `60`, the required total.
    var bareTotal: String { GoalWording.shown(standing.bump) }

    /// `+2 in 7 days (60)`.
    var limitSum: String { "\(bareMinimum) in \(days) (\(bareTotal))" }

    /// `+2 due in 7 days`.
    var limitDays: String { "\(bareMinimum) due in \(days)" }

    /// `+2 due Sat by 22:45`.
    var limitDate: String {
        let day = standing.today.advanced(by: standing.safeDays)
        let name = standing.safeDays == 0 ? "today" : day.weekday
        return "\(bareMinimum) due \(name) by \(rule.deadlineText)"
    }

    /// `safe for 7 days (commitment: +5/day)`, or the amount due today.
    var safeSum: String {
        standing.safeDays == 0
            ? "\(bareMinimum) \(units) due by \(rule.deadlineText)"
            : "safe for \(days) (commitment: \(rateText))"
    }

    /// `+1` or a check mark for each of the next three days.
    var deltas: String {
        (0..<3).map { delta(onDay: $0) }.joined(separator: " ")
    }

    /// The amount missing for that day, or a check mark.
    func delta(onDay offset: Int) -> String {
        let missing = standing.lines[offset] - standing.current
        return missing > 0 ? GoalWording.signed(missing) : "✔"
    }

    private var days: String { standing.safeDays == 1 ? "1 day" : "\(standing.safeDays) days" }

    /// At most two decimal places.
    static func shown(_ value: Double) -> String {
        OrderedJSON.shortest((value * 100).rounded() / 100)
    }

    private static func signed(_ value: Double) -> String {
        value < 0 ? shown(value) : "+\(shown(value))"
    }
}
