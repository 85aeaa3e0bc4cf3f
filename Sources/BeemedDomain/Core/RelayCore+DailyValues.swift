/// The values logged to goals day by day, for the web page's charts.
extension RelayCore {
    /// The most events that are read for the values; older ones are left out.
    private static let maxLookedAt = 20_000

    /// The values of each goal's last days, the present one last, as Beeminder aggregates them:
    /// what came through this relay, unsent presses included, and what Beeminder has told of other
    /// datapoints.
    ///
    /// - Parameter count: how many days, 1 or more.
    package func dailyValues(days count: Int, at now: Moment) -> [GoalSlug: [Double]] {
        guard isBookOurs else { return [:] }
        let now = clock.trust.corrected(now)
        var starts: [GoalSlug: [UnixTime]] = [:]
        var days: [GoalSlug: [DayValues]] = [:]
        var known: [Int: [UnixTime]] = [:]
        for goal in goals.goals {
            guard let slug = GoalSlug(goal.slug) else { continue }
            let deadline = goal.deadline ?? 0
            let list = known[deadline] ?? dayStarts(count, deadline: deadline, now.wall)
            known[deadline] = list
            starts[slug] = list
            days[slug] = Array(repeating: DayValues(of: goal), count: count)
            for datapoint in goal.elsewhere {
                let at = UnixTime(datapoint.timestamp)
                let none = SequenceNumber(0)
                RelayCore.add(datapoint.value, at: at, none, list, &days[slug, default: []])
            }
        }
        guard let oldest = known.values.compactMap(\.first).min() else { return [:] }
        for entry in ledger.newestFirst().prefix(RelayCore.maxLookedAt) {
            if !entry.event.isTimeUnsure, entry.event.arrival.wall < oldest { break }
            let goal = goal(of: entry)
            guard let list = starts[goal], counts(entry) else { continue }
            RelayCore.add(
                entry.value, at: entry.at, entry.number, list, &days[goal, default: []])
        }
        return days.mapValues { $0.map(\.value) }
    }

    /// When each of a goal's last days began, the oldest first, and when the present one ends.
    private func dayStarts(
        _ count: Int, deadline: Int, _ now: UnixTime
    ) -> [UnixTime] {
        var starts: [UnixTime] = []
        let days = goals.days(deadline: deadline)
        var day = days.bounds(around: now)
        starts.append(day.upperBound)
        for _ in 0..<count {
            starts.append(day.lowerBound)
            day = days.bounds(around: day.lowerBound.adding(-1))
        }
        return starts.reversed()
    }

    private static func add(
        _ value: Double, at time: UnixTime, _ number: SequenceNumber, _ starts: [UnixTime],
        _ days: inout [DayValues]
    ) {
        let day = starts.lastIndex { $0 <= time } ?? -1
        if days.indices.contains(day) { days[day].add(value, at: time, number) }
    }

    /// Whether an event is, or will be, a datapoint or a part of one.
    private func counts(_ entry: Ledger.Entry) -> Bool {
        entry.progress != .uncommitted && state(of: entry).countsAsDatapoint
    }
}
