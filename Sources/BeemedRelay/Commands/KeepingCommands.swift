import RelayTrunk

/// The commands that watch a relay and keep its data.
extension CommandTable {
    static let keeping = [
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
}
