#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The program: selects the command and returns its exit code.
@main
enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        do throws(Failure) {
            ExitCode.end(try run(arguments, environment))
        } catch {
            Console.error("beemed-relay: \(error.message)")
            ExitCode.end(error.code)
        }
    }

    private static func run(
        _ given: [String], _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        switch given.first {
        case nil, "-h", "--help":
            Console.output(HelpText.program)
            return .ok
        case "--version", "-V":
            Console.output("beemed-relay \(Version.number)")
            return .ok
        case .some(let word):
            if let help = try help(on: given) {
                Console.output(help)
                return .ok
            }
            let (command, rest) = try CommandTable.find(given)
            let arguments = try Arguments(rest, for: command)
            guard !arguments.has("help") else {
                Console.output(HelpText.command(command))
                return .ok
            }
            return try perform(command, word, arguments, environment)
        }
    }

    /// What to show for `help`, `help device add` and `device --help`; nil for another command.
    private static func help(on given: [String]) throws(Failure) -> String? {
        let isGroup = !CommandTable.group(given[0]).isEmpty
        if given.count == 2, isGroup, ["-h", "--help"].contains(given[1]) {
            return HelpText.group(given[0])
        }
        guard given[0] == "help" else { return nil }
        let words = given.dropFirst().filter { !$0.hasPrefix("-") }
        guard let first = words.first else { return HelpText.program }
        if words.count == 1, !CommandTable.group(first).isEmpty { return HelpText.group(first) }
        return HelpText.command(try CommandTable.find(words).command)
    }

    private static func perform(
        _ command: CommandSpec, _ word: String, _ arguments: Arguments,
        _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        switch word {
        case "version":
            Console.output(
                arguments.has("json")
                    ? "{\"version\":\"\(Version.number)\"}" : "beemed-relay \(Version.number)")
            return .ok
        case "man":
            Console.output(ManPage.text(version: Version.number))
            return .ok
        case "completions":
            Console.output(try Completions.script(for: arguments.words[0]))
            return .ok
        case "simulator": return try SimulatorCommand(arguments).run()
        default: break
        }
        return try perform(command, word, in: arguments, environment)
    }

    private static func need(of command: CommandSpec) -> Invocation.Need {
        switch command.words {
        case ["serve"], ["demo"], ["service", "install"]: .start
        case ["service", "uninstall"], ["service", "status"]: .nothing
        default: .look
        }
    }

    /// The commands that have settings or are about a data folder.
    private static func perform(
        _ command: CommandSpec, _ word: String, in arguments: Arguments,
        _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        let invocation = try Invocation(arguments, environment, needing: need(of: command))
        switch (word, command.words.last ?? word) {
        case ("serve", _): return try ServeCommand(invocation).run()
        case ("demo", _): return try DemoCommand(invocation).run()
        case ("log", _): return try LogCommand(invocation).run()
        case ("events", let verb): return try EventsCommand(invocation, verb).run()
        case ("goals", _): return try GoalsCommand(invocation).list()
        case ("pin", _): return try GoalsCommand(invocation).pin()
        case ("unpin", _): return try GoalsCommand(invocation).unpin()
        case ("preset", let verb): return try PresetCommand(invocation, verb).run()
        case ("rule", let verb): return try RuleCommand(invocation, verb).run()
        case ("reminder", let verb): return try ReminderCommand(invocation, verb).run()
        case ("device", let verb): return try DeviceCommand(invocation, verb).run()
        case ("owner-link", _): return try OwnerLinkCommand(invocation).run()
        case ("connect", _): return try ConnectCommand(invocation).run()
        case ("disconnect", _): return try DisconnectCommand(invocation).run()
        case ("status", _): return try StatusCommand(invocation).run()
        case ("doctor", _): return try DoctorCommand(invocation).run()
        case ("export", _): return try TransferCommand(invocation).export()
        case ("import", _): return try TransferCommand(invocation).importFile()
        case ("backup", _): return try BackupCommand(invocation).run()
        case ("journal", "copy"): return try JournalCopyCommand(invocation).run()
        case ("journal", _): return try JournalCommand(invocation).run()
        case ("service", let verb): return try UnitCommand(invocation, verb).run()
        default: throw Failure(.software, "'\(command.name)' is in the table and nowhere else")
        }
    }
}

extension CommandTable {
    /// The command that these arguments begin with, and the arguments after it.
    ///
    /// - Throws: `Failure` with exit code 64 and the nearest command.
    static func find(
        _ given: [String]
    ) throws(Failure) -> (command: CommandSpec, rest: [String]) {
        if let command = command(Array(given.prefix(2))), given.count >= 2 {
            return (command, Array(given.dropFirst(2)))
        }
        let word = given[0]
        if let command = command([word]) { return (command, Array(given.dropFirst())) }
        let group = group(word)
        guard group.isEmpty else {
            let verbs = group.map { $0.words[1] }
            let near = given.dropFirst().first.map {
                "'\(word)' has no command '\($0)'" + Nearest.hint($0, in: verbs)
            }
            throw Failure(
                .usage, "\(near ?? "'\(word)' needs a command")\n\(HelpText.group(word))")
        }
        guard !word.hasPrefix("-") else {
            throw Failure(
                .usage,
                "options come behind the command, as in: beemed-relay status \(word) ...\n"
                    + "see: beemed-relay help")
        }
        let hint = Nearest.hint(word, in: firstWords)
        throw Failure(.usage, "there is no command '\(word)'\(hint)\nsee: beemed-relay help")
    }
}
