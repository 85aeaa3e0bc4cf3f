import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Rules, which make datapoints of health data.
extension Relay {
    /// `DELETE /rules/{name}`, whose samples are removed, too.
    func removeRule(_ call: Call) throws(Problem) -> Response? {
        try remove(from: health.rules, call) {
            // Another rule may have the name by now.
            guard let name = RuleName(call.name), self.health.rules.book[call.name] == nil else {
                return
            }
            self.health.work.add { [store = self.files.store] in store.removeSamples(of: name) }
        }
    }

    /// `PUT /rules/{name}`.
    func setRule(_ call: Call) throws(Problem) -> Response? {
        var rule = try call.request.content(
            HealthRule.self, besides: ["name", "deadline"],
            orSay: "send {\"metric\": \"step_count\", \"goal\": \"walk\"}, and if you like "
                + "\"aggregate\": \"sum|last|max|min|mean|count\", \"field\", \"unit\", "
                + "\"source\", \"when\", \"floor\": true, \"days\": \"civil|goal\"")
        if let fault = rule.fault(ofUnitBeside: health.seen.unit(of: rule.metric)) {
            throw Problem(.unusableRule, fault)
        }
        // A rule that is put again keeps the unit of its first data, and with it the samples of the
        // day.
        let known = health.rules.book[call.name]
        var same = rule
        same.unit = known?.unit
        if rule.field == nil, rule.unit == nil, same.meaning == known?.meaning { rule = same }
        // As with the unit: to say nothing of the days changes nothing.
        if rule.days == nil, known?.goal == rule.goal { rule.days = known?.days }
        return try set(rule, in: health.rules, call)
    }
}

extension HealthRule: ShownEntry {
    static let code = ErrorCode.unusableRule

    func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter) {
        json.add("name", name)
        json.add("metric", metric)
        json.add("goal", goal)
        json.add("aggregate", combination.rawValue)
        if let field { json.add("field", field) }
        if let unit { json.add("unit", unit) }
        if let source { json.add("source", source) }
        if let when { json.add("when", when) }
        json.add("floor", floor ?? false)
        if let days { json.add("days", days.rawValue) }
        // When the goal's days end, in seconds from midnight, as far as known.
        let deadline = GoalSlug(goal).flatMap { core.deadline(of: $0) } ?? 0
        if deadline != 0 { json.add("deadline", Int64(deadline)) }
    }
}
