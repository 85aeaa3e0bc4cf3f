#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The goals of the account, as Beeminder last reported them.
package struct GoalBook: Sendable, Equatable {
    /// The user to whom they belong, if Beeminder has named one.
    package private(set) var user: String?
    /// Beeminder's id of the user; nil when it is not known.
    private var userID: String?
    /// The user's time zone, an IANA name that is known here; nil when Beeminder has given none.
    package private(set) var timezone: String?
    /// When the goals were last received.
    package private(set) var asOf: UnixTime?
    /// The user's `updated_at` when the goals were last received.
    private(set) var updatedAt: Int64?
    /// Most urgent first.
    package private(set) var goals: [Goal] = []
    /// Whether Beeminder has answered under this connection; until then any name may be a goal.
    package private(set) var isKnown = false
    /// The user of each connection, if known: a cache of the journal's bindings, and the only place
    /// where earlier versions stored them.
    private(set) var users: [String: String] = [:]
    /// The ids of renamed goals, by former name, and of those that are gone: an archived goal may
    /// be renamed before it is restored.
    private var formerNames: [String: String] = [:]
    /// The ids of the goals of formerly connected users, who may be connected again, by all names:
    /// devices still use these, and a goal may be renamed meanwhile.
    private var formerNamesOfUsers: [String: [String: String]] = [:]
    /// Former names that belong to other goals now.
    private var takenNames = TakenNames()
    /// Deadlines that passed while presses waited, by goal.
    private var missedDeadlines: [String: Int64] = [:]
    /// When the goals of formerly connected users derail, as last reported, in Unix seconds by user
    /// and goal: presses of these users may still wait.
    private var formerDeadlines: [String: [String: Int64]] = [:]
    /// The position of each goal in `goals`.
    private var places: [String: Int] = [:]

    /// Creates a book without any goals.
    package init() {}

    /// The maximum number of connections whose user stays known.
    private static let mostUsers = 50

    /// Stores the user of a connection. Of other users only the deadlines are kept.
    mutating func learn(_ user: UpstreamUser, of connection: ConnectionName?) {
        if self.user != nil, !isSame(user) { change(to: user.name) }
        (self.user, userID) = (user.name, user.id ?? userID)
        timezone = user.timezone.flatMap(TimeZone.name) ?? timezone
        guard let connection, users[connection.description] != user.name else { return }
        if users.count >= GoalBook.mostUsers { users.removeAll() }
        users[connection.description] = user.name
    }

    /// Whether it is the user of the goals, who may have been renamed.
    private func isSame(_ user: UpstreamUser) -> Bool {
        user.name == self.user || (user.id != nil && user.id == userID)
    }

    /// Another user than before is connected.
    private mutating func change(to user: String) {
        keepDeadlines()
        if let former = self.user {
            var names = formerNames
            for goal in goals { names[goal.slug] = goal.id }
            if formerNamesOfUsers.count >= GoalBook.mostUsers { formerNamesOfUsers.removeAll() }
            formerNamesOfUsers[former] = names.isEmpty ? nil : names
        }
        formerNames = formerNamesOfUsers.removeValue(forKey: user) ?? [:]
        goals = []
        missedDeadlines = [:]
        places = [:]
        (timezone, userID) = (nil, nil)
        doubt()
    }

    private mutating func keepDeadlines() {
        guard let user else { return }
        var deadlines: [String: Int64] = [:]
        for goal in goals { deadlines[goal.slug] = missedDeadlines[goal.slug] ?? goal.losedate }
        if !deadlines.isEmpty { formerDeadlines[user] = deadlines }
    }

    /// Keeps the deadlines only of users with waiting presses.
    mutating func keepDeadlines(of users: Set<String>) {
        formerDeadlines = formerDeadlines.filter { users.contains($0.key) }
    }

    /// Whether deadlines of other users than the current one are kept.
    var hasFormerDeadlines: Bool { !formerDeadlines.isEmpty }

    /// When a goal of a user who is not connected derails, as last reported, in Unix seconds; nil
    /// when unknown.
    func formerDeadline(of slug: GoalSlug, _ user: String) -> Int64? {
        formerDeadlines[user]?[slug.description]
    }

    /// Replaces the goals by Beeminder's list. A renamed goal is found under both names: its id
    /// stays, and devices still use the old name.
    ///
    /// - Parameter next: the number of the next record; events before it that name a goal mean the
    ///   one that had the name until now.
    mutating func replace(
        _ goals: [Goal], user: UpstreamUser, at now: UnixTime,
        before next: SequenceNumber = SequenceNumber(.max)
    ) {
        let holders = isSame(user) ? idsByName : [:]
        if isSame(user) { recordRenamed(goals) } else { change(to: user.name) }
        (self.user, userID) = (user.name, user.id ?? userID)
        timezone = user.timezone.flatMap(TimeZone.name) ?? timezone
        updatedAt = user.updatedAt
        asOf = now
        self.goals = goals.sorted {
            ($0.urgencykey ?? "~", $0.slug) < ($1.urgencykey ?? "~", $1.slug)
        }
        index()
        // Those that a user's return has brought along and that are still the goals' names.
        formerNames = formerNames.filter { name, id in
            places[name].map { self.goals[$0].id != id } ?? true
        }
        recordTaken(formerNames.merging(holders) { _, latest in latest }, before: next)
        isKnown = true
    }

    private var idsByName: [String: String] {
        Dictionary(
            goals.compactMap { goal in goal.id.map { (goal.slug, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// A goal that was renamed, or archived, may have left its name to another one.
    ///
    /// - Parameter holders: the ids of the goals that had the names last.
    private mutating func recordTaken(
        _ holders: [String: String], before next: SequenceNumber
    ) {
        let ids = idsByName
        for (name, id) in ids {
            guard let former = holders[name], former != id else { continue }
            takenNames.record(name, of: former, takenBy, before: next)
        }
        guard !takenNames.isEmpty else { return }
        let names = Dictionary(ids.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        takenNames.follow(names, takenBy)
    }

    /// What another relay of the cluster must know of the names.
    package var sharedNames: GoalNames {
        GoalNames(
            user: user, userID: userID, present: idsByName, former: formerNames,
            formerOfUsers: formerNamesOfUsers, taken: takenNames)
    }

    /// Another relay may have led the cluster since the list was saved: its names count.
    package mutating func use(_ names: GoalNames) {
        guard names != sharedNames else { return }
        if names.user != user, names.userID == nil || names.userID != userID {
            names.user.map { change(to: $0) }
        }
        (user, userID) = (names.user, names.userID)
        (formerNamesOfUsers, takenNames) = (names.formerOfUsers, names.taken)
        goals = names.renamed(goals)
        index()
        formerNames = names.former
        for (name, id) in names.present where places[name] == nil { formerNames[name] = id }
        doubt()
    }

    private var takenBy: TakenNames.User { TakenNames.User(id: userID, name: user) }

    /// Another account may have other goals: no press is refused until they are known.
    mutating func doubt() {
        isKnown = false
        updatedAt = nil
    }

    private mutating func recordRenamed(_ goals: [Goal]) {
        let names = Set(goals.map(\.slug))
        for old in self.goals where !names.contains(old.slug) {
            if let id = old.id { formerNames[old.slug] = id }
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

    mutating func record(missedDeadlines deadlines: [String: Int64]) {
        missedDeadlines = deadlines
    }

    /// Beeminder's id of a goal, also of one that is gone; nil when it is not known.
    func id(of slug: GoalSlug) -> String? { self[slug]?.id ?? formerNames[slug.description] }

    /// Whether any goal was renamed, or is gone.
    var hasFormerNames: Bool { !formerNames.isEmpty || !takenNames.isEmpty }

    /// Whether any name belonged to another goal before.
    var hasTakenNames: Bool { !takenNames.isEmpty }

    /// Whether another goal had that name before.
    func isTaken(_ slug: GoalSlug) -> Bool { takenNames.has(slug.description, takenBy) }

    /// Whether both have the same contents, whenever Beeminder was asked.
    func says(theSameAs other: GoalBook) -> Bool {
        var copy = self
        copy.asOf = other.asOf
        return copy == other
    }

    /// Whether a goal has that name.
    func holds(_ slug: GoalSlug) -> Bool { places[slug.description] != nil }

    /// The current name of a goal that may have been renamed.
    @inline(__always)
    package func current(_ slug: GoalSlug) -> GoalSlug {
        guard !formerNames.isEmpty, places[slug.description] == nil,
            let id = formerNames[slug.description]
        else { return slug }
        return GoalBook.name(of: id, in: goals) ?? slug
    }

    /// The current name of the goal that a record means by a name: it may have been renamed, and
    /// its name may belong to another goal now.
    @inline(__always)
    package func current(_ slug: GoalSlug, in record: SequenceNumber) -> GoalSlug {
        takenNames.isEmpty ? current(slug) : formerHolder(of: slug, in: record) ?? current(slug)
    }

    // Not inlined: its closure would make every caller copy the book first.
    @inline(never)
    private func formerHolder(of slug: GoalSlug, in record: SequenceNumber) -> GoalSlug? {
        takenNames.holder(of: slug.description, in: record, takenBy).flatMap { id, name in
            GoalBook.name(of: id, in: goals) ?? GoalSlug(name)
        }
    }

    /// The datapoint of that record was found at the goal that has the name now.
    mutating func record(given record: SequenceNumber, by slug: GoalSlug) {
        takenNames.record(given: record, by: slug.description, takenBy)
    }

    /// The goal that a record means by a name.
    ///
    /// - Returns: its id, if known, and whether it is in no list, and its name is another goal's.
    func meaning(
        of slug: GoalSlug, in record: SequenceNumber
    ) -> (id: String?, isNameTaken: Bool) {
        guard let (id, name) = takenNames.holder(of: slug.description, in: record, takenBy) else {
            return (self.id(of: current(slug)), false)
        }
        return (id, GoalBook.name(of: id, in: goals) == nil && places[name] != nil)
    }

    /// Other goals that may have the datapoint of an event: when it was sent, its goal's name may
    /// have belonged to one of them already, and no list had told so.
    ///
    /// - Parameters:
    ///   - slug: the name of its goal, in that record.
    ///   - event: the record of the event.
    func otherGoals(
        than slug: GoalSlug, in record: SequenceNumber, of event: SequenceNumber
    ) -> [GoalSlug] {
        guard !takenNames.isEmpty, let id = meaning(of: slug, in: record).id else { return [] }
        return takenNames.names(of: id, in: event, takenBy).compactMap(GoalSlug.init)
            .filter { self[$0].map { $0.id != id } ?? false }
    }

    /// The present name of a goal that had this name in an earlier list.
    func follow(_ slug: GoalSlug, from before: GoalBook) -> GoalSlug {
        before[slug]?.id.flatMap { GoalBook.name(of: $0, in: goals) } ?? current(slug)
    }

    private static func name(of id: String, in goals: [Goal]) -> GoalSlug? {
        goals.first { $0.id == id }.flatMap { GoalSlug($0.slug) }
    }

    /// All names under which a goal is or was known, the current one first: settings keep the name
    /// under which they were made.
    package func names(of slug: GoalSlug) -> [String] {
        let current = current(slug)
        guard !formerNames.isEmpty, let id = self[current]?.id else { return ["\(slug)"] }
        let former = formerNames.filter { $0.value == id && places[$0.key] == nil }.map(\.key)
        return ["\(current)"] + former.sorted()
    }

    /// Whether Beeminder has not processed the latest datapoints: the reported goals are outdated.
    var isUpstreamBusy: Bool { goals.contains { $0.queued == true } }

    /// The goal with the most similar name, if any is similar.
    package func suggestion(for slug: GoalSlug) -> GoalSlug? {
        let wanted = Array(slug.description.lowercased().utf8)
        var most = max(2, wanted.count / 3)
        var best: String?
        for goal in goals {
            let name = Array(goal.slug.lowercased().utf8)
            guard let distance = wanted.distance(to: name, atMost: most),
                best.map({ distance < most || goal.slug < $0 }) ?? true
            else { continue }
            (best, most) = (goal.slug, distance)
        }
        return best.flatMap(GoalSlug.init)
    }
}

extension [UInt8] {
    /// The number of letters to add, remove or replace (Levenshtein, 1965); nil if greater than
    /// `most`, which is usually found without comparing every letter.
    package func distance(to right: [UInt8], atMost most: Int) -> Int? {
        guard abs(count - right.count) <= most else { return nil }
        var row = Array<Int>(0...right.count)
        for (index, byte) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            var least = row[0]
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, row[column] + 1, row[column + 1] + 1)
                least = Swift.min(least, row[column + 1])
            }
            guard least <= most else { return nil }
        }
        return row[right.count] <= most ? row[right.count] : nil
    }
}

extension GoalBook: Codable {
    private enum CodingKeys: String, CodingKey {
        case user, userID, timezone, goals, isKnown, users, formerNames, asOf, missedDeadlines
        case formerDeadlines, formerNamesOfUsers, takenNames
    }

    /// Fields that an earlier version has not written are unknown.
    package init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        user = try saved.decodeIfPresent(String.self, forKey: .user)
        userID = try saved.decodeIfPresent(String.self, forKey: .userID)
        timezone = try saved.decodeIfPresent(String.self, forKey: .timezone)
        goals = try saved.decodeIfPresent([Goal].self, forKey: .goals) ?? []
        isKnown = try saved.decodeIfPresent(Bool.self, forKey: .isKnown) ?? false
        users = try saved.decodeIfPresent([String: String].self, forKey: .users) ?? [:]
        formerNames = try saved.decodeIfPresent([String: String].self, forKey: .formerNames) ?? [:]
        formerNamesOfUsers =
            try saved.decodeIfPresent(
                [String: [String: String]].self, forKey: .formerNamesOfUsers) ?? [:]
        takenNames = try saved.decodeIfPresent(TakenNames.self, forKey: .takenNames) ?? takenNames
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
        try saved.encodeIfPresent(userID, forKey: .userID)
        try saved.encodeIfPresent(timezone, forKey: .timezone)
        try saved.encode(goals, forKey: .goals)
        try saved.encode(isKnown, forKey: .isKnown)
        try saved.encode(users, forKey: .users)
        try saved.encode(formerNames, forKey: .formerNames)
        try saved.encode(missedDeadlines, forKey: .missedDeadlines)
        if !formerNamesOfUsers.isEmpty {
            try saved.encode(formerNamesOfUsers, forKey: .formerNamesOfUsers)
        }
        if !takenNames.isEmpty { try saved.encode(takenNames, forKey: .takenNames) }
        if !formerDeadlines.isEmpty {
            try saved.encode(formerDeadlines, forKey: .formerDeadlines)
        }
        try saved.encodeIfPresent(asOf?.seconds, forKey: .asOf)
    }
}
