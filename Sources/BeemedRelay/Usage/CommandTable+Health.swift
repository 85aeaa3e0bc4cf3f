/// The commands about health data.
extension CommandTable {
    static let rules = [
        CommandSpec(
            words: ["rule", "list"], summary: "show rules, and the metrics that came",
            options: [json, data], about: [columns]),
        CommandSpec(
            words: ["rule", "add"], summary: "make a datapoint of each day of a metric",
            operands: [Operand("GOAL")],
            options: [
                CommandOption("metric", value: "NAME", "the metric, as in step_count"),
                CommandOption("name", value: "NAME", "the rule's name (default: the goal's)"),
                CommandOption(
                    "aggregate", value: "HOW", "how the samples of a day become its value",
                    .choice(Aggregate.allCases.map(\.rawValue))),
                CommandOption("field", value: "NAME", "a value of each sample, as in deep"),
                CommandOption("unit", value: "UNIT", "the unit of the datapoints, as in km"),
                CommandOption("source", value: "TEXT", "only sources that contain this text"),
                CommandOption("when", value: "TEXT", "only samples of this kind, as in Run"),
                CommandOption(
                    "days", value: "WHOSE",
                    "civil days, or those of a goal whose deadline is not midnight",
                    .words(["civil", "goal"])),
                CommandOption("floor", "a day never falls below a value that it had"),
                json, data,
            ],
            about: [
                "'rule list' names the metrics that came. The health app needs a token that may "
                    + "do this: 'device add phone --can health'."
            ], examples: ["rule add walk --metric step_count"]),
        CommandSpec(
            words: ["rule", "remove"], summary: "remove a rule", operands: [Operand("NAME")],
            options: [data], about: ["The datapoints of its days stay."]),
        CommandSpec(
            words: ["rule", "test"], summary: "show what a body of health data would do",
            operands: [Operand("FILE")], options: [json, data],
            about: ["FILE is - for standard input. Nothing is taken."]),
    ]
}
