import Foundation

/// The goals of the account, as Beeminder last reported them.
package struct GoalBook: Sendable, Equatable {
    /// The user to whom they belong, if Beeminder has named one.
    package private(set) var user: String?
    /// Beeminder's id of the user; nil when unknown.
    private var userID: String?
    /// The user's time zone; nil until Beeminder has named one that this machine knows.
    package private(set) var zone: Zone?
    /// The name that Beeminder gives the user's time zone when this machine does not know it.
    package private(set) var unknownZone: String?
    /// When the goals were last received.
    package private(set) var asOf: UnixTime?
    /// The user's `updated_at` when the goals were last received.
    private(set) var updatedAt: Int64?
    /// Most urgent first.
    package private(set) var goals: [Goal] = []
    /// Whether Beeminder has answered under this token; until then any name may be a goal.
    package private(set) var isKnown = false
    /// The ids of renamed goals, by former name, and of those that are gone: an archived goal may
    /// be renamed before it is restored.
    private var formerNames: [String: String] = [:]
    /// Former names that belong to other goals now.
    private var takenNames = ReassignedNames()
    /// Deadlines that passed while presses waited, by goal.
    private var missedDeadlines: [String: Int64] = [:]
    /// The position of each goal in `goals`.
    private var indices: [String: Int] = [:]

    /// Creates a book without any goals.
    package init() {}

    /// The same of a user.
    package init(of user: UpstreamUser) { learn(user) }

    /// Stores what Beeminder says of the user.
    mutating func learn(_ user: UpstreamUser) {
        (self.user, userID) = (user.name, user.id ?? userID)
        // No file is read for a name that is known: this runs on the loop, at each refresh.
        guard let name = user.timezone, name != zone?.name || unknownZone != nil else { return }
        let known = Zone(named: name)
        zone = known ?? zone
        unknownZone = known == nil ? name : nil
    }

    /// The days of a goal, by any of its names; without a goal those of the calendar. They are in
    /// UTC while the user's time zone is unknown.
    func days(of goal: GoalSlug? = nil) -> GoalDay {
        days(deadline: goal.flatMap { self[current($0)]?.deadline })
    }

    /// The days of a goal with that deadline, in the same zone.
    func days(deadline: Int?) -> GoalDay { GoalDay(zone: zone ?? .utc, deadline: deadline ?? 0) }

    /// Whether these are certainly the goals of another user.
    package func isOfAnother(than owner: FolderUser) -> Bool {
        guard let user else { return false }
        return owner.likeness(of: UpstreamUser(name: user, id: userID)) == .other
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
        let holders = idsByName
        recordRenamed(goals)
        learn(user)
        updatedAt = user.updatedAt
        asOf = now
        self.goals = goals.sorted {
            ($0.urgencykey ?? "~", $0.slug) < ($1.urgencykey ?? "~", $1.slug)
        }
        index()
        formerNames = formerNames.filter { name, id in
            indices[name].map { self.goals[$0].id != id } ?? true
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
    private mutating func recordTaken(
        _ holders: [String: String], before next: SequenceNumber
    ) {
        let ids = idsByName
        for (name, id) in ids {
            guard let former = holders[name], former != id else { continue }
            takenNames.reassign(name, of: former, before: next)
        }
        guard !takenNames.isEmpty else { return }
        let names = Dictionary(ids.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        takenNames.follow(names)
    }

    /// Another token may be another user's: no press is refused until the goals are known.
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
        indices = Dictionary(
            goals.enumerated().map { ($1.slug, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The goal of that name.
    package subscript(_ slug: GoalSlug) -> Goal? {
        indices[slug.description].map { goals[$0] }
    }

    /// The deadline of a goal that passed while presses for it waited, in Unix seconds.
    func missedDeadline(of slug: GoalSlug) -> Int64? { missedDeadlines[slug.description] }

    mutating func note(missedDeadlines deadlines: [String: Int64]) {
        missedDeadlines = deadlines
    }

    /// Beeminder's id of a goal, also of one that is gone; nil when unknown.
    func id(of slug: GoalSlug) -> String? { self[slug]?.id ?? formerNames[slug.description] }

    /// Whether another goal had that name before.
    func isTaken(_ slug: GoalSlug) -> Bool { takenNames.has(slug.description) }

    /// Whether both have the same contents, whenever Beeminder was asked.
    func says(theSameAs other: GoalBook) -> Bool {
        var copy = self
        copy.asOf = other.asOf
        return copy == other
    }

    /// Whether a goal has that name.
    func holds(_ slug: GoalSlug) -> Bool { indices[slug.description] != nil }

    /// The current name of a goal that may have been renamed.
    @inline(__always)
    package func current(_ slug: GoalSlug) -> GoalSlug {
        guard !formerNames.isEmpty, indices[slug.description] == nil,
            let id = formerNames[slug.description]
        else { return slug }
        return GoalBook.name(of: id, in: goals) ?? slug
    }

    /// Whether each goal has had one name as far as is known.
    var hasNoFormerNames: Bool { formerNames.isEmpty && takenNames.isEmpty }

    /// The current name of the goal that a record means by a name: it may have been renamed, and
    /// its name may belong to another goal now.
    @inline(__always)
    package func current(_ slug: GoalSlug, in record: SequenceNumber) -> GoalSlug {
        takenNames.isEmpty ? current(slug) : formerHolder(of: slug, in: record) ?? current(slug)
    }

    @inline(never)
    private func formerHolder(of slug: GoalSlug, in record: SequenceNumber) -> GoalSlug? {
        takenNames.holder(of: slug.description, in: record).flatMap { id, name in
            GoalBook.name(of: id, in: goals) ?? GoalSlug(name)
        }
    }

    /// The goal that a record means by a name.
    ///
    /// - Returns: its id, if known, and whether it is in no list, and its name is another goal's.
    func meaning(
        of slug: GoalSlug, in record: SequenceNumber
    ) -> (id: String?, isNameTaken: Bool) {
        guard let (id, name) = takenNames.holder(of: slug.description, in: record) else {
            return (self.id(of: current(slug)), false)
        }
        return (id, GoalBook.name(of: id, in: goals) == nil && indices[name] != nil)
    }

    /// The names that a goal had, of which no other one has got one since.
    func formerNames(of id: String) -> [GoalSlug] {
        formerNames.filter { $0.value == id }.compactMap { GoalSlug($0.key) }
    }

    private static func name(of id: String, in goals: [Goal]) -> GoalSlug? {
        goals.first { $0.id == id }.flatMap { GoalSlug($0.slug) }
    }

    /// All names under which a goal is or was known, the current one first: settings keep the name
    /// under which they were made.
    package func names(of slug: GoalSlug) -> [String] {
        let current = current(slug)
        guard !formerNames.isEmpty, let id = self[current]?.id else { return ["\(slug)"] }
        let former = formerNames.filter { $0.value == id && indices[$0.key] == nil }.map(\.key)
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
        case user, userID, timezone, goals, isKnown, formerNames, asOf, missedDeadlines
        case takenNames = "namesTaken"
    }

    /// Fields that an earlier version has not written are unknown.
    package init(from decoder: any Decoder) throws {
        let saved = try decoder.container(keyedBy: CodingKeys.self)
        user = try saved.decodeIfPresent(String.self, forKey: .user)
        userID = try saved.decodeIfPresent(String.self, forKey: .userID)
        let timezone = try saved.decodeIfPresent(String.self, forKey: .timezone)
        zone = timezone.flatMap { Zone(named: $0) }
        goals = try saved.decodeIfPresent([Goal].self, forKey: .goals) ?? []
        isKnown = try saved.decodeIfPresent(Bool.self, forKey: .isKnown) ?? false
        formerNames = try saved.decodeIfPresent([String: String].self, forKey: .formerNames) ?? [:]
        takenNames =
            try saved.decodeIfPresent(ReassignedNames.self, forKey: .takenNames) ?? takenNames
        missedDeadlines =
            try saved.decodeIfPresent([String: Int64].self, forKey: .missedDeadlines) ?? [:]
        asOf = try saved.decodeIfPresent(Int64.self, forKey: .asOf).map(UnixTime.init)
        index()
    }

    package func encode(to encoder: any Encoder) throws {
        var saved = encoder.container(keyedBy: CodingKeys.self)
        try saved.encodeIfPresent(user, forKey: .user)
        try saved.encodeIfPresent(userID, forKey: .userID)
        try saved.encodeIfPresent(zone?.name, forKey: .timezone)
        try saved.encode(goals, forKey: .goals)
        try saved.encode(isKnown, forKey: .isKnown)
        try saved.encode(formerNames, forKey: .formerNames)
        try saved.encode(missedDeadlines, forKey: .missedDeadlines)
        if !takenNames.isEmpty { try saved.encode(takenNames, forKey: .takenNames) }
        try saved.encodeIfPresent(asOf?.seconds, forKey: .asOf)
    }
}
