import BeemedDomain

/// A command: its words, operands, options and help. Nothing else in the program says what a
/// command line may be.
package struct CommandSpec: Sendable {
    /// Its words, as in `device add`.
    package var words: [String]
    /// The purpose: a few words, for lists.
    package var summary: String
    /// Its operands, in order.
    package var operands: [Operand]
    /// Its options, but for `--help`.
    package var options: [CommandOption]
    /// The names of options of which at most one may be given.
    package var exclusive: [String]
    /// The description: sentences, a paragraph each; wrapped for display.
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

    private static let help = CommandOption("help", letter: "h", "show this help")
}

/// The permitted values of an option or operand.
package enum ValueKind: Sendable, Equatable {
    case text
    /// A text that is not blank: an empty variable of a script would mean something else.
    case filled
    case number
    /// A whole number in a range, and what is counted.
    case whole(ClosedRange<Int64>, String)
    /// Texts with commas between them, at least one.
    case list
    case choice([String])

    /// The value as a member of a request's body.
    ///
    /// - Returns: the value; for a wrong text the mistake, to stand behind its name.
    func parse(_ text: String, as placeholder: String) -> (value: JSONTree?, mistake: String) {
        switch self {
        case .text: return (.text(text), "")
        case .filled:
            return (text.trimmed.isEmpty ? nil : .text(text), "is empty; give it a value")
        case .number:
            let number = Double(text).flatMap { $0.isFinite ? JSONTree.number($0) : nil }
            return (number, "'\(text)' is not a number, as in 2.5")
        case .whole(let range, let unit):
            let number = Double(text).flatMap { Int64(exactly: $0) }
            let value = number.flatMap { range.contains($0) ? JSONTree.number(Double($0)) : nil }
            let bounds = "\(range.lowerBound) to \(range.upperBound)"
            return (value, "'\(text)' is not a number of \(unit) from \(bounds)")
        case .list:
            let words = text.split(separator: ",").map { JSONTree.text(String($0)) }
            let advice = "leave it out, or write it as in \(placeholder)"
            return (words.isEmpty ? nil : .list(words), "names nothing; \(advice)")
        case .choice(let words):
            let names = "is not one of \(words.joined(separator: ", "))"
            let value = words.contains(text) ? JSONTree.text(text) : nil
            return (value, "'\(text)' \(names)\(Nearest.hint(text, in: words))")
        }
    }
}

/// An option of a command. Parsing, help, the bodies of requests and, by way of the help, the
/// manual page and completions are all made from it.
package struct CommandOption: Sendable {
    /// The name, without the dashes.
    var name: String
    /// The letter after a single dash; nil when there is none.
    var letter: Character?
    /// The placeholder of its value, as in `HOST:PORT`; nil for an option without a value.
    package var value: String?
    /// Whether the option may be given several times; then the values are separated by blanks.
    var repeats = false
    var isNeeded = false
    /// The purpose: a few words, without a full stop.
    package var help: String
    var kind = ValueKind.text
    /// Its name in a request.
    var member: String

    /// A flag, or an option with a value.
    ///
    /// - Parameter member: its name in a request, when that is another one than in `camelCase`.
    package init(
        _ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false,
        isNeeded: Bool = false, as member: String? = nil, _ help: String, _ kind: ValueKind = .text
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.repeats = repeats
        self.isNeeded = isNeeded
        self.help = help
        self.kind = kind
        let words = name.split(separator: "-")
        let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        self.member = member ?? "\(words[0])\(others.joined())"
    }

    /// As it is typed, with its placeholder: `-m, --comment TEXT`.
    package var typed: String {
        let short = letter.map { "-\($0), " } ?? ""
        return short + "--\(name)" + (value.map { " \($0)" } ?? "")
    }
}

/// A word that a command takes besides its options.
package struct Operand: Sendable {
    /// The placeholder, as in `GOAL`.
    var name: String
    var isOptional: Bool
    var repeats: Bool
    var kind: ValueKind
    /// Its name in a request.
    var member: String

    /// An operand that must be given, unless said otherwise.
    ///
    /// - Parameter member: its name in a request, when that is not the placeholder in lower case.
    package init(
        _ name: String, isOptional: Bool = false, repeats: Bool = false, as member: String? = nil,
        _ kind: ValueKind = .text
    ) {
        self.name = name
        self.isOptional = isOptional
        self.repeats = repeats
        self.member = member ?? name.lowercased()
        self.kind = kind
    }

    /// As in a line of usage: `GOAL`, `[VALUE]`, `[NAME ...]`.
    package var typed: String {
        let words = repeats ? "\(name) ..." : name
        return isOptional ? "[\(words)]" : words
    }
}
