import BeemedDomain

/// A command: its line, options and help. Nothing else says what a command line may be.
package struct CommandSpec: Sendable {
    /// The line as it is typed, without options: `device export [NAME ...]`.
    private let line: String
    /// Its words, as in `device add`.
    package let words: [String]
    /// The purpose: a few words, for lists.
    package let summary: String
    let operands: [Operand]
    /// Its options, but for `--help`.
    package let options: [CommandOption]
    /// The names of options of which at most one may be given.
    let exclusive: [String]
    /// The description: sentences, a paragraph each; wrapped for display.
    package let about: [String]
    /// Lines that work as they stand, without the program's name.
    package let examples: [String]
    /// Exit codes that mean something special for this command.
    package let exits: [(code: ExitCode, meaning: String)]

    /// A command; what it does follows with `runs` or `asks`. Operands that are no plain texts have
    /// a kind, and some have another name in a request than theirs in small letters.
    package init(
        _ line: String, _ summary: String, members: [String: String] = [:],
        kinds: [String: ValueKind] = [:], options: [CommandOption] = [], exclusive: [String] = [],
        about: [String] = [], examples: [String] = [],
        exits: [(code: ExitCode, meaning: String)] = []
    ) {
        (self.line, self.summary, self.about) = (line, summary, about)
        (self.options, self.exclusive) = (options, exclusive)
        (self.examples, self.exits) = (examples, exits)
        let parts = line.split(separator: " ").filter { $0 != "...]" }.map(String.init)
        words = Array(parts.prefix { $0 == $0.lowercased() })
        operands = parts.dropFirst(words.count).map { part in
            let name = part.filter { $0 != "[" && $0 != "]" }
            let isOptional = part.hasPrefix("[")
            return Operand(
                name: name, isOptional: isOptional, repeats: isOptional && !part.hasSuffix("]"),
                kind: kinds[name] ?? .text, member: members[name] ?? name.lowercased())
        }
    }

    /// The words as they are typed.
    package var name: String { words.joined(separator: " ") }

    /// The options, with the one that every command has.
    package var allOptions: [CommandOption] { options + [CommandSpec.help] }

    /// `beemed-relay device add NAME [OPTIONS]`.
    package var usage: String { "beemed-relay \(line)\(options.isEmpty ? "" : " [OPTIONS]")" }

    private static let help = CommandOption("-h, --help", "show this help")
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

    /// The value as a member of a request's body, or the mistake, to stand behind its name.
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

/// An option of a command. Parsing, help, manual and the bodies of requests are made from it.
package struct CommandOption: Sendable {
    /// As it is typed, with its placeholder: `-m, --comment TEXT`.
    package let typed: String
    private(set) var name = ""
    /// The letter after a single dash; nil when there is none.
    private(set) var letter: Character?
    /// The placeholder of its value, as in `HOST:PORT`; nil for an option without a value.
    package private(set) var value: String?
    /// Whether the option may be given several times; then the values are separated by blanks.
    let repeats: Bool
    let isNeeded: Bool
    /// The purpose: a few words, without a full stop.
    package var help: String
    let kind: ValueKind
    let member: String

    /// A flag, or an option with a value, typed as in `-m, --comment TEXT`; `member` in a request.
    package init(
        _ typed: String, repeats: Bool = false, isNeeded: Bool = false, as member: String? = nil,
        _ help: String, _ kind: ValueKind = .text
    ) {
        (self.typed, self.repeats, self.isNeeded) = (typed, repeats, isNeeded)
        (self.help, self.kind) = (help, kind)
        for part in typed.split(separator: " ") {
            if part.hasPrefix("--") {
                name = String(part.dropFirst(2))
            } else if part.hasPrefix("-"), part.hasSuffix(",") {
                letter = part.dropFirst().first
            } else {
                value = String(part)
            }
        }
        let words = name.split(separator: "-")
        let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        self.member = member ?? "\(words[0])\(others.joined())"
    }
}

/// A word that a command takes besides its options.
struct Operand: Sendable {
    let name: String
    let isOptional: Bool
    let repeats: Bool
    let kind: ValueKind
    let member: String
}
