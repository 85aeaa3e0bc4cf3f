/// The commands about reminders.
extension CommandTable {
    static let reminders = [
        CommandSpec(
            words: ["reminder", "list"],
            summary: "show where reminders are sent, when, and the last attempts",
            options: [json, data], about: [columns]),
        CommandSpec(
            words: ["reminder", "add"], summary: "send reminders to a service",
            operands: [Operand("URL")], options: [json, data],
            about: [
                "URL is ntfy://TOPIC for ntfy.sh, ntfy+https://HOST/TOPIC, "
                    + "gotify+https://HOST/?token=TOKEN, pushover://USER@TOKEN, or any http or "
                    + "https URL, which gets a POST of JSON. A topic of ntfy is a secret: choose "
                    + "one that nobody guesses.",
                "With ?actions=1 an ntfy message has buttons, '+1' and 'Later'. Their token is "
                    + "good for that goal and day, and travels through the service.",
            ], examples: ["reminder add ntfy://my-goals-7k2"]),
        CommandSpec(
            words: ["reminder", "remove"], summary: "stop sending reminders to a service",
            operands: [Operand("NAME")], options: [data], about: ["'reminder list' names them."]),
        CommandSpec(
            words: ["reminder", "test"], summary: "send a test to every service",
            options: [json, data], exits: [(.tempFail, "a service did not take it")]),
        CommandSpec(
            words: ["reminder", "goal"],
            summary: "set how long before a goal derails you are reminded",
            operands: [Operand("GOAL")],
            options: [
                CommandOption("hours", value: "N", "so many hours before"),
                CommandOption("off", "never"),
                CommandOption("default", "as Beeminder reminds: the goal's own lead time"), data,
            ], examples: ["reminder goal walk --hours 6"]),
        CommandSpec(
            words: ["reminder", "snooze"], summary: "put off the reminders of a goal, or all",
            operands: [Operand("GOAL", isOptional: true)],
            options: [
                CommandOption("hours", value: "N", "for so many hours (default: until tomorrow)"),
                CommandOption("end", "remind again"), json, data,
            ],
            about: [
                "The last call of a goal that derails before the end comes all the same, and the "
                    + "command says so."
            ], examples: ["reminder snooze walk --hours 3", "reminder snooze"]),
        CommandSpec(
            words: ["reminder", "quiet"], summary: "set the hours without reminders",
            operands: [Operand("HOURS")], options: [data],
            about: [
                "HOURS is as in 22:00-07:00, in the time zone of your Beeminder account, or off. "
                    + "A last call, and presses that cannot be delivered, are told all the same."
            ], examples: ["reminder quiet 23:00-06:30"]),
    ]

    static let expectation = CommandSpec(
        words: ["device", "expect"], summary: "be reminded when a device is silent",
        operands: [Operand("NAME"), Operand("TIME")], options: [data],
        about: ["TIME is the longest silence, as in 1d, 12h or 30m, or off."],
        examples: ["device expect kitchen 1d"])
}
