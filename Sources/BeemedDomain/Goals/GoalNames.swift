/// The present and former names of goals. The relays of a cluster share it: the list that a
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

/// Names of goals that were renamed and whose names belong to other goals now. An event that was
/// accepted under such a name before is of the renamed goal; one accepted later is of the new one.
struct ReassignedNames: Sendable, Equatable, Codable {
    /// A goal that had a name before another goal got it.
    private struct FormerHolder: Sendable, Equatable, Codable {
        /// Beeminder's id of the goal.
        let id: String
        /// Its last known name.
        var name: String
        /// The first record that was written when the name was known to belong to another goal.
        let before: UInt64
    }

    /// The former holders of each name, the first one first.
    private var holders: [String: [FormerHolder]] = [:]

    var isEmpty: Bool { holders.isEmpty }

    /// A name belongs to another goal from now on.
    mutating func reassign(_ name: String, of id: String, before next: SequenceNumber) {
        holders[name, default: []].append(FormerHolder(id: id, name: name, before: next.value))
    }

    /// Remembers the present names of the goals, for when they are in no list.
    ///
    /// - Parameter names: by id.
    mutating func follow(_ names: [String: String]) {
        holders = holders.mapValues { list in
            list.map { holder in
                var holder = holder
                holder.name = names[holder.id] ?? holder.name
                return holder
            }
        }
    }

    /// Whether a name had another holder before.
    func has(_ name: String) -> Bool { holders[name] != nil }

    /// The goal that a name meant in a record; nil if the name still means the same goal.
    func holder(
        of name: String, in record: SequenceNumber
    ) -> (id: String, lastName: String)? {
        holders[name]?.first { record.value < $0.before }.map { ($0.id, $0.name) }
    }
}
