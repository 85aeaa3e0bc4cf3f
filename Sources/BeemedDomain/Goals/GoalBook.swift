/// The goals of the account, as Beeminder last told them.
package struct GoalBook: Codable, Sendable, Equatable {
    /// Beeminder's name for the user.
    package var user: String?
    /// Most urgent first.
    package private(set) var goals: [Goal] = []
    /// Whether Beeminder has ever told; until then every name may be a goal.
    package private(set) var isKnown = false

    /// A book in which nothing is known.
    package init() {}

    /// Replaces everything by what Beeminder says.
    mutating func replace(_ goals: [Goal], user: String) {
        self.user = user
        self.goals = goals.sorted {
            ($0.urgencykey ?? "~", $0.slug) < ($1.urgencykey ?? "~", $1.slug)
        }
        isKnown = true
    }

    /// The goal of that name.
    package subscript(_ slug: GoalSlug) -> Goal? {
        goals.first { $0.slug == slug.description }
    }

    /// The goal whose name is most like this one, if it is like it at all.
    package func suggestion(for slug: GoalSlug) -> GoalSlug? {
        let wanted = Array(slug.description.lowercased().utf8)
        let best =
            goals
            .map { (goal: $0, distance: distance(wanted, Array($0.slug.lowercased().utf8))) }
            .min { ($0.distance, $0.goal.slug) < ($1.distance, $1.goal.slug) }
        guard let best, best.distance <= max(2, wanted.count / 3) else { return nil }
        return GoalSlug(best.goal.slug)
    }

    /// How many letters must be added, removed or replaced (Levenshtein, 1965).
    private func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}

/// When to ask for the goals.
struct GoalRefresh: Sendable {
    private var isAsking = false
    private var next: Monotonic?
    private var failures = 0
    private var last: Monotonic?

    /// How long a list is good for, in seconds.
    static let staleAfter = 900.0
    /// How soon a list may be asked for again because a goal is not in it, in seconds.
    static let notBefore = 10.0

    /// When to look again; while it is being asked that is when the answer comes.
    var wake: Monotonic? { isAsking ? nil : next }

    mutating func askNow() {
        next = Monotonic(milliseconds: .min)
    }

    /// A goal was named that is not in the list: it may be new.
    mutating func doubt(at now: Monotonic) {
        if let last, now < last.adding(seconds: GoalRefresh.notBefore) { return }
        askNow()
    }

    mutating func stop() {
        next = nil
    }

    /// Whether to ask now; then it counts as asked.
    mutating func start(at now: Monotonic) -> Bool {
        guard !isAsking, let next, next <= now else { return false }
        isAsking = true
        self.next = nil
        return true
    }

    mutating func succeed(at now: Monotonic) {
        isAsking = false
        failures = 0
        last = now
        next = now.adding(seconds: GoalRefresh.staleAfter)
    }

    /// The token is not taken: what people must repair is looked at now and then.
    mutating func pause(at now: Monotonic) {
        isAsking = false
        next = now.adding(seconds: Backoff.probe)
    }

    mutating func fail(at now: Monotonic, _ randomness: inout some RandomNumberGenerator) {
        isAsking = false
        failures += 1
        next = now.adding(seconds: Backoff.seconds(after: failures, &randomness))
    }
}
