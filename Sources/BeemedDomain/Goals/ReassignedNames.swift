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
