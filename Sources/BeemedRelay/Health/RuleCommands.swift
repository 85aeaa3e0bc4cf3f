import BeemedDomain
import RelayHTTP
import RelayTrunk

enum RuleCommands {
    static let all = [
        CommandSpec(
            "rule list", "show rules, and the metrics that came", options: [.json, .data],
            about: [CommandSpec.columns]
        ).runs(listRules),
        CommandSpec(
            "rule add GOAL", "make a datapoint of each day of a metric",
            options: [
                CommandOption("--metric NAME", isNeeded: true, "the metric, as in step_count"),
                CommandOption("--name NAME", "the rule's name (default: the goal's)"),
                CommandOption(
                    "--aggregate HOW", "how the samples of a day become its value",
                    .choice(Aggregate.allCases.map(\.rawValue))),
                CommandOption("--field NAME", "a value of each sample, as in deep"),
                CommandOption("--unit UNIT", "the unit of the datapoints, as in km"),
                CommandOption("--source TEXT", "only sources that contain this text"),
                CommandOption("--when TEXT", "only samples of this kind, as in Run"),
                CommandOption(
                    "--days WHOSE",
                    "civil days, or those of a goal whose deadline is not midnight: civil or goal"),
                CommandOption("--floor", "a day never falls below a value that it had"), .json,
                .data,
            ],
            about: [
                "'rule list' names the metrics that came. The health app needs a token that may "
                    + "do this: 'device add phone --can health'."
            ], examples: ["rule add walk --metric step_count"]
        ).runs(addRule),
        CommandSpec(
            "rule remove NAME", "remove a rule", options: [.data],
            about: ["The datapoints of its days stay."]
        ).asks("DELETE", "/rules/{NAME}") { _, arguments in
            Console.output("the rule '\(arguments.words[0])' is removed")
        },
        CommandSpec(
            "rule test FILE", "show what a body of health data would do", options: [.json, .data],
            about: ["FILE is - for standard input. Nothing is taken."]
        ).runs(testRules),
    ]

    private static func listRules(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let relay = try invocation.relay()
        let answer = try invocation.ask("GET", "/rules", at: relay)
        if invocation.wantsJSON { return invocation.show(answer) { _ in } }
        let rules = answer["rules"].list
        if rules.isEmpty {
            Console.notice("there are no rules; make one: rule add walk --metric step_count")
        }
        showRules(rules)
        let seen = try relay.call("GET", "/health/seen")
        for element in seen["unread"].list {
            notice("could not be read", element, beginning: ["device", "position"])
        }
        for metric in seen["metrics"].list where metric["rules"].list.isEmpty {
            let source = metric["source"].words.map { "from \($0)" }
            let words = [metric["metric"].text, metric["value"].text, metric["unit"].text, source]
            let text = words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
            Console.notice("came without a rule: \(Console.plain(text))")
        }
        return .ok
    }

    /// Tells why something could not be read.
    private static func notice(_ words: String, _ element: RelayAnswer, beginning members: [String])
    {
        let label = members.map { element[$0].text }.joined(separator: ", ")
        Console.notice("\(words): \(Console.plain("\(label): \(element["reason"].text)"))")
    }

    private static func showRules(_ rules: [RelayAnswer]) {
        Console.table(["RULE", "METRIC", "GOAL", "AGGREGATE", "CONDITIONS"], rules.map(row))
    }

    private static func row(_ rule: RelayAnswer) -> [String] {
        let conditions = [
            rule["field"].words, rule["unit"].words, rule["source"].words.map { "from \($0)" },
            rule["when"].words.map { "when \($0)" }, rule["floor"].isTrue ? "never down" : nil,
            rule["days"].text == "goal" ? "by the goal's days" : nil,
        ]
        return ["name", "metric", "goal", "aggregate"].map { rule[$0].text } + [conditions.listed]
    }

    private static func addRule(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let name = invocation.arguments["name"] ?? invocation.arguments.words[0]
        let relay = try invocation.relay()
        let former = try relay.call("GET", "/rules")["rules"].list
            .first { $0["name"].text == name }
        let answer = try invocation.ask("PUT", "/rules/\(name.asPathSegment)", at: relay)
        if let former {
            let words = row(former).filter { !$0.isEmpty }.map(Console.plain)
            Console.notice(
                "replaced the rule '\(name)', which was: \(words.joined(separator: " ")); "
                    + "--name gives a second rule of the goal a name of its own")
        }
        return invocation.show(answer) { rule in
            showRules([rule])
            // A goal whose deadline is not midnight has two kinds of days.
            guard let deadline = rule["deadline"].whole, deadline != 0 else { return }
            let isOfGoal = rule["days"].text == "goal"
            Console.notice(
                "the days of '\(rule["goal"].text)' do not end at midnight; this rule counts by "
                    + (isOfGoal
                        ? "them, and totals by civil days; by these alone with --days civil"
                        : "civil days, as health apps show them; by the goal's with --days goal"))
        }
    }

    private static func testRules(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let body = try invocation.contents(of: invocation.arguments.words[0])
        let answer = try invocation.relay().call("POST", "/health?dry_run=1", content: body)
        return invocation.show(answer) { tested in
            let members = ["day", "rule", "goal", "value", "state", "why"]
            Console.table(
                members.map { $0.uppercased() },
                tested["days"].list.map { day in members.map { day[$0].text } })
            let unmapped = tested["unmapped"].list.map { Console.plain($0.text) }
            if !unmapped.isEmpty {
                Console.notice("without a rule: \(unmapped.joined(separator: ", "))")
            }
            for element in tested["unread"].list {
                notice("cannot be read", element, beginning: ["position"])
            }
        }
    }
}
