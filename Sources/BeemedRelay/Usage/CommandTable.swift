/// Every command of the program. Parsing, help, man page and completions are made from this table.
enum CommandTable {
    /// All commands, in the order in which they are shown.
    static let all: [CommandSpec] =
        running + pressing + arranging + rules + reminders + devices + keeping + describing

    /// The command of these words; nil when there is none.
    static func command(_ words: [String]) -> CommandSpec? {
        all.first { $0.words == words }
    }

    /// The commands that begin with this word.
    static func group(_ word: String) -> [CommandSpec] {
        all.filter { $0.words.first == word && $0.words.count > 1 }
    }

    /// The first words of all commands, each once.
    static let firstWords: [String] = {
        var words: [String] = []
        for command in all where words.last != command.words[0] { words.append(command.words[0]) }
        return words
    }()

    static let data = Setting.data.documented
    static let json = CommandOption("json", "print JSON")
    /// About a list.
    static let columns =
        "A line of headings, and columns that are aligned with blanks; scripts read --json."

    // MARK: Running

    private static let running = [
        CommandSpec(
            words: ["demo"], summary: "try it with a simulated Beeminder",
            options: [
                CommandOption(
                    "data", value: "DIR",
                    "keep the data here (default: a temporary folder that is removed at the end)",
                    .file),
                CommandOption(
                    "listen", value: "HOST:PORT",
                    "the address to listen on (default 127.0.0.1:2336, or any free port)"),
            ] + Setting.all.dropFirst(3).map(\.documented),
            about: [
                "A relay and a simulated Beeminder with three goals, in one process. Nothing "
                    + "leaves the machine. It opens its page where it can, and ends with Ctrl-C.",
                "While it runs, commands such as 'device add' and 'owner-link' find it without "
                    + "--data, unless a relay has been used on the default data folder.",
            ], examples: ["demo", "demo --listen 0.0.0.0:2336"]),
        CommandSpec(
            words: ["serve"], summary: "run the relay",
            options: Setting.all.map(\.documented),
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
            ]),
        CommandSpec(
            words: ["simulator"], summary: "run the simulated Beeminder alone",
            options: [
                CommandOption(
                    "listen", value: "HOST:PORT",
                    "the address to listen on (default 127.0.0.1:2337)")
            ], about: ["For trying things without money at stake. Its page tells how."]),
    ]

    // MARK: Presses

    private static let pressing = [
        CommandSpec(
            words: ["log"], summary: "log a press",
            operands: [Operand("GOAL"), Operand("VALUE", isOptional: true)],
            options: [
                CommandOption("comment", letter: "m", value: "TEXT", "its comment"),
                CommandOption(
                    "id", value: "ID", "its id: the same id twice is one press"),
                CommandOption("day", value: "DAY", "the day it is for, as in 2026-11-18"),
                json, data,
            ], about: ["GOAL is a goal or a preset; without VALUE it counts 1."],
            examples: ["log water", "log weight 70.4 -m 'after breakfast'"]),
        CommandSpec(
            words: ["events", "list"], summary: "show presses, the newest first",
            options: [
                CommandOption(
                    "state", value: "A,B", "of these states only",
                    .words([
                        "queued", "sending", "delivered", "held", "refused", "undone", "guarded",
                        "merged",
                    ])),
                CommandOption("goal", value: "GOAL", "to this goal only"),
                CommandOption("device", value: "NAME", "of this device only"),
                CommandOption("since", value: "SECONDS", "from this Unix time on"),
                CommandOption("until", value: "SECONDS", "up to this Unix time"),
                CommandOption(
                    "search", value: "TEXT", "with this text in comment, goal or request id"),
                CommandOption("limit", value: "N", "this many, 1 to 500 (default 20)"),
                json, data,
            ], about: [columns],
            examples: ["events list --state refused", "events list --search milk"]),
        CommandSpec(
            words: ["events", "show"], summary: "show one press", operands: [Operand("ID")],
            options: [json, data],
            about: ["ID is the request id that 'events list' shows, or DEVICE.ID."]),
        CommandSpec(
            words: ["events", "undo"], summary: "take a press back", operands: [Operand("ID")],
            options: [json, data],
            about: ["What Beeminder has of it is deleted there."]),
        CommandSpec(
            words: ["events", "retry"], summary: "send a refused, held or not counted press again",
            operands: [Operand("ID", isOptional: true)],
            options: [
                CommandOption("goal", value: "GOAL", "to this goal instead"),
                CommandOption("refused", "all that Beeminder has refused, without ID"),
                CommandOption("of", value: "GOAL", "with --refused: of this goal only"), json, data,
            ], examples: ["events retry --refused --of water"]),
    ]

    // MARK: Goals and presets

    private static let arranging = [
        CommandSpec(
            words: ["goals"], summary: "show goals, the most urgent first", options: [json, data],
            about: ["LEFT is the time until a goal derails.", columns]),
        CommandSpec(
            words: ["pin"], summary: "pin a goal: displays show pinned goals",
            operands: [Operand("GOAL")],
            options: [
                CommandOption("position", value: "N", "the place in the list, from 1"), json, data,
            ]),
        CommandSpec(
            words: ["unpin"], summary: "unpin a goal", operands: [Operand("GOAL")],
            options: [json, data]),
        CommandSpec(
            words: ["preset", "list"], summary: "show presets", options: [json, data],
            about: [columns]),
        CommandSpec(
            words: ["preset", "set"], summary: "make a preset, or replace it: a name for a press",
            operands: [Operand("NAME"), Operand("GOAL"), Operand("VALUE", isOptional: true)],
            options: [
                CommandOption("comment", letter: "m", value: "TEXT", "the comment of its presses"),
                CommandOption(
                    "minimum-interval", value: "SECONDS", "presses that come sooner do not count"),
                CommandOption("once-per-day", "only the first datapoint of a day counts"),
                CommandOption(
                    "merge-seconds", value: "SECONDS",
                    "presses within so many seconds are one datapoint"),
                json, data,
            ], about: ["Nothing of a preset that is replaced stays: give all options again."],
            examples: ["preset set glass water 0.25 --minimum-interval 5"]),
        CommandSpec(
            words: ["preset", "remove"], summary: "remove a preset", operands: [Operand("NAME")],
            options: [data]),
    ]

    // MARK: Devices and the account

    private static let deviceOptions = [
        CommandOption("goals", value: "A,B", "the only goals it may log to"),
        CommandOption(
            "can", value: "RIGHTS", "any of log, read, health and manage (default log,read)",
            .words(["log", "log,read", "log,read,manage", "read", "health"])),
        CommandOption("goal", value: "GOAL", "the goal of a press that names none"),
        CommandOption("value", value: "V", "the value of a press that has none"),
        CommandOption(
            "expect", value: "TIME", "remind when it is silent for longer, as in 1d or 12h"),
        CommandOption("strict", "refuse presses with unknown fields"),
    ]

    private static let devices = [
        CommandSpec(
            words: ["device", "add"], summary: "make a device and print its token",
            operands: [Operand("NAME")], options: deviceOptions + [json, data],
            about: [
                "The token is printed alone on standard output, this once. With --goal and "
                    + "--value an empty press is enough. A device that is removed and added again "
                    + "is another one, also under the same name: what its predecessor sent is "
                    + "neither seen nor undone by it.",
                "Works whether a relay runs on that data folder or not.",
            ], examples: ["device add kitchen --goals water,pushups"]),
        CommandSpec(
            words: ["device", "list"], summary: "show devices, and when each was last seen",
            options: [json, data],
            about: ["EMPTY PRESS is what a press without a value or a goal is.", columns]),
        CommandSpec(
            words: ["device", "rotate"], summary: "give a device another token",
            operands: [Operand("NAME")], options: [json, data]),
        CommandSpec(
            words: ["device", "remove"], summary: "shut a device out", operands: [Operand("NAME")],
            options: [data]),
        CommandSpec(
            words: ["device", "export"], summary: "print devices for another relay",
            operands: [Operand("NAME", isOptional: true, repeats: true)], options: [data],
            about: [
                "A JSON object a line: all devices, or the named ones. No token is in them, only "
                    + "its SHA-256."
            ]),
        CommandSpec(
            words: ["device", "import"], summary: "take over devices of another relay",
            options: [data],
            about: [
                "Reads what 'device export' prints from standard input, so that both relays know "
                    + "the same devices, and a press sent to both is one datapoint."
            ], examples: ["device import < devices.jsonl"]),
        expectation,
        CommandSpec(
            words: ["owner-link"], summary: "print a link that signs a browser in, once",
            options: [
                CommandOption("sign-out-everywhere", "sign all browsers out instead"), json, data,
            ], about: ["The link works for 15 minutes. On a terminal its QR code is shown, too."]),
        CommandSpec(
            words: ["connect"], summary: "connect the Beeminder account",
            options: [
                CommandOption(
                    "auth-token", value: "-", "read the personal token from standard input"),
                CommandOption(
                    "access-token", value: "-", "read an OAuth token from standard input"),
                CommandOption("username", value: "NAME", "whose it is, when Beeminder cannot say"),
                data, Setting.beeminderURL.documented,
            ],
            about: [
                "Asks for the personal token on a terminal, without showing it; else the token "
                    + "comes from BEEMINDER_AUTH_TOKEN, BEEMINDER_ACCESS_TOKEN or standard input. "
                    + "It is the one at https://www.beeminder.com/api/v1/auth_token.json; that "
                    + "whole text will do.",
                "Beeminder is asked whose it is, then it is saved. A token that Beeminder refuses "
                    + "is not saved; without an answer it is saved, and said not to be verified. "
                    + "Works whether a relay runs on that data folder or not.",
            ], examples: ["connect", "connect --auth-token - < auth_token.json"],
            exits: [(.noPermission, "Beeminder refuses the token, or the folder is another user's")]
        ),
        CommandSpec(
            words: ["disconnect"], summary: "forget the Beeminder account", options: [data],
            about: [
                "What is queued waits until the same user is connected again. Works whether a "
                    + "relay runs on that data folder or not."
            ]),
    ]

    // MARK: Watching and keeping

    private static let keeping = [
        CommandSpec(
            words: ["status"], summary: "show what runs, which account, how much waits",
            options: [
                CommandOption("settings", "show every setting, and where it came from"),
                CommandOption("ready", "only whether presses are accepted, for health checks"),
                json, data,
            ], exits: [(.unavailable, "nothing runs, or it is not well")]),
        CommandSpec(
            words: ["doctor"], summary: "find what is wrong, and what to do",
            options: [
                json, data, Setting.listen.documented, Setting.beeminderURL.documented,
                Setting.store.documented, Setting.storePasswordFile.documented,
            ],
            about: [
                "Looks at the clock, the disk, permissions, the port, the way to Beeminder, the "
                    + "token, the time zone and the last requests of devices that were refused. "
                    + "Each finding names its next step."
            ], exits: [(.dataError, "something must be done")]),
        CommandSpec(
            words: ["export"], summary: "print all events, the history included",
            options: formats + [
                CommandOption(
                    "output", letter: "o", value: "FILE", "write to a file instead", .file), data,
            ],
            about: [
                "CSV (the default) is for spreadsheets and Beeminder; JSON lines lose nothing. In "
                    + "CSV a text that a spreadsheet would run as a formula has an apostrophe "
                    + "before it."
            ], examples: ["export > presses.csv", "export --jsonl -o presses.jsonl"]),
        CommandSpec(
            words: ["import"], summary: "take datapoints from a file, all or none",
            operands: [Operand("FILE", .file)],
            options: formats + [
                CommandOption("dry-run", "only say what would be taken"),
                CommandOption("goal", value: "GOAL", "the goal of lines that name none"),
                CommandOption("take-duplicates", "take lines whose content is already known, too"),
                json, data,
            ],
            about: [
                "Reads what 'export' writes, spreadsheets, and Beeminder's own lines, as in 2026 "
                    + "11 20 1 \"with milk\", with 11 20 or 20 for the last such day and ^ for "
                    + "today; '-' is standard input. When a line is wrong nothing is taken, and "
                    + "the lines are named. The same file once more adds nothing."
            ], examples: ["import --dry-run presses.csv", "import --goal water presses.csv"],
            exits: [(.dataError, "lines are wrong, and nothing was taken")]),
        CommandSpec(
            words: ["backup"], summary: "copy the data folder, also while the relay runs",
            operands: [Operand("TO", .file)], options: [data],
            about: [
                "TO is a folder or FILE.tar that does not exist yet. The copy holds everything "
                    + "that was acknowledged before the command began, and all tokens: nobody "
                    + "else can read it. It says what is in the copy and how to restore it."
            ], examples: ["backup /mnt/usb/beemed-relay.tar"],
            exits: [(.dataError, "the copy is made, and a person should look at what is in it")]),
        CommandSpec(
            words: ["journal", "verify"], summary: "say what a journal holds; touches nothing",
            operands: [Operand("DIR", isOptional: true, .file)],
            options: [json, data, Setting.storePasswordFile.documented],
            about: [
                "Tells what is there, what is damaged and what a start would do. DIR may be the "
                    + "--store of a cluster."
            ],
            exits: [(.dataError, "a person should look"), (.noInput, "there is no journal")]),
        CommandSpec(
            words: ["journal", "copy"], summary: "move a journal into a cluster, or back",
            operands: [Operand("FROM", .file), Operand("TO", .file)],
            options: [data, Setting.storePasswordFile.documented],
            about: [
                "One of both is a data folder, the other one the --store of a cluster. No relay "
                    + "may use either. Devices, presets, rules, pins and sessions go with it; "
                    + "Beeminder's token and the history do not."
            ], examples: ["journal copy DIR etcd://pi-1:2379/home"],
            exits: [(.dataError, "nothing was copied"), (.tempFail, "a relay uses the folder")]),
        CommandSpec(
            words: ["service", "install"], summary: "start the relay with the machine",
            options: serviceOptions + [
                CommandOption("print", "print the files instead of installing them"), data,
                Setting.listen.documented,
            ],
            about: [
                "Makes a service of systemd or launchd and starts it: of this user, or, as root, "
                    + "of the machine. Where Avahi is, its file that announces the relay is "
                    + "installed with a service of the machine."
            ], examples: ["service install", "service install --print"]),
        CommandSpec(
            words: ["service", "uninstall"], summary: "stop and remove the service",
            options: serviceOptions, about: ["The data folder stays."]),
        CommandSpec(
            words: ["service", "status"], summary: "show the service's state",
            options: serviceOptions + [json], exits: [(.unavailable, "it is not running")]),
    ]

    private static let formats = [
        CommandOption("csv", "as CSV"), CommandOption("jsonl", "as JSON lines"),
    ]

    private static let serviceOptions = [
        CommandOption("system", "of the machine (the default for root)"),
        CommandOption("user", "of this user (the default for others)"),
    ]

    // MARK: About the program

    private static let describing = [
        CommandSpec(
            words: ["completions"], summary: "print a shell's completions",
            operands: [Operand("SHELL", .words(["bash", "zsh", "fish"]))],
            examples: [
                "completions bash > ~/.local/share/bash-completion/completions/beemed-relay",
                "completions fish > ~/.config/fish/completions/beemed-relay.fish",
            ]),
        CommandSpec(
            words: ["man"], summary: "print the manual page",
            examples: ["man | man -l -"]),
        CommandSpec(
            words: ["help"], summary: "show help",
            operands: [Operand("COMMAND", isOptional: true, repeats: true)]),
        CommandSpec(words: ["version"], summary: "show the version", options: [json]),
    ]
}

extension Setting {
    /// Its option, with the variable and the default in the help.
    var documented: CommandOption {
        var option = option
        let standard = standard == "none" || option.value == nil ? "" : "default \(standard), "
        option.help += " (\(standard)\(variable))"
        return option
    }
}
