/// One command: its words, operands, options and help. Nothing else in the program says what a
/// command line may be.
package struct CommandSpec: Sendable {
    /// Its words, as in `device add`.
    package var words: [String]
    /// What it does: a few words, for lists.
    package var summary: String
    /// Its operands, in order.
    package var operands: [Operand]
    /// Its options, but for `--help`.
    package var options: [CommandOption]
    /// The names of options of which at most one may be given.
    package var exclusive: [String]
    /// What it does in sentences, a paragraph each; wrapped where it is shown.
    package var about: [String]
    /// Lines that work as they stand, without the program's name.
    package var examples: [String]
    /// Exit codes that mean something special for this command.
    package var exits: [(code: ExitCode, meaning: String)]

    /// A command; what it does follows with `runs` or `asks`.
    package init(
        words: [String], summary: String, operands: [Operand] = [], options: [CommandOption] = [],
        exclusive: [String] = [], about: [String] = [], examples: [String] = [],
        exits: [(code: ExitCode, meaning: String)] = []
    ) {
        (self.words, self.summary, self.about) = (words, summary, about)
        (self.operands, self.options, self.exclusive) = (operands, options, exclusive)
        (self.examples, self.exits) = (examples, exits)
    }

    /// The words as they are typed.
    package var name: String { words.joined(separator: " ") }

    /// The options, with the one that every command has.
    package var allOptions: [CommandOption] { options + [CommandSpec.help] }

    /// `beemed-relay device add NAME [OPTIONS]`.
    package var usage: String {
        let operands = operands.map { " \($0.typed)" }.joined()
        return "beemed-relay \(name)\(operands)\(options.isEmpty ? "" : " [OPTIONS]")"
    }

    /// The option of that name.
    func option(_ name: String) -> CommandOption? {
        allOptions.first { $0.name == name }
    }

    /// The option of that letter.
    func option(_ letter: Character) -> CommandOption? {
        allOptions.first { $0.letter == letter }
    }

    private static let help = CommandOption("help", letter: "h", "show this help")
}
