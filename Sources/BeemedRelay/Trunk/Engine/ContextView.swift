import BeemedDomain
import RelayHTTP

/// The part and form of the context that a client requests: a display with a kilobyte of memory
/// requests little.
package struct ContextView: Hashable, Sendable {
    /// Goals, at most.
    var limit = 20
    /// The members of each goal, in their order in the answer, so that the order in which a client
    /// names them makes no other form; nil means all.
    var fields: [GoalMember]?
    /// Plain text lines instead of JSON.
    var isText = false
    /// Seconds to hold the answer until the context changes.
    package var waitSeconds = 0.0

    /// The longest wait, in seconds: shorter than the idle time-outs of routers.
    static let longestWait = 60.0

    static let whole = ContextView()

    /// All that any form may have.
    static let most = ContextView(limit: 100)

    private init(limit: Int = 20) {
        self.limit = limit
    }

    /// The parameters that select a form.
    static let names = ["limit", "fields", "format"]

    /// Reads `limit`, `fields`, `format` and `wait`.
    package init(query: String?) throws(Problem) {
        guard let query, !query.isEmpty else { return }
        let asked = Query(query)
        limit = try asked.number("limit", from: 1...100) ?? limit
        fields = try asked["fields"].map { (text) throws(Problem) in try GoalMember.list(text) }
        isText =
            try asked.value("format", mustBe: "'json' or 'text'") { text in
                ["json", "text"].contains(text) ? text == "text" : nil
            } ?? false
        let wait = try asked.value("wait", mustBe: "seconds, as in 30") { text in
            DecimalText.value(text).flatMap { (0...1e6).contains($0) ? $0 : nil }
        }
        waitSeconds = min(wait ?? 0, ContextView.longestWait)
    }

    /// The same form without a wait.
    var form: ContextView {
        var form = self
        form.waitSeconds = 0
        return form
    }

    /// Distinguishes this form from the others in an ETag; empty for the whole context.
    var tag: String {
        guard self != .whole else { return "" }
        let names = fields?.map(\.rawValue).joined(separator: ".") ?? ""
        return "-\(limit)\(isText ? "t" : "j")\(names)"
    }
}

extension Snapshot {
    func body(_ view: ContextView, generatedAt: UnixTime) -> [UInt8] {
        view.isText ? text(view) : json(view, generatedAt: generatedAt)
    }

