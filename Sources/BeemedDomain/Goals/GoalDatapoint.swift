/// The stored fields of a datapoint in a goal's answer: of `last_datapoint`, which is documented
/// (Beeminder API reference, "Goal resource"), and of the undocumented `recent_data`, the five most
/// recent ones.
package struct GoalDatapoint: Codable, Hashable, Sendable {
    package var id: String?
    /// Unix seconds; for a datapoint with only a day, the last second of that day.
    package var timestamp: Int64
    package var value: Double
    package var requestID: String?
    /// Whether a person logged this. Beeminder creates datapoints of its own when a goal begins and
    /// when it derails.
    var isLogged: Bool

    private enum CodingKeys: String, CodingKey {
        case id, timestamp, value, requestID = "requestid", isInitial = "is_initial"
        case isDummy = "is_dummy"
    }

    /// Creates a datapoint that a person logged.
    package init(
        id: String? = nil, at timestamp: Int64, value: Double, requestID: String? = nil,
        isLogged: Bool = true
    ) {
        self.id = id
        self.timestamp = timestamp
        self.value = value
        self.requestID = requestID
        self.isLogged = isLogged
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try? members.decodeIfPresent(String.self, forKey: .id)
        timestamp = Int64(try members.decode(Double.self, forKey: .timestamp).clampedToSeconds)
        value = try members.decode(Double.self, forKey: .value)
        requestID = try? members.decodeIfPresent(String.self, forKey: .requestID)
        let isInitial = (try? members.decodeIfPresent(Bool.self, forKey: .isInitial)) ?? false
        let isDummy = (try? members.decodeIfPresent(Bool.self, forKey: .isDummy)) ?? false
        isLogged = !isInitial && !isDummy
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(id, forKey: .id)
        try members.encode(timestamp, forKey: .timestamp)
        try members.encode(value, forKey: .value)
        try members.encodeIfPresent(requestID, forKey: .requestID)
        if !isLogged { try members.encode(true, forKey: .isDummy) }
    }
}

extension Double {
    /// Beyond every plausible time, and within the range of an integer.
    fileprivate var clampedToSeconds: Double { Swift.min(Swift.max(self, -1e15), 1e15) }
}

extension Goal {
    /// Keeps the datapoints from other sources, and removes the list in which they were found.
    ///
    /// - Parameters:
    ///   - known: datapoints from other sources in earlier lists, which may be older.
    ///   - isFromHere: whether a datapoint is of a press that came through this relay.
    mutating func recordDatapoints(
        besides known: [GoalDatapoint], isFromHere: (GoalDatapoint) -> Bool
    ) {
        let all = listedDatapoints
        // A datapoint within the list's time range that is no longer listed was deleted.
        let oldest = recentDatapoints?.map(\.timestamp).min() ?? .max
        let reachesTo = listsAllDatapoints ? Int64.min : oldest
        let newest = (all + known).map(\.timestamp).max() ?? 0
        let older = known.filter { old in
            old.timestamp < reachesTo && old.timestamp >= newest - Goal.oldestAge
                && !all.contains { $0.isSame(as: old) }
        }
        elsewhere = older + all.filter { $0.isLogged && !isFromHere($0) }
        let last = all.max { $0.timestamp < $1.timestamp }
        saysDone = todayta == true && last.map { $0.isLogged && !isFromHere($0) } ?? true
        recentDatapoints = nil
        lastDatapoint = nil
    }

    /// The datapoints in an answer from Beeminder.
    var listedDatapoints: [GoalDatapoint] {
        let list = recentDatapoints ?? []
        guard let last = lastDatapoint, !list.contains(where: { $0.isSame(as: last) }) else {
            return list
        }
        return list + [last]
    }

    /// Whether an answer from Beeminder has all datapoints of the goal.
    var listsAllDatapoints: Bool {
        recentDatapoints.map { $0.count < Goal.recentCount } ?? false
    }

    /// The age in seconds beyond which a datapoint cannot be of today in any time zone.
    static let oldestAge: Int64 = 3 * 86_400
    /// The number of datapoints that Beeminder includes in a goal.
    private static let recentCount = 5
}

extension GoalDatapoint {
    fileprivate func isSame(as other: GoalDatapoint) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        return timestamp == other.timestamp && value == other.value && requestID == other.requestID
    }
}
