import BeemedDomain
import RelayHTTP
import RelayTrunk

enum GoalCommands {
    static let all = [
        CommandSpec(
            "goals", "show goals, the most urgent first", options: [.json, .data],
            about: ["LEFT is the time until a goal derails.", CommandSpec.columns]
        ).asks("GET", "/goals") { answer, _ in showGoals(answer) },
        CommandSpec(
            "pin GOAL", "pin a goal: displays show pinned goals",
            options: [CommandOption("--position N", "the place in the list, from 1"), .json, .data]
        ).asks("PUT", "/pins/{GOAL}", inQuery: true, show: showPins),
        CommandSpec("unpin GOAL", "unpin a goal", options: [.json, .data]).asks(
            "DELETE", "/pins/{GOAL}", show: showPins),
        CommandSpec(
            "preset list", "show presets", options: [.json, .data], about: [CommandSpec.columns]
        ).asks("GET", "/presets") { answer, _ in
            let presets = answer["presets"].list
            if presets.isEmpty {
                Console.notice("there are no presets; make one: preset set glass water 0.25")
            }
            showPresets(presets)
        },
        CommandSpec(
            "preset set NAME GOAL [VALUE]", "make a preset, or replace it: a name for a press",
            kinds: ["VALUE": .number],
            options: [
                CommandOption("-m, --comment TEXT", "the comment of its presses"),
                CommandOption(
                    "--minimum-interval SECONDS", "presses that come sooner do not count", seconds),
                CommandOption("--once-per-day", "only the first datapoint of a day counts"),
                CommandOption(
                    "--merge-seconds SECONDS", "presses within so many seconds are one datapoint",
                    seconds),
                .json, .data,
            ], about: ["Nothing of a preset that is replaced stays: give all options again."],
            examples: ["preset set glass water 0.25 --minimum-interval 5"]
        ).asks("PUT", "/presets/{NAME}") { answer, _ in showPresets([answer]) },
        CommandSpec("preset remove NAME", "remove a preset", options: [.data]).asks(
            "DELETE", "/presets/{NAME}"
        ) { _, arguments in
            Console.output("the preset '\(arguments.words[0])' is removed")
        },
    ]

    private static let seconds = ValueKind.whole(1...PresetOptions.longestSeconds, "seconds")

    private static func showGoals(_ answer: RelayAnswer) {
        let goals = answer["goals"].list
        if !answer["known"].isTrue {
            Console.notice(
                "Beeminder has not told the goals yet; 'beemed-relay status' says why")
        } else if goals.isEmpty {
            Console.notice("this account has no goals")
        }
        let now = Instant.wallNanoseconds / 1_000_000_000
        // The page's words. Another version may know other urgencies.
        let urgencies = ["critical": "urgent", "warning": "soon"]
        Console.table(
            ["GOAL", "URGENCY", "LEFT", "DUE", "TODAY", "WAITING", "PINNED", "TITLE"],
            goals.map { goal in
                let (urgency, queued) = (goal["urgency"].text, goal["queued"].text)
                return [
                    goal["slug"].text, urgencies[urgency] ?? urgency,
                    goal["losedate"].whole.map { left($0 - now) } ?? "", goal["due"].text,
                    goal["today"].signed, queued == "0" ? "" : queued,
                    goal["pinned"].isTrue ? "pinned" : "", goal["title"].text,
                ]
            })
    }

    /// The time until a goal derails: `5 d 3 h`, `3 h 20 min`, `20 min`, `derailed`.
    static func left(_ seconds: Int64) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        if seconds <= 0 { return "derailed" }
        if days > 0 { return hours > 0 ? "\(days) d \(hours) h" : "\(days) d" }
        if hours > 0 { return minutes > 0 ? "\(hours) h \(minutes) min" : "\(hours) h" }
        return minutes > 0 ? "\(minutes) min" : "under 1 min"
    }

    @Sendable private static func showPins(_ answer: RelayAnswer, _ arguments: Arguments) {
        let names = answer["pins"].list.map(\.text).joined(separator: ", ")
        Console.output(names.isEmpty ? "nothing is pinned" : "pinned: \(names)")
    }

    private static func showPresets(_ presets: [RelayAnswer]) {
        Console.table(
            ["PRESET", "GOAL", "VALUE", "GUARDS", "COMMENT"],
            presets.map { preset in
                let guards = [
                    preset["minimumInterval"].words.map { "at most every \($0) s" },
                    preset["oncePerDay"].isTrue ? "once a day" : nil,
                    preset["mergeSeconds"].words.map { "merged within \($0) s" },
                ]
                return [
                    preset["name"].text, preset["goal"].text, preset["value"].signed,
                    guards.listed, preset["comment"].text,
                ]
            })
    }
}
