/// Which goals have or had which names. The relays of a cluster share it: the list of goals that a
/// new leader has on its disk may be of a time before a name belonged to another goal.
package struct GoalNames: Sendable, Equatable, Codable {
    var user: String?
    var userID: String?
    /// The ids of the goals in the last list, by name.
    var present: [String: String]
    /// As in `GoalBook`.
    var former: [String: String]
    var takenNames: ReassignedNames
}

extension GoalNames {
    /// The goals of an older list under the names that they have now, without those that are gone.
    func renamed(_ goals: [Goal]) -> [Goal] {
        let names = Dictionary(present.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return goals.compactMap { goal in
            guard let id = goal.id else { return present[goal.slug] == nil ? goal : nil }
            var goal = goal
            guard let name = names[id] else { return nil }
            goal.slug = name
            return goal
        }
    }
}
