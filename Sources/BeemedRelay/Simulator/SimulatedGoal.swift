/// A goal of the simulated Beeminder: a "do more" goal on a straight red line.
struct SimulatedGoal: Sendable {
    /// A rate's unit of time.
    enum RateUnit: String, Sendable {
        case daily = "d"
        case weekly = "w"
        case monthly = "m"
        case yearly = "y"

        /// Its name, as it stands after "per".
        var name: String {
            switch self {
            case .daily: "day"
            case .weekly: "week"
            case .monthly: "month"
            case .yearly: "year"
            }
        }

        /// Days in one.
        var days: Double {
            switch self {
            case .daily: 1
            case .weekly: 7
            case .monthly: 365.25 / 12
            case .yearly: 365.25
            }
        }
    }

    /// The values that clients see while the graph is redrawn: the old numbers, for a while.
    struct Stale: Sendable {
        let until: Double
        /// Nil for a goal whose first graph is not drawn yet.
        let standing: GoalProgress?
    }

    /// 24 hex digits; unchanged when the slug changes.
    let id: String
    var slug: String
    var title: String
    var units: String
    var rate: Double
    var rateUnit = RateUnit.daily
    /// The end of the line, as a timestamp.
    var goalDate: Int
    /// Seconds from midnight.
    var deadline = 0
    /// Dollars at stake.
    var pledge = 0.0
    /// When the pledge reverts to the amount below it, if scheduled.
    var stepdownAt: Int?
    var settings = GoalSettings()
    /// The start of the line.
    var startDay: CivilDay
    var startValue = 0.0
    /// An automatic data source; the API accepts datapoints nevertheless.
    var autodata: String?
    var isFrozen = false
    var isArchived = false
    var isOnBackburner = false
    let createdAt: Int
    var updatedAt: Int
    /// In order of arrival.
    private(set) var datapoints: [SimulatedDatapoint] = []
    /// The index of each `requestid`, since a client's backlog looks up ten thousand of them.
    private var indices: [String: Int] = [:]
    private var stale: Stale?
    /// The first graph is drawn at this time, at the earliest.
    private let firstGraphAt: Double

    /// A new goal.
    ///
    /// - Parameter firstGraphAt: until then most of its fields are `null`.
    init(
        id: String, slug: String, title: String, units: String, rate: Double, startDay: CivilDay,
        goalDate: Int, createdAt: Int, firstGraphAt: Double
    ) {
        self.id = id
        self.slug = slug
        self.title = title
        self.units = units
        self.rate = rate
        self.startDay = startDay
        self.goalDate = goalDate
        self.createdAt = createdAt
        self.firstGraphAt = firstGraphAt
        updatedAt = createdAt
    }

    /// The line's value on that day.
    func line(at day: CivilDay) -> Double {
        startValue + rate / rateUnit.days * Double(day.number - startDay.number)
    }

    /// Whether the graph is being redrawn at that time.
    func isQueued(at now: Double) -> Bool {
        now < firstGraphAt || (stale.map { now < $0.until } ?? false)
    }

    /// The numbers that a client sees at that time; nil before the first graph.
    func standing(_ rule: DayRule, at now: Double) -> GoalProgress? {
        guard now >= firstGraphAt else { return nil }
        if let stale, now < stale.until { return stale.standing }
        return GoalProgress(self, rule, now: Int(now))
    }

    /// Adds a complete datapoint.
    mutating func add(_ datapoint: SimulatedDatapoint) {
        if let requestID = datapoint.requestID { indices[requestID] = datapoints.count }
        datapoints.append(datapoint)
    }

    /// The datapoint with this `requestid`, which is unique per goal.
    func datapoint(requestID: String?) -> SimulatedDatapoint? {
        guard let requestID, let index = indices[requestID] else { return nil }
        return datapoints[index]
    }

    /// Replaces the datapoint with the same id.
    mutating func replace(_ datapoint: SimulatedDatapoint) {
        guard let index = index(of: datapoint.id) else { return }
        datapoints[index] = datapoint
    }

    /// Deletes the datapoint with that id.
    ///
    /// - Returns: the datapoint, or nil for an unknown id.
    mutating func remove(_ id: String) -> SimulatedDatapoint? {
        guard let index = index(of: id) else { return nil }
        let removed = datapoints.remove(at: index)
        indices = [:]
        for (index, datapoint) in datapoints.enumerated() {
            if let requestID = datapoint.requestID { indices[requestID] = index }
        }
        return removed
    }

    /// From the end, since recent points change most often.
    func index(of id: String) -> Int? {
        datapoints.lastIndex { $0.id == id }
    }

    /// Redraws the graph, which takes this many seconds; until then these numbers are shown.
    mutating func queueGraph(keeping standing: GoalProgress?, at now: Double, seconds: Double) {
        guard seconds > 0, now >= firstGraphAt else { return }
        stale = Stale(until: now + seconds, standing: standing)
    }
}

/// The sender and time of a datapoint.
struct PostContext: Sendable {
    let rule: DayRule
    let creator: String
    let origin: String
    let now: Int
}

extension SimulatedGoal {
    /// Creates, updates or recognizes a duplicate, by the draft's `requestid`.
    mutating func post(
        _ draft: DatapointDraft, _ context: PostContext, id: String
    ) -> (datapoint: SimulatedDatapoint, status: PostStatus) {
        guard let known = datapoint(requestID: draft.requestID) else {
            let timestamp =
                draft.timestamp ?? draft.day.map(context.rule.lastSecond(of:)) ?? context.now
            let made = SimulatedDatapoint(
                id: id, timestamp: timestamp, day: context.rule.day(of: timestamp),
                value: draft.value, comment: draft.comment ?? "", updatedAt: context.now,
                requestID: draft.requestID,
                origin: context.origin, creator: context.creator, isInitial: false,
                enteredText: draft.enteredText, createdAt: context.now)
            add(made)
            return (made, .created)
        }
        var changed = known
        changed.value = draft.value
        changed.comment = draft.comment ?? known.comment
        changed.enteredText = draft.enteredText ?? known.enteredText
        // Recorded 2026-01: an update without a timestamp keeps the present one.
        if let timestamp = draft.timestamp {
            changed.timestamp = timestamp
        } else if let day = draft.day, day != known.day {
            changed.timestamp = context.rule.lastSecond(of: day)
        }
        changed.day = context.rule.day(of: changed.timestamp)
        guard changed != known else { return (known, .duplicate) }
        changed.updatedAt = context.now
        replace(changed)
        return (changed, .updated)
    }

    /// The number of datapoints of that day.
    func count(on day: CivilDay) -> Int {
        datapoints.count { $0.day == day }
    }
}
