import BeemedDomain
import RelayTrunk

enum ReminderCommands {
    static let all = [
        CommandSpec(
            "reminder list", "show where reminders are sent, when, and the last attempts",
            options: [.json, .data], about: [CommandSpec.columns]
        ).asks("GET", "/reminders") { answer, _ in showReminders(answer) },
        CommandSpec(
            "reminder add URL", "send reminders to a service", options: [.json, .data],
            about: [
                "URL is ntfy://TOPIC for ntfy.sh, ntfy+https://HOST/TOPIC, "
                    + "gotify+https://HOST/?token=TOKEN, pushover://USER@TOKEN, or any http or "
                    + "https URL, which gets a POST of JSON. A topic of ntfy is a secret: choose "
                    + "one that nobody guesses.",
                "With ?actions=1 an ntfy message has buttons, '+1' and 'Later'. Their token is "
                    + "good for that goal and day, and travels through the service.",
            ], examples: ["reminder add ntfy://my-goals-7k2"]
        ).asks("POST", "/reminders/services") { added, _ in
            Console.table(["SERVICE", "ADDRESS"], [[added["service"].text, added["shown"].text]])
            Console.notice("try it: reminder test")
        },
        CommandSpec(
            "reminder remove NAME", "stop sending reminders to a service", options: [.data],
            about: ["'reminder list' names them."]
        ).asks("DELETE", "/reminders/services/{NAME}") { _, arguments in
            Console.output("no reminders are sent to \(arguments.words[0]) any more")
        },
        CommandSpec(
            "reminder test", "send a test to every service", options: [.json, .data],
            exits: [(.tempFail, "a service did not take it")]
        ).runs(testReminders),
        CommandSpec(
            "reminder goal GOAL", "set how long before a goal derails you are reminded",
            options: [
                CommandOption(
                    "--hours N", "so many hours before", .whole(ReminderBook.leadHours, "hours")),
                CommandOption("--off", "never"),
                CommandOption("--default", "as Beeminder reminds: the goal's own lead time"), .data,
            ], exclusive: ["hours", "off", "default"], examples: ["reminder goal walk --hours 6"]
        ).runs(setLead),
        CommandSpec(
            "reminder snooze [GOAL]", "put off the reminders of a goal, or all",
            options: [
                CommandOption("--hours N", "for so many hours (default: until tomorrow)", .number),
                CommandOption("--end", "remind again"), .json, .data,
            ], exclusive: ["hours", "end"],
            about: [
                "The last call of a goal that derails before the end comes all the same, and the "
                    + "command says so."
            ], examples: ["reminder snooze walk --hours 3", "reminder snooze"]
        ).runs(snooze),
        CommandSpec(
            "reminder quiet HOURS", "set the hours without reminders",
            members: ["HOURS": "quietHours"], options: [.data],
            about: [
                "HOURS is as in 22:00-07:00, in the time zone of your Beeminder account, or off. "
                    + "A last call, and presses that cannot be delivered, are told all the same."
            ], examples: ["reminder quiet 23:00-06:30"]
        ).asks("PUT", "/reminders") { answer, _ in
            let hours = answer["quietHours"].text
            Console.output(
                hours == "off"
                    ? "reminders come at any hour"
                    : "no reminders come from \(hours.replacing("-", with: " to ")), but for last "
                        + "calls and presses that cannot be delivered")
        },
    ]

    private static func showReminders(_ answer: RelayAnswer) {
        let services = answer["services"].list
        if services.isEmpty {
            Console.notice("reminders are sent nowhere; add a service: reminder add ntfy://TOPIC")
        }
        Console.table(
            ["SERVICE", "ADDRESS", "FROM", "FAILURES"],
            services.map { service in
                let failures = service["failures"].text
                return [
                    service["service"].text, service["shown"].text,
                    service["isSetting"].isTrue ? "--notify" : "", failures == "0" ? "" : failures,
                ]
            })
        var when = [["quiet hours", answer["quietHours"].text]]
        let offUntil = answer["offUntil"].time
        if !offUntil.isEmpty { when.append(["all", "off until \(offUntil)"]) }
        when += answer["goals"].list.map { [$0["goal"].text, leadWords($0)] }
        when += answer["snoozes"].list.map { [$0["goal"].text, "not before \($0["until"].time)"] }
        if !services.isEmpty { Console.output("") }
        Console.table(["GOAL", "WHEN"], when)
        let attempts = answer["attempts"].list.prefix(10)
        if !attempts.isEmpty { Console.output("") }
        Console.table(
            ["TIME", "SERVICE", "ACTION", "TITLE", "OUTCOME"],
            attempts.map { attempt in
                [attempt["at"].time] + ["service", "action", "title"].map { attempt[$0].text }
                    + [attempt["ok"].isTrue ? "ok" : attempt["why"].words ?? "failed"]
            })
    }

    /// A goal's lead; without one Beeminder's counts.
    private static func leadWords(_ lead: RelayAnswer) -> String {
        if lead["off"].isTrue { return "never" }
        return lead["hours"].words.map { "\($0) h before it derails" } ?? "as Beeminder reminds"
    }

    private static func testReminders(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let answer = try invocation.ask("POST", "/reminders/test")
        let results = answer["results"].list
        _ = invocation.show(answer) { _ in
            Console.table(
                ["SERVICE", "OUTCOME"],
                results.map {
                    [$0["service"].text, $0["ok"].isTrue ? "sent" : $0["why"].words ?? "failed"]
                })
        }
        return results.allSatisfy { $0["ok"].isTrue } ? .ok : .tempFail
    }

    private static func setLead(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        let isDefault = arguments.has("default")
        guard isDefault || arguments.has("off") || arguments["hours"] != nil else {
            throw Failure(.usage, "say --hours N, --off, or --default for Beeminder's own lead")
        }
        let path = "/goals/{GOAL}/reminder"
        let lead = try invocation.ask(isDefault ? "DELETE" : "PUT", path)
        Console.output("reminders of '\(lead["goal"].text)': \(leadWords(lead))")
        return .ok
    }

    private static func snooze(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        let subject = arguments.words.first.map { " of '\($0)'" } ?? ""
        if arguments.has("end") {
            return invocation.show(try invocation.ask("DELETE", "/reminders/snooze")) { _ in
                Console.output("reminders\(subject) come again")
            }
        }
        let until = arguments["hours"] == nil ? ["until": JSONTree.text("tomorrow")] : [:]
        let answer = try invocation.ask("POST", "/reminders/snooze", until)
        return invocation.show(answer) { put in
            if put["until"].isTrue {
                Console.output("no reminders\(subject) until \(put["until"].time)")
            }
            if let note = put["note"].words { Console.notice(Console.plain(note)) }
        }
    }
}
