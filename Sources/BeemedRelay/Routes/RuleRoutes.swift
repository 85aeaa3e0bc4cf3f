import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Rules, which make datapoints of health data.
extension Relay {
    /// `GET /rules`: all rules, by name.
    var ruleList: Response {
        let sorted = queues.health.rules.sorted
        return .json(
            JSONWriter.object { json in
                json.addArray("rules") { list in
                    for (name, rule) in sorted {
                        list.object { write(rule, name.description, to: &$0) }
                    }
                }
            })
    }

    /// `GET /rules/{name}`.
    func rule(_ call: Call) throws(Problem) -> Response {
        let name = call.name
        guard let rule = queues.health.rules.rules[name] else { throw Relay.noRule(name) }
        return .json(JSONWriter.object { write(rule, name, to: &$0) })
    }

    /// `DELETE /rules/{name}`.
    func removeRule(_ call: Call) -> Response? {
        change(call) { () throws(Problem) in
            var book = self.queues.health.rules
            guard book.entries.remove(call.name) else { throw Relay.noRule(call.name) }
            return self.saving(
                book, without: RuleName(call.name),
                answer: .json(JSONWriter.object { $0.add("ok", true) }))
        }
        return nil
    }

    private func write(_ rule: HealthRule, _ name: String, to json: inout JSONWriter) {
        let deadline = GoalSlug(rule.goal).flatMap { engine.core.deadline(of: $0) }
        rule.write(name, deadline: deadline, to: &json)
    }

    /// `PUT /rules/{name}`.
    func setRule(_ call: Call) throws(Problem) -> Response? {
        let name = call.name
        guard RuleName(name) != nil else {
            throw Problem(.unusableRule, HealthRule.nameFault)
        }
        var rule = try Relay.rule(in: call.request.body)
        let seenUnit = queues.health.seen.unit(of: rule.metric)
        if let fault = rule.fault(seenUnit: seenUnit) { throw Problem(.unusableRule, fault) }
        // The unit of today is kept: a phone that is set to miles must not change the datapoints.
        // A rule that is put again keeps its own, and with it the samples of the day.
        if rule.field == nil, rule.unit == nil {
            if let known = queues.health.rules.rules[name], known.isSame(asUnitless: rule) {
                rule.unit = known.unit
            } else if let seenUnit, HealthUnit(seenUnit) != nil {
                rule.unit = seenUnit
            }
        }
        // As with the unit: to say nothing of the days changes nothing.
        if rule.days == nil, let known = queues.health.rules.rules[name], known.goal == rule.goal {
            rule.days = known.days
        }
        if let goal = GoalSlug(rule.goal) { try checkGoal(goal) }
        let new = rule
        change(call) { () throws(Problem) in
            var book = self.queues.health.rules
            guard book.rules.count < RuleBook.most || book.rules[name] != nil else {
                throw Problem(
                    .unusableRule, "there are \(RuleBook.most) rules already; delete one first")
            }
            book.entries.set(new, for: name)
            return self.saving(
                book, answer: .json(JSONWriter.object { self.write(new, name, to: &$0) }))
        }
        return nil
    }

    private static func rule(in body: [UInt8]) throws(Problem) -> HealthRule {
        struct Named: Decodable {
            var aggregate: String?
        }
        let decoder = JSONDecoder()
        if let rule = try? decoder.decode(HealthRule.self, from: Data(body)) { return rule }
        let named = try? decoder.decode(Named.self, from: Data(body))
        if let given = named?.aggregate, Aggregate(rawValue: given) == nil {
            let all = Aggregate.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("there is no aggregate '\(given.prefix(40))'; there are \(all)")
        }
        throw .malformed(
            "send {\"metric\": \"step_count\", \"goal\": \"walk\"}, and if you like "
                + "\"aggregate\": \"sum|last|max|min|mean|count\", \"field\", \"unit\", "
                + "\"source\", \"when\", \"floor\": true, \"days\": \"civil|goal\"")
    }

    /// - Parameter removed: a rule whose samples are removed, too.
    private func saving(
        _ book: RuleBook, without removed: RuleName? = nil, answer: Response
    ) -> SettingsChange {
        SettingsChange(
            save: { $0.save(book, $1) }, subject: "the rules",
            apply: {
                self.queues.health.rules = book
                if let removed {
                    let samples = SampleStore(
                        dataFolder: self.files.store.folder, files: self.files.store.files)
                    self.queues.health.work.add { samples.removeAll(of: removed) }
                }
                return answer
            })
    }

    private static func noRule(_ name: String) -> Problem {
        .notFound("there is no rule '\(name.prefix(64))'; GET /rules names them")
    }
}
