import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A request with health data whose days are on their way through the core.
struct HealthBatch {
    /// One line of the answer.
    struct Line {
        var rule: RuleName
        var goal: GoalSlug
        var day: Daystamp
        var value: Double
        /// Nil while pending.
        var word: String?
        /// Why it is ignored.
        var why: String?
    }

    /// Who waits for it.
    enum Origin {
        case request(Call)
        /// Nobody any more: the body of that number was held.
        case held(Int)
    }

    let origin: Origin
    let isDryRun: Bool
    private let isOwnTracks: Bool
    private let unmapped: [String]
    private let unread: [HealthBody.Unread]
    private let unreadCount: Int
    private(set) var lines: [Line]
    /// Days and presses without a reply.
    private(set) var missing: Int
    /// The first refusal: the sender must send all of it again.
    private(set) var refusal: Problem?

    init(_ origin: Origin, _ reading: HealthReading, isDryRun: Bool) {
        self.origin = origin
        self.isDryRun = isDryRun
        isOwnTracks = reading.body.isOwnTracks
        unmapped = reading.unmapped
        (unread, unreadCount) = (reading.body.unread, reading.body.unreadCount)
        lines = reading.days.map { day in
            Line(
                rule: day.total.rule, goal: day.total.goal, day: day.total.day,
                value: day.total.value, word: day.ignored == nil ? nil : "ignored",
                why: day.ignored)
        }
        missing = lines.count { $0.word == nil } + reading.visits.count
    }

    /// Whether everything has been decided.
    var isComplete: Bool { missing == 0 }

    /// Records the reply to a day.
    mutating func settle(_ index: Int, _ reply: Reply) {
        missing -= 1
        switch reply {
        case .total(let answer):
            lines[index].goal = answer.goal
            lines[index].value = answer.value
            lines[index].word = answer.state.word
            if case .ignored(let why) = answer.state { lines[index].why = why.rawValue }
        case .refused(.conflict):
            lines[index].word = "ignored"
            lines[index].why = "id"
        case .refused(let refusal): refuse(refusal)
        case .accepted, .usable, .changed: break  // The replies to other commands.
        }
    }

    /// Records the reply to a press.
    mutating func settle(press reply: Reply) {
        missing -= 1
        if case .refused(let refusal) = reply { refuse(refusal) }
    }

    /// A press that a dry run does not send.
    mutating func skipPress() { missing -= 1 }

    private mutating func refuse(_ why: Refusal) {
        refusal = refusal ?? why.problem
    }

    /// The answer: 200 whatever becomes of the days, unless the relay could take none of them.
    var result: Result<Response, Problem> {
        if let refusal { return .failure(refusal) }
        // OwnTracks reads the answer as a list of commands.
        if isOwnTracks { return .success(.json(Array("[]".utf8))) }
        return .success(.json(JSONWriter.object { write(to: &$0) }))
    }

    private func write(to json: inout JSONWriter) {
        json.add("ok", true)
        if isDryRun { json.add("dryRun", true) }
        json.addArray("days") { list in
            for line in lines {
                list.object { json in
                    json.add("rule", line.rule.description)
                    json.add("goal", line.goal.description)
                    json.add("day", line.day.dashed)
                    json.add("value", line.value)
                    json.add("state", line.word ?? "ignored")
                    if let why = line.why { json.add("why", why) }
                }
            }
        }
        json.addArray("unmapped") { list in
            for metric in unmapped { list.element(metric) }
        }
        guard !unread.isEmpty else { return }
        json.addArray("unread") { list in
            for element in unread { list.object { element.write(to: &$0) } }
        }
        json.add("unreadCount", Int64(unreadCount))
    }
}

extension HealthBody.Unread {
    func write(to json: inout JSONWriter) {
        json.add("position", position)
        json.add("reason", reason)
    }
}
