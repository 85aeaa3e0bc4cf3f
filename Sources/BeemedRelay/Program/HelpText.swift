import RelayTrunk

/// Help for people, made from the command table.
enum HelpText {
    private static let columns = 79

    /// The list of all commands.
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

    /// The commands that begin with a word.
    static func group(_ word: String) -> String {
        let commands = CommandTable.group(word)
        var lines = ["usage: beemed-relay \(word) COMMAND [OPTIONS]", ""]
        for command in commands { lines += entry(command.name, command.summary, column: 22) }
        lines += ["", "'beemed-relay help \(commands.first?.name ?? word)' tells more."]
        return lines.joined(separator: "\n")
    }

    /// The help on a command.
    static func command(_ command: CommandSpec) -> String {
        var lines = ["usage: \(command.usage)", ""]
        lines += wrapped(sentence(command.summary), indent: 0)
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

    /// The words with a capital letter and a full stop.
    static func sentence(_ words: String) -> String {
        words.prefix(1).uppercased() + words.dropFirst() + "."
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
