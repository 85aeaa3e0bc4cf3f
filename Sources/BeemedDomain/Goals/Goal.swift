/// How soon a goal derails.
package enum Urgency: String, Sendable {
    /// Within a day.
    case critical
    /// Within three days.
    case warning
    case safe
}

/// The stored fields of a goal (Beeminder API reference, "Goal resource").
package struct Goal: Codable, Hashable, Sendable {
    package var slug: String
    /// Unchanged when the slug is renamed.
    package var id: String?
    package var title: String?
    /// Unix seconds at which it derails without further datapoints.
    package var losedate: Int64?
    /// A moment of its first day, in Unix seconds; Beeminder gives the user's noon, and none before
    /// it has drawn the graph.
    package var initday: Int64?
    /// Sorts by urgency as plain text, most urgent first.
    package var urgencykey: String?
    /// Seconds from midnight to the end of its day, -61,200 to 21,600.
    package var deadline: Int?
    /// The unit, as in "pages".
    package var gunits: String?
    /// Dollars at stake.
    package var pledge: Double?
    /// Whether Beeminder has not updated the graph since the last datapoint: `losedate` and the
    /// amount due are then outdated.
    package var queued: Bool?
    /// Whether the goal's day had a datapoint when Beeminder was asked.
    package var todayta: Bool?
    /// When Beeminder reminds of the goal, and the amount due.
    package var terms = GoalTerms()
    /// The newest datapoint, in an answer from Beeminder.
    var lastDatapoint: GoalDatapoint?
    /// The most recent datapoints, in an answer from Beeminder.
    var recentDatapoints: [GoalDatapoint]?
    /// Datapoints of the last days that did not come through this relay.
    package internal(set) var elsewhere: [GoalDatapoint] = []
    /// Whether the day's datapoint reported by `todayta` is, or may be, from another source.
    var saysDone = false

    /// Creates a goal with that name and no other data.
    package init(
        slug: GoalSlug, title: String? = nil, losedate: Int64? = nil, urgencykey: String? = nil
    ) {
        self.slug = slug.description
        self.title = title
        self.losedate = losedate
        self.urgencykey = urgencykey
    }

    private enum CodingKeys: String, CodingKey {
        case slug, id, title, losedate, initday, urgencykey, deadline, gunits, pledge, queued
        case terms
        case todayta, lastDatapoint = "last_datapoint", recentDatapoints = "recent_data"
        case elsewhere, saysDone
    }

    /// Decodes what can be read of Beeminder's answer, or of its saved form: a new goal is full of
    /// nulls, and undocumented fields change "at our whim" (API reference, "Backwards
    /// Compatibility").
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func decode<Value: Decodable>(_ key: CodingKeys) -> Value? {
            try? members.decodeIfPresent(Value.self, forKey: key)
        }
        slug = try members.decode(String.self, forKey: .slug)
        id = decode(.id)
        title = decode(.title)
        let losedate: Int64? = decode(.losedate)
        self.losedate = losedate.map { min(max($0, 0), 1 << 40) }
        let initday: Int64? = decode(.initday)
        self.initday = initday.map { min(max($0, 0), 1 << 40) }
        urgencykey = decode(.urgencykey)
        let deadline: Int? = decode(.deadline)
        self.deadline = deadline.map { min(max($0, -86_400), 86_400) }
        gunits = decode(.gunits)
        let pledge: Double? = decode(.pledge)
        self.pledge = pledge.flatMap { (0...1e9).contains($0) ? $0 : nil }
        queued = decode(.queued)
        terms = try decode(.terms) ?? GoalTerms(from: decoder)
        todayta = decode(.todayta)
        lastDatapoint = decode(.lastDatapoint)
        recentDatapoints = decode(.recentDatapoints)
        elsewhere = decode(.elsewhere) ?? []
        saysDone = decode(.saysDone) ?? false
    }

    /// How soon the goal derails.
    package func urgency(at now: UnixTime) -> Urgency {
        guard let losedate else { return .safe }
        switch losedate - now.seconds {
        case ..<Goal.criticalSeconds: return .critical
        case ..<Goal.warningSeconds: return .warning
        default: return .safe
        }
    }

    /// A goal that derails sooner than these seconds is critical: a day.
    private static let criticalSeconds: Int64 = 86_400
    /// The same for a warning: three days.
    private static let warningSeconds: Int64 = 3 * 86_400
}

/// When Beeminder reminds of a goal, and what the goal needs before it derails. The saved form is
/// that of Beeminder's answer (API reference, "Goal resource").
package struct GoalTerms: Codable, Hashable, Sendable {
    /// The days before it derails on which Beeminder reminds the user.
    package var leadtime: Int?
    /// Seconds after midnight from which on Beeminder reminds on such a day.
    package var alertstart: Int?
    /// The amount due and its time, as in "+2 in 7 days".
    package var limsum: String?
    /// The amount due, as in "+2"; undocumented.
    package var baremin: String?
    /// Whether its values are added up.
    package var kyoom: Bool?
    /// How the values of a day are combined, as in "sum".
    package var aggday: String?
    /// Whether its values are readings of an odometer, which begins anew with a lower one.
    package var odom: Bool?
    /// The kind of goal that the user chose, as in "hustler" (do more) or "biker" (odometer).
    package var goalType: String?
    /// The amount that the goal demands for each of its `runits`.
    package var rate: Double?
    /// The unit of time of `rate`: "d", "w", "m" or "y".
    package var runits: String?
    /// 1 if values above the line are good, -1 if those below it are.
    package var yaw: Int?

    private enum CodingKeys: String, CodingKey {
        case leadtime, alertstart, limsum, baremin, kyoom, aggday, odom, goalType = "goal_type"
        case rate, runits, yaw
    }

    /// Creates unknown terms.
    package init() {}

    /// Decodes what can be read of Beeminder's answer: a reminder is not worth a goal.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        leadtime = (try? members.decodeIfPresent(Int.self, forKey: .leadtime))
            .map { min(max($0, 0), 365) }
        alertstart = (try? members.decodeIfPresent(Int.self, forKey: .alertstart))
            .map { min(max($0, 0), 86_400) }
        limsum = try? members.decodeIfPresent(String.self, forKey: .limsum)
        baremin = try? members.decodeIfPresent(String.self, forKey: .baremin)
        kyoom = try? members.decodeIfPresent(Bool.self, forKey: .kyoom)
        aggday = try? members.decodeIfPresent(String.self, forKey: .aggday)
        odom = try? members.decodeIfPresent(Bool.self, forKey: .odom)
        goalType = try? members.decodeIfPresent(String.self, forKey: .goalType)
        rate = try? members.decodeIfPresent(Double.self, forKey: .rate)
        runits = try? members.decodeIfPresent(String.self, forKey: .runits)
        yaw = try? members.decodeIfPresent(Int.self, forKey: .yaw)
    }
}

extension Goal {
    /// Whether one datapoint with the sum of several is the same to the goal: not if it counts
    /// them, or takes the last or the greatest. Unknown fields are as in the most common goals.
    package var addsUp: Bool {
        let isSum = terms.aggday == nil ? aggregation ?? .sum == .sum : aggregation == .sum
        return isSum && terms.odom != true
    }
}
