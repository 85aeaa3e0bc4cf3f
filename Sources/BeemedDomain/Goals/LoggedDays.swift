/// The values logged to a goal on days that follow each other.
struct LoggedDays: Sendable {
    /// When each day begins, the oldest first, and when the last one ends.
    private let starts: [UnixTime]
    /// The values of each day.
    private(set) var days: [DayValues]
    /// When the goal was last logged to, on whatever day; nil when unknown.
    private(set) var last: UnixTime?
    /// The value logged then.
    private(set) var lastValue: Double?

    /// - Parameter goal: nil when unknown.
    init(of goal: Goal?, from starts: [UnixTime]) {
        self.starts = starts
        days = Array(repeating: DayValues(of: goal), count: starts.count - 1)
    }

    /// Adds a datapoint. Of those of the same second the first one added counts as the last.
    mutating func add(
        _ value: Double, at time: UnixTime, _ number: SequenceNumber = SequenceNumber(0)
    ) {
        let day = starts.lastIndex { $0 <= time } ?? -1
        if days.indices.contains(day) { days[day].add(value, at: time, number) }
        if last.map({ $0 < time }) ?? true { (last, lastValue) = (time, value) }
    }
}

/// The datapoint of a press in Beeminder's lists, which have only a few.
enum Listing: Sendable, Equatable {
    /// With its value, if that is not known to change through the relay.
    case listed(Double?)
    /// The datapoint was listed, and is deleted: the user has done so at Beeminder.
    case deleted
}

/// Determines the day of a goal for a moment, from the user's time zone and the goal's deadline.
///
/// Day D is [D 00:00 + deadline, D+1 00:00 + deadline) in the user's local time. A positive
/// deadline is after midnight, a negative one before it (Beeminder API reference, "Goal resource",
/// `deadline`).
struct GoalDay: Sendable, Equatable {
    /// The user's time zone, not the relay's.
    let zone: Zone
    /// Seconds from midnight, -61,200 to 21,600.
    let deadline: Int

    /// The day of a moment, as the number of days since 1970-01-01.
    ///
    /// It is the day whose first second is the last one before that moment. The local time alone is
    /// ambiguous: where the clock is set back over a deadline, the same local time occurs on two
    /// days.
    func number(of time: UnixTime) -> Int64 {
        let wall = time.seconds + offset(at: time.seconds) - Int64(deadline)
        var day = wall >= 0 ? wall / 86_400 : -((-wall + 86_399) / 86_400)
        while start(of: day) > time { day -= 1 }
        while start(of: day + 1) <= time { day += 1 }
        return day
    }

    /// The day around a moment: its first second, and the first second of the next day.
    func bounds(around time: UnixTime) -> Range<UnixTime> {
        let day = number(of: time)
        return start(of: day)..<start(of: day + 1)
    }

    /// The first second of a day.
    func start(of day: Int64) -> UnixTime {
        moment(ofWallSecond: day * 86_400 + Int64(deadline))
    }

    /// A local time that occurs twice means the first one; a local time that is skipped is read
    /// with the offset before the change.
    private func moment(ofWallSecond wall: Int64) -> UnixTime {
        let before = offset(at: wall - 86_400)
        let after = offset(at: wall + 86_400)
        if before != after, offset(at: wall - before) != before, offset(at: wall - after) == after {
            return UnixTime(wall - after)
        }
        return UnixTime(wall - before)
    }

    private func offset(at seconds: Int64) -> Int64 { zone.offset(at: seconds) }
}
