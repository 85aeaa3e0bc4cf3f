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

    private static let serviceOptions = [
        CommandOption("system", "of the machine (the default for root)"),
        CommandOption("user", "of this user (the default for others)"),
    ]
}
