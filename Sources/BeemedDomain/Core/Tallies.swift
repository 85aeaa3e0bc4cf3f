/// What was logged to each goal lately, unsent presses among it: for "today" on displays.
struct Tallies: Sendable {
    private struct Mark: Sendable {
        var number: SequenceNumber
        var at: UnixTime
        var value: Double
    }

    /// What a display shows of a goal.
    struct Today: Sendable, Equatable {
        /// The sum of the day's values.
        var sum = 0.0
        /// When it was last logged to; nil when nobody knows.
        var last: UnixTime?
    }

    private var marks: [GoalSlug: [Mark]] = [:]

    /// Marks of one goal from which on old ones are dropped.
    private static let many = 256
    /// What is older than so many seconds is of no day that anybody calls today.
    private static let oldest: Int64 = 3 * 86_400

    mutating func add(_ number: SequenceNumber, to goal: GoalSlug, at: UnixTime, _ value: Double) {
        let mark = Mark(number: number, at: at, value: value)
        let count = Tallies.append(mark, to: &marks[goal, default: []])
        if count >= Tallies.many, count & (count - 1) == 0 { forget(goal) }
    }

    private static func append(_ mark: Mark, to list: inout [Mark]) -> Int {
        list.append(mark)
        return list.count
    }

    mutating func remove(_ number: SequenceNumber, from goal: GoalSlug) {
        marks[goal]?.removeAll { $0.number == number }
    }

    func today(_ goal: GoalSlug, _ day: Range<UnixTime>) -> Today {
        var today = Today()
        for mark in marks[goal] ?? [] {
            if day.contains(mark.at) { today.sum += mark.value }
            today.last = max(today.last ?? mark.at, mark.at)
        }
        return today
    }

    /// The newest is kept, whatever its age: it says when the goal was last logged to.
    private mutating func forget(_ goal: GoalSlug) {
        guard let newest = marks[goal]?.map(\.at).max() else { return }
        marks[goal]?.removeAll { $0.at < newest.adding(-Tallies.oldest) }
    }
}
