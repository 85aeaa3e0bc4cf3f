import BeemedDomain
import RelayHTTP
import RelayTrunk

extension HealthRule: ShownEntry {
    static let code = ErrorCode.unusableRule

    static func book(of relay: isolated Relay) -> LiveBook<HealthRule> { relay.health.rules }

    /// `PUT /rules/{name}`.
    static func set(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let health = relay.health
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
        return try BookRoutes.set(rule, relay, call)
    }

    /// Its samples are removed, too, unless another rule has the name by now.
    static func afterRemoval(of name: String, in relay: isolated Relay) {
        let health = relay.health
        guard let rule = RuleName(name), health.rules.book[name] == nil else { return }
        health.work.add { [store = relay.files.store] in store.removeSamples(of: rule) }
    }

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
        let goals = core.view.goals
        let deadline = GoalSlug(goal).flatMap { goals[goals.current($0)]?.deadline } ?? 0
        if deadline != 0 { json.add("deadline", Int64(deadline)) }
    }
}
