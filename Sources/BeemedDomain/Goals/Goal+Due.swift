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
