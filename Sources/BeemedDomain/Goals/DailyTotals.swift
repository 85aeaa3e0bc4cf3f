/// The recent presses to each goal through this relay, including unsent ones: their part of `today`
/// on displays.
struct DailyTotals: Sendable {
    /// The datapoint of a press in Beeminder's lists.
    enum Listing: Sendable {
        /// In none of them: it may not be sent yet, or not be among the few that are listed.
        case unseen
        /// With its value, if that is not known to change through the relay.
        case listed(Double?)
        /// The datapoint was listed, and is deleted: the user has done so at Beeminder.
        case deleted
    }

    /// A press that is counted.
    struct CountedPress: Sendable {
        let number: SequenceNumber
        let at: UnixTime
        let value: Double
        /// Whether Beeminder is told only its day, and chooses a time of its own.
        let hasOnlyDay: Bool
        /// False when undone or refused. The press is kept, because Beeminder's list may still show
        /// its datapoint for a while.
        fileprivate(set) var counts = true
        /// The state of its datapoint at Beeminder.
        fileprivate(set) var listing = Listing.unseen

        /// Its value: the one that Beeminder shows, if the user has edited the datapoint there.
        fileprivate var shownValue: Double {
            if case .listed(let edited?) = listing { edited } else { value }
        }

        fileprivate var isDeleted: Bool { if case .deleted = listing { true } else { false } }

        /// Whether its datapoint may have that time.
        func mayBe(at seconds: Int64) -> Bool { at.seconds == seconds || hasOnlyDay }
    }

    /// The values that a display shows for a goal.
    struct Today: Sendable, Equatable {
        /// The day's values.
        var values: DayValues
        /// Whether anything was logged that day, of any value.
        var isDone = false
        /// When the goal was last logged to; nil when unknown.
        private(set) var last: UnixTime?
        /// The value logged then.
        private(set) var lastValue: Double?

        /// - Parameter goal: nil when unknown.
        init(of goal: Goal?) { values = DayValues(of: goal) }

        /// Adds a datapoint of any day.
        mutating func add(
            _ value: Double, at time: UnixTime, _ number: SequenceNumber, on day: Range<UnixTime>
        ) {
            if day.contains(time) {
                values.add(value, at: time, number)
                isDone = true
            }
            if last.map({ $0 <= time }) ?? true { (last, lastValue) = (time, value) }
        }
    }

    private var presses: [GoalSlug: [CountedPress]] = [:]

    /// The number of presses of one goal from which old ones are dropped.
    private static let many = 256
    /// The age in seconds beyond which a press cannot be of today in any time zone.
    static let oldest: Int64 = 3 * 86_400

    /// Adds a press, or counts it again.
    mutating func add(_ press: CountedPress, to goal: GoalSlug) {
        presses[goal, default: []].put(press) { $0.number }
        let count = self[goal].count
        if count >= DailyTotals.many, count & (count - 1) == 0 { forget(goal) }
    }

    /// Stops counting a press.
    mutating func remove(_ number: SequenceNumber, from goal: GoalSlug) {
        guard let index = self[goal].position(of: number, by: { $0.number }) else { return }
        presses[goal]?[index].counts = false
    }

    /// The remembered presses to a goal, by number.
    subscript(_ goal: GoalSlug) -> [CountedPress] { presses[goal] ?? [] }

    /// A remembered press to a goal.
    subscript(_ goal: GoalSlug, _ number: SequenceNumber) -> CountedPress? {
        let list = self[goal]
        return list.position(of: number) { $0.number }.map { list[$0] }
    }

    /// Adds the presses to a goal.
    ///
    /// - Parameter other: presses that came after this one, and are of a later time, do not count.
    func add(
        _ goal: GoalSlug, to today: inout Today, _ day: Range<UnixTime>,
        before other: (number: SequenceNumber, at: UnixTime)? = nil
    ) {
        for press in self[goal] where press.counts && !press.isDeleted {
            if let other, other.number < press.number, other.at <= press.at { continue }
            today.add(press.shownValue, at: press.at, press.number, on: day)
        }
    }

    /// Compares the presses with Beeminder's list of a goal's newest datapoints. Only datapoints
    /// that were listed before, or delivered by an earlier process, can be found deleted: any other
    /// may be too new or too old for the list.
    ///
    /// - Parameters:
    ///   - listed: the presses whose datapoints are in the list, with their values there; nil for a
    ///     value that changes through the relay.
    ///   - isWhole: whether the list would have a press of that time.
    /// - Returns: the presses whose datapoints have gone since the last list, and those that are
    ///   there again.
    mutating func compare(
        _ goal: GoalSlug, listed: [SequenceNumber: Double?], isWhole: (UnixTime) -> Bool
    ) -> (deleted: [SequenceNumber], restored: [SequenceNumber]) {
        var (deleted, restored): ([SequenceNumber], [SequenceNumber]) = ([], [])
        for (index, press) in self[goal].enumerated() {
            if let value = listed[press.number] {
                if press.isDeleted { restored.append(press.number) }
                presses[goal]?[index].listing = .listed(value)
            } else if case .listed = press.listing, isWhole(press.at) {
                presses[goal]?[index].listing = .deleted
                deleted.append(press.number)
            }
        }
        return (deleted, restored)
    }

    /// Moves presses to the new names of renamed goals.
    mutating func rename(_ current: (GoalSlug) -> GoalSlug) {
        // A goal may have got the name of another one that has a new name, too.
        let moved = presses.keys.map { ($0, current($0)) }.filter { $0 != $1 }
            .map { (name: $1, list: presses.removeValue(forKey: $0) ?? []) }
        for (name, list) in moved {
            presses[name] = (presses[name, default: []] + list).sorted { $0.number < $1.number }
        }
    }

    /// The newest one is kept at any age: it shows when the goal was last logged to.
    private mutating func forget(_ goal: GoalSlug) {
        guard let newest = presses[goal]?.map(\.at).max() else { return }
        presses[goal]?.removeAll { $0.at < newest.adding(-DailyTotals.oldest) }
    }
}

/// Lists of events, or of what is known of them, in the order of their numbers.
extension Array {
    /// The position of an event; nil when it is not in the list.
    @inline(__always)
    func position(
        of number: SequenceNumber, by key: (Element) -> SequenceNumber
    ) -> Int? {
        let index = partitioningIndex { key($0) >= number }
        return index < count && key(self[index]) == number ? index : nil
    }

    /// Adds an event, or replaces its earlier entry.
    @inline(__always)
    mutating func put(_ element: Element, by key: (Element) -> SequenceNumber) {
        let index = partitioningIndex { key($0) >= key(element) }
        if index < count, key(self[index]) == key(element) {
            self[index] = element
        } else {
            insert(element, at: index)
        }
    }
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
