/// What a shell may offer for a value.
enum Completion: Sendable, Equatable {
    /// Nothing is known of it.
    case none
    /// The name of a file or folder.
    case file
    /// One of these words, or another one.
    case words([String])
    /// One of these words, and no other.
    case choice([String])
}

/// One option of a command. Parsing, help, man page and completions are all made from it.
struct CommandOption: Sendable {
    /// The name, without the dashes.
    var name: String
    /// The letter after a single dash; nil when there is none.
    var letter: Character?
    /// The placeholder of its value, as in `HOST:PORT`; nil for an option without a value.
    var value: String?
    /// Whether it may be given several times; then the values are separated by blanks.
    var repeats = false
    /// What it is for: a few words, without a full stop.
    var help: String
    /// What a shell offers for its value.
    var completion = Completion.none

    /// A flag, or an option with a value.
    init(
        _ name: String, letter: Character? = nil, value: String? = nil, repeats: Bool = false,
        _ help: String, _ completion: Completion = .none
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.repeats = repeats
        self.help = help
        self.completion = completion
    }

    /// As it is typed, with its placeholder: `-m, --comment TEXT`.
    var typed: String {
        let short = letter.map { "-\($0), " } ?? ""
        return short + "--\(name)" + (value.map { " \($0)" } ?? "")
    }
}

/// A word that a command takes besides its options.
struct Operand: Sendable {
    /// The placeholder, as in `GOAL`.
    var name: String
    /// Whether it may be missing.
    var isOptional = false
    /// Whether there may be several.
    var repeats = false
    /// What a shell offers for it.
    var completion = Completion.none

    /// An operand that must be given, unless said otherwise.
    init(
        _ name: String, isOptional: Bool = false, repeats: Bool = false,
        _ completion: Completion = .none
    ) {
        self.name = name
        self.isOptional = isOptional
        self.repeats = repeats
        self.completion = completion
    }

    /// As in a line of usage: `GOAL`, `[VALUE]`, `[NAME ...]`.
    var typed: String {
        let words = repeats ? "\(name) ..." : name
        return isOptional ? "[\(words)]" : words
    }
}
