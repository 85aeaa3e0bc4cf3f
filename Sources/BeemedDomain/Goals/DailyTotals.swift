/// What was logged to each goal through this relay lately, unsent presses among it: its part of
/// `today` on displays.
struct DailyTotals: Sendable {
    /// One press.
    struct Mark: Sendable {
        let number: SequenceNumber
        let at: UnixTime
        let value: Double
        /// The connection that it came under: only its user's day has it.
        let connection: ConnectionName?
        /// Not when it was taken back or refused. It is kept all the same: Beeminder's list may
        /// show its datapoint a while longer.
        fileprivate(set) var counts = true
    }

    /// What a display shows of a goal.
    struct Today: Sendable, Equatable {
        /// The sum of the day's values.
        var sum = 0.0
        /// Whether anything was logged that day, of whatever value.
        var isDone = false
        /// When it was last logged to; nil when nobody knows.
        var last: UnixTime?
    }

    private var marks: [GoalSlug: [Mark]] = [:]

    /// Marks of one goal from which on old ones are dropped.
    private static let many = 256
    /// What is older than so many seconds is of no day that anybody calls today.
    static let oldest: Int64 = 3 * 86_400

    /// Adds a press, or counts it again.
    mutating func add(_ mark: Mark, to goal: GoalSlug) {
        let count = DailyTotals.put(mark, into: &marks[goal, default: []])
        if count >= DailyTotals.many, count & (count - 1) == 0 { forget(goal) }
    }

    private static func put(_ mark: Mark, into list: inout [Mark]) -> Int {
        var place = list.count
        while place > 0, list[place - 1].number > mark.number { place -= 1 }
        if place > 0, list[place - 1].number == mark.number {
            list[place - 1] = mark
        } else {
            list.insert(mark, at: place)
        }
        return list.count
    }

    /// A press counts no longer.
    mutating func remove(_ number: SequenceNumber, from goal: GoalSlug) {
        let index = marks[goal]?.lastIndex { $0.number == number }
        if let index { marks[goal]?[index].counts = false }
    }

    /// The presses to a goal, as far as they are remembered.
    subscript(_ goal: GoalSlug) -> [Mark] { marks[goal] ?? [] }

    /// - Parameter isOurs: whether what came under a connection belongs to the user.
    func today(
        _ goal: GoalSlug, _ day: Range<UnixTime>, isOurs: (ConnectionName?) -> Bool
    ) -> Today {
        var today = Today()
        for mark in marks[goal] ?? [] where mark.counts && isOurs(mark.connection) {
            if day.contains(mark.at) {
                today.sum += mark.value
                today.isDone = true
            }
            today.last = max(today.last ?? mark.at, mark.at)
        }
        return today
    }

    /// Goals go by other names now: what was logged goes with them.
    mutating func rename(_ current: (GoalSlug) -> GoalSlug) {
        for goal in Array(marks.keys) {
            let name = current(goal)
            guard name != goal, let list = marks.removeValue(forKey: goal) else { continue }
            marks[name] = (marks[name, default: []] + list).sorted { $0.number < $1.number }
        }
    }

    /// The newest is kept, whatever its age: it says when the goal was last logged to.
    private mutating func forget(_ goal: GoalSlug) {
        guard let newest = marks[goal]?.map(\.at).max() else { return }
        marks[goal]?.removeAll { $0.at < newest.adding(-DailyTotals.oldest) }
    }
}
