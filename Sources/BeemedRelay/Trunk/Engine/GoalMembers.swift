/// Members of a goal in the context. A set, since the order in which a client names them, and how
/// often, makes no other form of the context.
struct GoalMembers: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    static let slug = GoalMembers(rawValue: 1 << 0)
    static let title = GoalMembers(rawValue: 1 << 1)
    static let losedate = GoalMembers(rawValue: 1 << 2)
    static let urgency = GoalMembers(rawValue: 1 << 3)
    static let queued = GoalMembers(rawValue: 1 << 4)
    static let today = GoalMembers(rawValue: 1 << 5)
    static let doneToday = GoalMembers(rawValue: 1 << 6)
    static let lastLogged = GoalMembers(rawValue: 1 << 7)
    static let atRisk = GoalMembers(rawValue: 1 << 8)
    static let units = GoalMembers(rawValue: 1 << 9)
    static let due = GoalMembers(rawValue: 1 << 10)
    static let adds = GoalMembers(rawValue: 1 << 11)
    static let lastValue = GoalMembers(rawValue: 1 << 12)

    /// All of them.
    static let all = GoalMembers(rawValue: (1 << allNames.count) - 1)

    /// Their names, each at the place of its bit.
    private static let allNames = [
        "slug", "title", "losedate", "urgency", "queued", "today", "doneToday", "lastLogged",
        "atRisk", "units", "due", "adds", "lastValue",
    ]

    /// The names of those in the set.
    var names: [String] {
        GoalMembers.allNames.indices.filter { rawValue & 1 << $0 != 0 }
            .map { GoalMembers.allNames[$0] }
    }

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Reads names with commas between them.
    ///
    /// - Throws: `Problem` for an unknown name, and for none.
    init(_ text: String) throws(Problem) {
        var members: GoalMembers = []
        for name in text.split(separator: ",") {
            guard let place = GoalMembers.allNames.firstIndex(of: String(name)) else {
                let all = GoalMembers.allNames.joined(separator: ", ")
                throw .malformed("a goal has no field '\(name.prefix(40))'; it has \(all)")
            }
            members.insert(GoalMembers(rawValue: 1 << place))
        }
        guard !members.isEmpty else { throw .malformed("'fields' names none; leave it out") }
        self = members
    }
}
