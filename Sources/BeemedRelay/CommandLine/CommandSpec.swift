/// One command: its words, operands, options and help. Nothing else in the program says what a
/// command line may be.
struct CommandSpec: Sendable {
    /// Its words, as in `device add`.
    var words: [String]
    /// What it does: a few words, for lists.
    var summary: String
    var operands: [Operand] = []
    var options: [CommandOption] = []
    /// The names of options of which at most one may be given.
    var exclusive: [String] = []
    /// What it does in sentences, a paragraph each; wrapped where it is shown.
    var about: [String] = []
    /// Lines that work as they stand, without the program's name.
    var examples: [String] = []
    /// Exit codes that mean something special for this command.
    var exits: [(code: ExitCode, meaning: String)] = []

    /// The words as they are typed.
    var name: String { words.joined(separator: " ") }

    /// The options, with the one that every command has.
    var allOptions: [CommandOption] { options + [CommandSpec.help] }

    /// `beemed-relay device add NAME [OPTIONS]`.
    var usage: String {
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
