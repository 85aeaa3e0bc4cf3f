/// `beemed-relay rule list|add|remove|test`.
struct RuleCommand {
    private struct Rules: Decodable {
        var rules: [Entry]
    }

    private struct Entry: Decodable {
        var name: String
        var metric: String
        var goal: String
        var aggregate: String
        var field: String?
        var unit: String?
        var source: String?
        var when: String?
        var floor: Bool
        var days: String?
        var deadline: Int64?
    }

    private struct Seen: Decodable {
        struct Metric: Decodable {
            var metric: String
            var value: Double
            var unit: String?
            var source: String?
            var rules: [String]
        }
        struct Unread: Decodable {
            var device: String
            var position: String
            var reason: String
        }
        var metrics: [Metric]
        var unread: [Unread]?
    }

    private struct Tested: Decodable {
        struct Day: Decodable {
            var rule: String
            var goal: String
            var day: String
            var value: Double
            var state: String
            var why: String?
        }
        struct Unread: Decodable {
            var position: String
            var reason: String
        }
        var days: [Day]
        var unmapped: [String]
        var unread: [Unread]?
    }

    private let invocation: Invocation
    private let verb: String

    /// - Parameter verb: `list`, `add`, `remove` or `test`.
    init(_ invocation: Invocation, _ verb: String) {
        self.invocation = invocation
        self.verb = verb
    }

    func run() throws(Failure) -> ExitCode {
        switch verb {
        case "add": return try add()
        case "remove":
            let path = "/rules/\(invocation.arguments.words[0].asPathSegment)"
            _ = try invocation.relay().call("DELETE", path)
            Console.output("the rule '\(invocation.arguments.words[0])' is removed")
            return .ok
        case "test": return try test()
        default: return try list()
        }
    }

    private func list() throws(Failure) -> ExitCode {
        let relay = try invocation.relay()
        let answer = try relay.call("GET", "/rules")
        return try invocation.print(answer, as: Rules.self) { (list) throws(Failure) in
            if list.rules.isEmpty {
                Console.notice("there are no rules; make one: rule add walk --metric step_count")
            }
            show(list.rules)
            try showUnmapped(relay)
        }
    }

    /// The metrics that came without a rule.
    private func showUnmapped(_ relay: RunningRelay) throws(Failure) {
        let seen = try relay.call("GET", "/health/seen").decoded(Seen.self)
        for element in seen.unread ?? [] {
            let words = "\(element.device), \(element.position): \(element.reason)"
            Console.notice("could not be read: \(Console.plain(words))")
        }
        for metric in seen.metrics where metric.rules.isEmpty {
            let source = metric.source.map { " from \($0)" } ?? ""
            let words = "\(metric.metric) \(metric.value) \(metric.unit ?? "")\(source)"
            Console.notice("came without a rule: \(Console.plain(words))")
        }
    }

    private func show(_ rules: [Entry]) {
        Console.table(["RULE", "METRIC", "GOAL", "AGGREGATE", "CONDITIONS"], rules.map(row))
    }

    private func row(_ rule: Entry) -> [String] {
        let conditions = [
            rule.field, rule.unit, rule.source.map { "from \($0)" }, rule.when.map { "when \($0)" },
            rule.floor ? "never down" : nil, rule.days == "goal" ? "by the goal's days" : nil,
        ].compactMap { $0 }
        return [
            rule.name, rule.metric, rule.goal, rule.aggregate, conditions.joined(separator: ", "),
        ]
    }

    private func add() throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        let goal = arguments.words[0]
        guard let metric = arguments["metric"] else {
            throw Failure(
                .usage,
                "name the metric, as in: rule add \(goal) --metric step_count\n"
                    + "'rule list' shows the ones that came")
        }
        var body: [String: any Encodable] = ["metric": metric, "goal": goal]
        for name in ["aggregate", "field", "unit", "source", "when", "days"] {
            body[name] = arguments[name]
        }
        if arguments.has("floor") { body["floor"] = true }
        let name = arguments["name"] ?? goal
        let relay = try invocation.relay()
        let former = try relay.call("GET", "/rules").decoded(Rules.self).rules
            .first { $0.name == name }
        let answer = try relay.call("PUT", "/rules/\(name.asPathSegment)", body)
        if let former {
            let words = row(former).filter { !$0.isEmpty }.map(Console.plain)
            Console.notice(
                "replaced the rule '\(name)', which was: \(words.joined(separator: " ")); "
                    + "--name gives a second rule of the goal a name of its own")
        }
        return try invocation.print(answer, as: Entry.self) { rule in
            show([rule])
            if let words = RuleCommand.words(onDaysOf: rule) { Console.notice(words) }
        }
    }

    /// A goal whose deadline is not midnight has two kinds of days; nil for any other one.
    private static func words(onDaysOf rule: Entry) -> String? {
        guard let deadline = rule.deadline, deadline != 0 else { return nil }
        let minutes = (deadline / 60 + 1_440) % 1_440
        let time = "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
        let (now, other) =
            rule.days == "goal"
            ? ("those days; totals of a day are of the civil day", "civil days: --days civil")
            : ("civil days, as health apps show them", "the goal's days: --days goal")
        return "the days of '\(rule.goal)' end at \(time); this rule counts by \(now). For \(other)"
    }

    private func test() throws(Failure) -> ExitCode {
        let body = try invocation.contents(of: invocation.arguments.words[0])
        let reply = try invocation.relay().send("POST", "/health?dry_run=1", body) { _ in }
        guard reply.status == 200 else { throw RunningRelay.failure(reply) }
        return try invocation.print(reply.data, as: Tested.self) { tested in
            Console.table(
                ["DAY", "RULE", "GOAL", "VALUE", "STATE", "WHY"],
                tested.days.map { day in
                    [day.day, day.rule, day.goal, "\(day.value)", day.state, day.why ?? ""]
                })
            if !tested.unmapped.isEmpty {
                let names = tested.unmapped.map(Console.plain).joined(separator: ", ")
                Console.notice("without a rule: \(names)")
            }
            for element in tested.unread ?? [] {
                let words = "\(element.position): \(element.reason)"
                Console.notice("cannot be read: \(Console.plain(words))")
            }
        }
    }
}
