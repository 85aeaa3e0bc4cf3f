import Foundation
import RelayTrunk

// No file imports all of Foundation on Linux: it loads 12 MB of libraries, HTTP clients among them,
// and its time zones need another 39 MB (`Zone` reads those of the system).

/// The program: selects the command and returns its exit code.
@main
enum Main {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(Failure) {
            ExitCode.exit(try run(arguments, ProcessInfo.processInfo.environment))
        } catch {
            Console.error("beemed-relay: \(error.message)")
            ExitCode.exit(error.code)
        }
    }

    private static func run(
        _ given: [String], _ environment: [String: String]
    ) throws(Failure) -> ExitCode {
        var given = ["--version", "-V"].contains(given.first) ? ["version"] : given
        // `help device add` is `device add --help`.
        if given.first == "help" {
            given = given.dropFirst().filter { !$0.hasPrefix("-") } + ["--help"]
        }
        if let help = help(on: given) {
            Console.output(help)
            return .ok
        }
        let (command, rest) = try CommandTable.find(given)
        let arguments = try Arguments(rest, for: command.spec)
        guard !arguments.has("help") else {
            Console.output(HelpText.command(command.spec))
            return .ok
        }
        return try command.action(
            Invocation(arguments, environment, needing: command.need, leaves: Leaf.all))
    }

    /// The text about the program, or a group of commands; nil for a command.
    private static func help(on given: [String]) -> String? {
        let options = ["-h", "--help"]
        guard let word = given.first, !options.contains(word) else { return HelpText.program }
        let isGroup = given.count == 2 && !CommandTable.group(word).isEmpty
        return isGroup && options.contains(given[1]) ? HelpText.group(word) : nil
    }
}

extension CommandTable {
    /// The command that these arguments begin with, and the rest; fails with the nearest command.
    static func find(
        _ given: [String]
    ) throws(Failure) -> (command: ProgramCommand, rest: [String]) {
        for count in [2, 1] where given.count >= count {
            let words = Array(given.prefix(count))
            if let command = commands.first(where: { $0.spec.words == words }) {
                return (command, Array(given.dropFirst(count)))
            }
        }
        let word = given[0]
        let verbs = group(word).map { $0.words[1] }
        guard verbs.isEmpty else {
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
        let hint = Nearest.hint(word, in: all.map { $0.words[0] })
        throw Failure(.usage, "unknown command '\(word)'\(hint)\nsee: beemed-relay help")
    }
}
