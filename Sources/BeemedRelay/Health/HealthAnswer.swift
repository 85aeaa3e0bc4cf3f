import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The answer to a body of health data.
struct HealthAnswer {
    private let reading: HealthReading
    /// The replies of the core, by the index of their day.
    private var replies: [Int: Reply] = [:]
    /// The first refusal: the sender must send all of it again.
    private var refusal: Problem?

    init(_ reading: HealthReading) { self.reading = reading }

    /// Adds the reply to a day, or to a visit's press.
    mutating func add(_ reply: Reply, ofDay index: Int? = nil) {
        if let index { replies[index] = reply }
        guard case .refused(let why) = reply else { return }
        if index != nil, case .conflict = why { return }
        refusal = refusal ?? why.problem
    }

    /// 200 whatever becomes of the days, unless the relay could take none of them.
    func response() throws(Problem) -> Response {
        if let refusal { throw refusal }
        // OwnTracks reads the answer as a list of commands.
        if reading.body.isOwnTracks { return .json(Array("[]".utf8)) }
        return .json(JSONWriter.object(write))
    }

    private func write(to json: inout JSONWriter) {
        json.add("ok", true)
        if reading.isDryRun { json.add("dryRun", true) }
        json.addArray("days") { list in
            for (index, day) in reading.days.enumerated() {
                list.object { write(day, replies[index], to: &$0) }
            }
        }
        json.addArray("unmapped") { list in
            for metric in reading.unmapped { list.element(metric) }
        }
        guard !reading.body.unread.isEmpty else { return }
        json.addArray("unread") { list in
            for element in reading.body.unread { list.object(element.write) }
        }
        json.add("unreadCount", Int64(reading.body.unreadCount))
    }

    private func write(_ day: HealthReading.Day, _ reply: Reply?, to json: inout JSONWriter) {
        var (goal, value) = (day.total.goal, day.total.value)
        // Another event has the id, unless another reason to ignore the day is known.
        var (state, why) = ("ignored", Optional(day.ignored ?? "id"))
        if case .total(let answer)? = reply {
            (goal, value, state, why) = (answer.goal, answer.value, answer.state.word, nil)
            if case .ignored(let reason) = answer.state { why = reason.rawValue }
        }
        json.add("rule", day.total.rule.description)
        json.add("goal", goal.description)
        json.add("day", day.total.day.dashed)
        json.add("value", value)
        json.add("state", state)
        if let why { json.add("why", why) }
    }
}

extension HealthBody.Unread {
    func write(to json: inout JSONWriter) {
        json.add("position", position)
        json.add("reason", reason)
    }
}