    /// A line for the relay and one for each goal, with words separated by spaces.
    private func text(_ view: ContextView) -> [UInt8] {
        var lines = ["\(sync.rawValue) queued=\(queued) refused=\(refused)"]
        for pinned in goals.prefix(view.limit) {
            lines.append(pinned.line)
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private func json(_ view: ContextView, generatedAt: UnixTime) -> [UInt8] {
        let wanted = view.fields ?? GoalMember.allCases
        return JSONWriter.objectLine { json in
            json.add("version", Int64(version))
            json.add("generatedAt", generatedAt.seconds)
            if let user { json.add("user", user) }
            json.add("sync", sync.rawValue)
            json.add("queued", Int64(queued))
            json.add("refused", Int64(refused))
            if held > 0 { json.add("held", Int64(held)) }
            if let deliveryError { json.add("deliveryError", deliveryError) }
            if !atRisk.isEmpty { atRisk.write(to: &json) }
            json.addArray("pinnedGoals", of: goals.prefix(view.limit)) { $0.write(wanted, to: &$1) }
        }
    }
}

extension Snapshot.PinnedGoal {
    fileprivate var line: String {
        let risk = minutesLeft.map { " atRisk=\($0)m" } ?? ""
        return "\(goal.slug) \(urgency.rawValue) queued=\(queued) today=\(today.shortText)\(risk)"
    }

    /// The goal as `GET /goals` shows it, with the values of its last days, if requested.
    func writeWhole(to json: inout JSONWriter, days: [Double]?) {
        write(GoalMember.allCases, to: &json)
        json.add("pinned", isPinned)
        if let pledge = goal.pledge { json.add("pledge", pledge) }
        if let yaw = goal.terms.yaw, yaw < 0 { json.add("doLess", true) }
        if let deadline = goal.deadline { json.add("deadline", Int64(deadline)) }
        guard let days else { return }
        json.addArray("days") { list in
            for value in days { list.element(json: Array("\(value)".utf8)) }
        }
    }

    fileprivate func write(_ wanted: [GoalMember], to json: inout JSONWriter) {
        for member in wanted { write(member, to: &json) }
    }

    private func write(_ member: GoalMember, to json: inout JSONWriter) {
        switch member {
        case .slug: json.add("slug", goal.slug)
        case .title: json.add("title", goal.title ?? goal.slug)
        case .losedate: if let time = goal.losedate { json.add("losedate", time) }
        case .urgency: json.add("urgency", urgency.rawValue)
        case .queued: json.add("queued", Int64(queued))
        case .today: json.add("today", today)
        case .doneToday: json.add("doneToday", isDoneToday)
        case .lastLogged: if let lastLogged { json.add("lastLogged", lastLogged.seconds) }
        case .atRisk:
            guard let minutesLeft else { return }
            json.add("atRisk", true)
            json.add("minutesLeft", minutesLeft)
        case .units: if let units = goal.gunits { json.add("units", units) }
        case .due: if let due = goal.terms.limsum { json.add("due", due) }
        // Where a +1 would be wrong, a client offers the last value instead.
        case .adds: if !goal.countsPresses { json.add("adds", false) }
        case .lastValue:
            if !goal.countsPresses, let lastValue { json.add("lastValue", lastValue) }
        }
    }
}

/// A member of a goal in the context, in the order of the answer.
enum GoalMember: String, CaseIterable, Sendable {
    case slug, title, losedate, urgency, queued, today, doneToday, lastLogged, atRisk, units, due
    case adds, lastValue

    /// Reads names with commas between them.
    static func list(_ text: String) throws(Problem) -> [GoalMember] {
        var named: [GoalMember] = []
        for name in text.split(separator: ",") {
            guard let member = GoalMember(rawValue: String(name)) else {
                let names = allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformed("a goal has no field '\(name.prefix(40))'; it has \(names)")
            }
            named.append(member)
        }
        guard !named.isEmpty else { throw .malformed("'fields' names none; leave it out") }
        return allCases.filter(named.contains)
    }
}

/// Cache of `GET /context` responses, one per version and form: most requests find that nothing has
/// changed.
struct ContextCache: Sendable {
    private var responses: [ContextView: Response] = [:]
    private var snapshot: Snapshot?
    private var generatedAt = UnixTime(0)
    private var madeAt: Monotonic?
    /// Increases with each snapshot that says something new.
    private(set) var edition: UInt64 = 0
    /// Distinguishes this process's versions from those of an earlier one.
    private let start = String(UInt32.random(in: 0 ... .max), radix: 36)

    /// Cached forms, at most.
    private static let maxForms = 32

    /// How long a snapshot is good without an event, in seconds: time alone ends days, makes goals
    /// urgent, and sets clocks.
    static let goodSeconds = 1.0
    /// How late those who wait are told of that, in seconds: to look each second would cost more
    /// than all else that an idle relay does.
    private static let watchSeconds = 15.0

    /// When to look whether time alone has changed something; nil without a snapshot.
    var wakeAt: Monotonic? { madeAt?.adding(seconds: ContextCache.watchSeconds) }

    /// Whether something has changed since the snapshot, or may have by time alone.
    func isStale(version: UInt64, at now: Monotonic) -> Bool {
        guard snapshot?.version == version, let madeAt else { return true }
        return madeAt.adding(seconds: ContextCache.goodSeconds) <= now
    }

    /// - Parameter wall: the present time by the clock that counts.
    mutating func fill(_ snapshot: Snapshot, at now: Monotonic, corrected wall: UnixTime) {
        madeAt = now
        if self.snapshot?.version == snapshot.version, snapshot.saysTheSame(as: self.snapshot) {
            return
        }
        edition += 1
        (self.snapshot, generatedAt) = (snapshot, wall)
        responses.removeAll(keepingCapacity: true)
    }

    /// The snapshot in the requested form; 304 to a client that has it (RFC 9110 section 13.1.2).
    mutating func response(_ view: ContextView, ifNoneMatch: KnownTags?) -> Response {
        whole(view).unlessKnown(ifNoneMatch)
    }

    private mutating func whole(_ view: ContextView) -> Response {
        if let known = responses[view] { return known }
        guard let snapshot else { preconditionFailure("asked before it was filled") }
        let kind = view.isText ? "text/plain; charset=utf-8" : "application/json"
        let tag = "\"\(start)-\(edition)\(view.tag)\""
        let made = Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", kind), Response.Field("ETag", tag),
                Response.Field("Cache-Control", "no-cache"),
            ], body: snapshot.body(view, generatedAt: generatedAt))
        if responses.count >= ContextCache.maxForms { responses.removeAll() }
        responses[view] = made
        return made
    }
}

extension Snapshot {
    /// Whether both say the same, but for when.
    fileprivate func saysTheSame(as other: Snapshot?) -> Bool {
        let some = UnixTime(0)
        return body(.most, generatedAt: some) == other?.body(.most, generatedAt: some)
    }
}
