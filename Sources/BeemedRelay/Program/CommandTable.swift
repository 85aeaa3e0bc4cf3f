import RelayTrunk

extension CommandTable {
    /// The groups of commands with their titles, in the order in which they are shown.
    static let sections: [(title: String, commands: [ProgramCommand])] = [
        ("Run", running), ("Presses", pressing), ("Goals and presets", arranging),
        ("Health data", rules), ("Reminders", reminders),
        ("Devices and account", devices + accounts), ("Watch and keep", keeping),
        ("More", describing),
    ]

    static let commands = sections.flatMap(\.commands)
    static let all: [CommandSpec] = commands.map(\.spec)

    /// The command of these words; nil when there is none.
    static func command(_ words: [String]) -> CommandSpec? {
        all.first { $0.words == words }
    }

    /// The commands that begin with this word.
    static func group(_ word: String) -> [CommandSpec] {
        all.filter { $0.words.first == word && $0.words.count > 1 }
    }

    // MARK: Running

    private static let running = [
        CommandSpec(
            words: ["demo"], summary: "try it with a simulated Beeminder",
            options: [
                CommandOption(
                    "data", value: "DIR",
                    "keep the data here (default: a temporary folder that is removed at the end)"),
                CommandOption(
                    "listen", value: "HOST:PORT",
                    "the address to listen on (default 127.0.0.1:2336, or any free port)"),
            ] + Setting.all.dropFirst(3).map(\.documented),
            about: [
                "A relay and a simulated Beeminder with three goals, in one process. Nothing "
                    + "leaves the machine. It opens its page where it can, and ends with Ctrl-C.",
                "While it runs, commands such as 'device add' and 'owner-link' find it without "
                    + "--data, unless a relay has been used on the default data folder.",
            ], examples: ["demo", "demo --listen 0.0.0.0:2336"]
        ).runs(needing: .start, DemoCommand.self),
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
            ]
        ).runs(needing: .start, ServeCommand.self),
        CommandSpec(
            words: ["simulator"], summary: "run the simulated Beeminder alone",
            options: [
                CommandOption(
                    "listen", value: "HOST:PORT",
                    "the address to listen on (default 127.0.0.1:2337)")
            ], about: ["For trying things without money at stake. Its page tells how."]
        ).runs(needing: .nothing, SimulatorCommand.self),
    ]

    // MARK: Watching and keeping

    private static let keeping = [
        CommandSpec(
            words: ["status"], summary: "show what runs, which account, how much waits",
            options: [
                CommandOption("settings", "show every setting, and where it came from"),
                CommandOption("ready", "only whether presses are accepted, for health checks"),
                json, data,
            ], exits: [(.unavailable, "nothing runs, or it is not well")]
        ).runs(StatusCommand.self),
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
            ], exits: [(.dataError, "something must be done")]
        ).runs(DoctorCommand.self),
        CommandSpec(
            words: ["export"], summary: "print all events, the history included",
            options: formats + [
                CommandOption(
                    "output", letter: "o", value: "FILE", "write to a file instead"), data,
            ], exclusive: ["csv", "jsonl"],
            about: [
                "CSV (the default) is for spreadsheets and Beeminder; JSON lines lose nothing. In "
                    + "CSV a text that a spreadsheet would run as a formula has an apostrophe "
                    + "before it."
            ], examples: ["export > presses.csv", "export --jsonl -o presses.jsonl"]
        ).runs { (invocation) throws(Failure) in
            try TransferCommand(invocation: invocation).export()
        },
        CommandSpec(
            words: ["import"], summary: "take datapoints from a file, all or none",
            operands: [Operand("FILE")],
            options: formats + [
                CommandOption("dry-run", "only say what would be taken"),
                CommandOption("goal", value: "GOAL", "the goal of lines that name none"),
                CommandOption("take-duplicates", "take lines whose content is already known, too"),
                json, data,
            ], exclusive: ["csv", "jsonl"],
            about: [
                "Reads what 'export' writes, spreadsheets, and Beeminder's own lines, as in 2026 "
                    + "11 20 1 \"with milk\", with 11 20 or 20 for the last such day and ^ for "
                    + "today; '-' is standard input. When a line is wrong nothing is taken, and "
                    + "the lines are named. The same file once more adds nothing."
            ], examples: ["import --dry-run presses.csv", "import --goal water presses.csv"],
            exits: [(.dataError, "lines are wrong, and nothing was taken")]
        ).runs { (invocation) throws(Failure) in
            try TransferCommand(invocation: invocation).importFile()
        },
        CommandSpec(
            words: ["backup"], summary: "copy the data folder, also while the relay runs",
            operands: [Operand("TO")], options: [data],
            about: [
                "TO is a folder or FILE.tar that does not exist yet. The copy holds everything "
                    + "that was acknowledged before the command began, and all tokens: nobody "
                    + "else can read it. It says what is in the copy and how to restore it."
            ], examples: ["backup /mnt/usb/beemed-relay.tar"],
            exits: [(.dataError, "the copy is made, and a person should look at what is in it")]
        ).runs(BackupCommand.self),
        CommandSpec(
            words: ["journal", "verify"], summary: "say what a journal holds; touches nothing",
            operands: [Operand("DIR", isOptional: true)],
            options: [json, data, Setting.storePasswordFile.documented],
            about: [
                "Tells what is there, what is damaged and what a start would do. DIR may be the "
                    + "--store of a cluster."
            ],
            exits: [(.dataError, "a person should look"), (.noInput, "there is no journal")]
        ).runs(JournalCommand.self),
        CommandSpec(
            words: ["journal", "copy"], summary: "move a journal into a cluster, or back",
            operands: [Operand("FROM"), Operand("TO")],
            options: [data, Setting.storePasswordFile.documented],
            about: [
                "One of both is a data folder, the other one the --store of a cluster. No relay "
                    + "may use either. Devices, presets, rules, pins and sessions go with it; "
                    + "Beeminder's token and the history do not."
            ], examples: ["journal copy DIR etcd://pi-1:2379/home"],
            exits: [(.dataError, "nothing was copied"), (.tempFail, "a relay uses the folder")]
        ).runs(JournalCopyCommand.self),
        CommandSpec(
            words: ["service", "install"], summary: "start the relay with the machine",
            options: serviceOptions + [
                CommandOption("print", "print the files instead of installing them"), data,
                Setting.listen.documented,
            ], exclusive: ["system", "user"],
            about: [
                "Makes a service of systemd or launchd and starts it: of this user, or, as root, "
                    + "of the machine. Where Avahi is, its file that announces the relay is "
                    + "installed with a service of the machine."
            ], examples: ["service install", "service install --print"]
        ).runs(needing: .start) { (invocation) throws(Failure) in
            try UnitCommand(invocation).install()
        },
        CommandSpec(
            words: ["service", "uninstall"], summary: "stop and remove the service",
            options: serviceOptions, exclusive: ["system", "user"],
            about: ["The data folder stays."]
        ).runs(needing: .nothing) { (invocation) throws(Failure) in
            try UnitCommand(invocation).uninstall()
        },
        CommandSpec(
            words: ["service", "status"], summary: "show the service's state",
            options: serviceOptions + [json], exclusive: ["system", "user"],
            exits: [(.unavailable, "it is not running")]
        ).runs(needing: .nothing) { (invocation) throws(Failure) in
            try UnitCommand(invocation).status()
        },
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
            words: ["help"], summary: "show help",
            operands: [Operand("COMMAND", isOptional: true, repeats: true)]
        ).runs(needing: .nothing) { _ in
            Console.output(HelpText.program)
            return .ok
        },
        CommandSpec(words: ["version"], summary: "show the version", options: [json])
            .runs(needing: .nothing) { invocation in
                invocation.wantsJSON
                    ? Console.json(["version": Version.number])
                    : Console.output("beemed-relay \(Version.number)")
                return .ok
            },
    ]
}
