struct SimulatedDatapoint: Equatable, Sendable {
    /// 24 hex digits; it never changes.
    let id: String
    var timestamp: Int
    var day: CivilDay
    var value: Double
    var comment: String
    var updatedAt: Int
    let requestID: String?
    /// The origin: `api`, or `nihilo` for the goal's first point.
    let origin: String
    /// The user's name, or empty for a point created by Beeminder itself.
    let creator: String
    let isInitial: Bool
    /// The original text, if it was entered as text.
    var enteredText: String?
    let createdAt: Int

    /// `06 2 "hi there!"`, or `02 2` without a comment.
    var canonical: String {
        let start = "\(CivilDay.twoDigits(day.parts.date)) \(OrderedJSON.shortest(value))"
        return comment.isEmpty ? start : "\(start) \"\(comment)\""
    }

    /// The keys and their order as recorded 2026-01.
    ///
    /// - Parameter status: `created` or `updated`, which only the answers to a create carry.
    func json(_ rule: DayRule, status: PostStatus? = nil) -> OrderedJSON {
        let (year, _, date) = day.parts
        let entered = "entered at \(rule.clockTime(of: createdAt)) via \(origin)"
        var json = JSONObject()
        json["id"] = .string(id)
        json["timestamp"] = .integer(timestamp)
        json["daystamp"] = .string(day.daystamp)
        json["value"] = .decimal(value)
        json["comment"] = .string(comment)
        json["updated_at"] = .integer(updatedAt)
        json["requestid"] = .text(requestID)
        json["origin"] = .string(origin)
        json["creator"] = .string(creator)
        json["is_dummy"] = .bool(false)
        json["is_initial"] = .bool(isInitial)
        json["urtext"] = .text(enteredText)
        json["fulltext"] = .string(
            "\(year)-\(day.monthName)-\(CivilDay.twoDigits(date)) \(entered)")
        json["canonical"] = .string(canonical)
        json["formatted_value"] = .string(OrderedJSON.shortest(value))
        json["created_at"] = .string(CivilDay.iso8601(createdAt))
        if let status { json["status"] = .string(status.rawValue) }
        return .object(json)
    }
}

/// The result of a posted datapoint.
package enum PostStatus: String, Equatable, Sendable {
    case created, updated
    /// The same `requestid` with the same contents: nothing changed.
    case duplicate
}

/// A datapoint that the simulated Beeminder accepted, for observers.
package struct PostedDatapoint: Equatable, Sendable {
    package let goal: String
    package let value: Double
    package let comment: String
    package let requestID: String?
    package let status: PostStatus
}
