/// The goals of the account, as Beeminder last told them.
package struct GoalBook: Sendable, Equatable {
    /// Whose they are, as far as Beeminder has said.
    package private(set) var user: String?
    /// The user's time zone, as in the IANA database.
    package private(set) var timezone: String?
    /// When the goals last came.
    package private(set) var asOf: UnixTime?
    /// The user's `updated_at` when the goals last came.
    private(set) var updatedAt: Int64?
    /// Most urgent first.
    package private(set) var goals: [Goal] = []
    /// Whether Beeminder has told under this connection; until then every name may be a goal.
    package private(set) var isKnown = false
    /// Whose each connection was, as far as Beeminder has said: a cache of what the journal holds,
    /// and all that earlier versions wrote of it.
    private(set) var users: [String: String] = [:]
    /// The ids of goals that have gone by another name before, by that name.
    private var formerNames: [String: String] = [:]
    /// Deadlines that have passed while presses waited, by goal.
    private var missedDeadlines: [String: Int64] = [:]
    /// When the goals of users who were connected before derail, as far as was last heard, in
    /// Unix seconds by user and goal: presses of theirs may still wait.
    private var formerDeadlines: [String: [String: Int64]] = [:]
    /// Where each goal stands in `goals`.
    private var places: [String: Int] = [:]

    /// A book in which nothing is known.
    package init() {}

    /// Connections whose user stays known, at most.
    private static let mostUsers = 50

    /// Notes whose a connection is. Of another user nothing is kept but the deadlines.
    mutating func learn(_ user: UpstreamUser, of connection: ConnectionName?) {
        if let former = self.user, former != user.name { forgetAll() }
        self.user = user.name
        timezone = user.timezone ?? timezone
        guard let connection, users[connection.description] != user.name else { return }
        if users.count >= GoalBook.mostUsers { users.removeAll() }
        users[connection.description] = user.name
    }

    private mutating func forgetAll() {
        keepDeadlines()
        goals = []
        formerNames = [:]
        missedDeadlines = [:]
        places = [:]
        timezone = nil
        doubt()
    }

    private mutating func keepDeadlines() {
        guard let user else { return }
        var deadlines: [String: Int64] = [:]
        for goal in goals { deadlines[goal.slug] = missedDeadlines[goal.slug] ?? goal.losedate }
        if !deadlines.isEmpty { formerDeadlines[user] = deadlines }
    }

    /// Keeps the deadlines of those users only who have presses that wait.
    mutating func keepDeadlines(of users: Set<String>) {
        formerDeadlines = formerDeadlines.filter { users.contains($0.key) }
    }

    /// Whether deadlines of other users than the present one are kept.
    var hasFormerDeadlines: Bool { !formerDeadlines.isEmpty }

    /// When a goal of a user who is not connected derails, as far as was last heard, in Unix
    /// seconds; nil when it never was.
    func formerDeadline(of slug: GoalSlug, _ user: String) -> Int64? {
        formerDeadlines[user]?[slug.description]
    }

    /// Replaces the goals by what Beeminder says. A goal that has another name than before is
    /// found under both (its id stays, and nobody tells the devices).
    mutating func replace(_ goals: [Goal], user: UpstreamUser, at now: UnixTime) {
        if user.name == self.user { noteRenamed(goals) } else { forgetAll() }
        self.user = user.name
        timezone = user.timezone ?? timezone
        updatedAt = user.updatedAt
        asOf = now
        self.goals = goals.sorted {
            ($0.urgencykey ?? "~", $0.slug) < ($1.urgencykey ?? "~", $1.slug)
        }
        index()
        isKnown = true
    }

    /// Another account may have other goals: nothing is refused until they are known.
    mutating func doubt() {
        isKnown = false
        updatedAt = nil
    }

    private mutating func noteRenamed(_ goals: [Goal]) {
        let names = Set(goals.map(\.slug))
        let ids = Set(goals.compactMap(\.id))
        for old in self.goals where !names.contains(old.slug) {
            if let id = old.id, ids.contains(id) { formerNames[old.slug] = id }
        }
    }

    private mutating func index() {
        places = Dictionary(
            goals.enumerated().map { ($1.slug, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The goal of that name.
    package subscript(_ slug: GoalSlug) -> Goal? {
        places[slug.description].map { goals[$0] }
    }

    /// The deadline of a goal that passed while presses for it waited, in Unix seconds.
    func missedDeadline(of slug: GoalSlug) -> Int64? { missedDeadlines[slug.description] }

    mutating func note(missedDeadlines deadlines: [String: Int64]) {
        missedDeadlines = deadlines
    }

    /// Whether there is a goal that has gone by another name before.
    var hasFormerNames: Bool { !formerNames.isEmpty }

    /// Whether it says the same, whenever Beeminder was asked.
    func says(theSameAs other: GoalBook) -> Bool {
        var copy = self
        copy.asOf = other.asOf
        return copy == other
    }

    /// Whether there is a goal of that name.
    func holds(_ slug: GoalSlug) -> Bool { places[slug.description] != nil }

    /// What a goal is called now that was called so once.
    package func current(_ slug: GoalSlug) -> GoalSlug {
        guard !formerNames.isEmpty, places[slug.description] == nil,
            let id = formerNames[slug.description],
            let goal = goals.first(where: { $0.id == id })
        else { return slug }
        return GoalSlug(goal.slug) ?? slug
    }

    /// Whether Beeminder has not worked in what was last logged: what it says of them is stale.
    var isUpstreamBusy: Bool { goals.contains { $0.queued == true } }

    /// The goal whose name is most like this one, if it is like it at all.
    package func suggestion(for slug: GoalSlug) -> GoalSlug? {
        let wanted = Array(slug.description.lowercased().utf8)
        var most = max(2, wanted.count / 3)
        var best: String?
        for goal in goals {
            let name = Array(goal.slug.lowercased().utf8)
            guard let distance = distance(wanted, name, atMost: most),
                best.map({ distance < most || goal.slug < $0 }) ?? true
            else { continue }
            (best, most) = (goal.slug, distance)
        }
        return best.flatMap(GoalSlug.init)
    }

    /// How many letters must be added, removed or replaced (Levenshtein, 1965); nil when more than
    /// that, which is mostly seen without looking at every letter.
    private func distance(_ left: [UInt8], _ right: [UInt8], atMost most: Int) -> Int? {
        guard abs(left.count - right.count) <= most else { return nil }
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            var least = row[0]
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
                least = min(least, row[column + 1])
            }
            guard least <= most else { return nil }
        }
        return row[right.count] <= most ? row[right.count] : nil
    }
}

extension GoalBook: Codable {
    private enum CodingKeys: String, CodingKey {
        case user, timezone, goals, isKnown, users, formerNames, asOf, missedDeadlines
        case formerDeadlines
    }

    /// What an earlier version has not written is not known.
    package init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        user = try saved.decodeIfPresent(String.self, forKey: .user)
        timezone = try saved.decodeIfPresent(String.self, forKey: .timezone)
        goals = try saved.decodeIfPresent([Goal].self, forKey: .goals) ?? []
        isKnown = try saved.decodeIfPresent(Bool.self, forKey: .isKnown) ?? false
        users = try saved.decodeIfPresent([String: String].self, forKey: .users) ?? [:]
        formerNames = try saved.decodeIfPresent([String: String].self, forKey: .formerNames) ?? [:]
        missedDeadlines =
            try saved.decodeIfPresent([String: Int64].self, forKey: .missedDeadlines) ?? [:]
        formerDeadlines =
            try saved.decodeIfPresent([String: [String: Int64]].self, forKey: .formerDeadlines)
            ?? [:]
        asOf = try saved.decodeIfPresent(Int64.self, forKey: .asOf).map(UnixTime.init)
        index()
    }

    package func encode(to encoder: any Encoder) throws {
        var saved = encoder.container(keyedBy: CodingKeys.self)
        try saved.encodeIfPresent(user, forKey: .user)
        try saved.encodeIfPresent(timezone, forKey: .timezone)
        try saved.encode(goals, forKey: .goals)
        try saved.encode(isKnown, forKey: .isKnown)
        try saved.encode(users, forKey: .users)
        try saved.encode(formerNames, forKey: .formerNames)
        try saved.encode(missedDeadlines, forKey: .missedDeadlines)
        if !formerDeadlines.isEmpty {
            try saved.encode(formerDeadlines, forKey: .formerDeadlines)
        }
        try saved.encodeIfPresent(asOf?.seconds, forKey: .asOf)
    }
}
