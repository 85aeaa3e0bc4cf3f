import RelayTrunk

/// Every command: parsing, help and requests are made from it, manual and completions from the
/// help.
enum CommandTable {
    /// The groups of commands with their titles, in the order in which they are shown.
    static let sections: [CommandSection] = {
        let all =
            [CommandSection("Run", running)] + Leaf.all.flatMap(\.sections)
            + [CommandSection("More", describing)]
        let titles = all.map(\.title)
        return all.indices.filter { titles.firstIndex(of: titles[$0]) == $0 }.map { first in
            CommandSection(
                titles[first], all.filter { $0.title == titles[first] }.flatMap(\.commands))
        }
    }()

    static let commands = sections.flatMap(\.commands)
    static let all: [CommandSpec] = commands.map(\.spec)

    static func group(_ word: String) -> [CommandSpec] {
        all.filter { $0.words.first == word && $0.words.count > 1 }
    }

    // MARK: Running

    private static let running = [
        CommandSpec(
            "demo", "try it with a simulated Beeminder",
            options: [
                CommandOption(
                    "--data DIR",
                    "keep the data here (default: a temporary folder that is removed at the end)"),
                CommandOption(
                    "--listen HOST:PORT",
                    "the address to listen on (default 127.0.0.1:2336, or any free port)"),
            ] + Setting.all.dropFirst(3).map(\.documented),
            about: [
                "A relay and a simulated Beeminder with three goals, in one process. Nothing "
                    + "leaves the machine. It opens its page where it can, and ends with Ctrl-C.",
                "While it runs, commands such as 'device add' and 'owner-link' find it without "
                    + "--data, unless a relay has been used on the default data folder.",
            ], examples: ["demo", "demo --listen 0.0.0.0:2336"]
        ).runs(needing: .start, DemoCommand.run),
        CommandSpec(
            "serve", "run the relay", options: Setting.all.map(\.documented),
            about: [
                "Takes presses, keeps them, delivers them to Beeminder. The account comes from "
                    + "BEEMINDER_AUTH_TOKEN or BEEMINDER_ACCESS_TOKEN, from a systemd credential "
                    + "named beeminder-auth-token or beeminder-access-token, or from "
                    + "'beemed-relay connect'.",
                "An option wins over the environment, the environment over config.json in the "
                    + "data folder. SIGHUP rereads config.json; SIGTERM ends the relay after all "
                    + "that was accepted is on the disk.",
            ], examples: ["serve", "serve --listen 127.0.0.1:2336 --log-level debug"],
            exits: [
                (.unavailable, "the address is in use"), (.ioError, "the disk failed"),
                (.tempFail, "another relay uses the data folder"),
                (.noPermission, "others may write to the data folder"),
                (.config, "a file of the data folder is damaged or newer than this version"),
            ]
        ).runs(needing: .start, ServeCommand.run),
        CommandSpec(
            "simulator", "run the simulated Beeminder alone",
            options: [
                CommandOption(
                    "--listen HOST:PORT", "the address to listen on (default 127.0.0.1:2337)")
            ], about: ["For trying things without money at stake. Its page tells how."]
        ).runs(needing: .nothing, SimulatorCommand.run),
    ]

    // MARK: About the program

    private static let describing = [
        CommandSpec("help [COMMAND ...]", "show help").runs(needing: .nothing) { _ in
            Console.output(HelpText.program)
            return .ok
        },
        CommandSpec("version", "show the version", options: [.json])
            .runs(needing: .nothing) { invocation in
                invocation.wantsJSON
                    ? Console.json(["version": Version.number])
                    : Console.output("beemed-relay \(Version.number)")
                return .ok
            },
    ]
}

/// Help for people, made from the command table.
enum HelpText {
    private static let columns = 79

    static var program: String {
        var lines = ["usage: beemed-relay COMMAND [OPTIONS]"]
        for section in CommandTable.sections {
            lines += ["", "\(section.title):"]
            for command in section.commands {
                lines += entry(command.spec.name, command.spec.summary, column: 22)
            }
        }
        lines += ["", "'beemed-relay help COMMAND' tells more of each."]
        return lines.joined(separator: "\n")
    }

    static func group(_ word: String) -> String {
        let commands = CommandTable.group(word)
        var lines = ["usage: beemed-relay \(word) COMMAND [OPTIONS]", ""]
        for command in commands { lines += entry(command.name, command.summary, column: 22) }
        lines += ["", "'beemed-relay help \(commands.first?.name ?? word)' tells more."]
        return lines.joined(separator: "\n")
    }

    static func command(_ command: CommandSpec) -> String {
        let summary = command.summary
        let sentence = "\(summary.prefix(1).uppercased())\(summary.dropFirst())."
        var lines = ["usage: \(command.usage)", ""] + wrapped(sentence, indent: 0)
        for paragraph in command.about { lines += [""] + wrapped(paragraph, indent: 0) }
        lines += ["", "Options:"]
        for option in command.allOptions { lines += entry(option.typed, option.help, column: 27) }
        if !command.exits.isEmpty {
            lines += ["", "Exit codes besides 0 and those of wrong use (64):"]
            for exit in command.exits {
                lines += entry("\(exit.code.rawValue)", exit.meaning, column: 7)
            }
        }
        if !command.examples.isEmpty {
            lines += ["", "Examples:"] + command.examples.map { "  beemed-relay \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// A name and, from a column on, its text.
    private static func entry(_ name: String, _ text: String, column: Int) -> [String] {
        let lines = wrapped(text, indent: column)
        let start = "  \(name)"
        guard start.count + 2 <= column, let first = lines.first else { return [start] + lines }
        return [start + first.dropFirst(start.count)] + lines.dropFirst()
    }

    private static func wrapped(_ text: String, indent: Int) -> [String] {
        let blanks = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > columns {
                lines.append(blanks + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [blanks + line]
    }
}
