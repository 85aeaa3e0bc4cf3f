import BeemedDomain

/// A parsed command line: operands, and options with or without a value.
package struct Arguments: Sendable {
    /// The operands, in order.
    package private(set) var words: [String] = []
    /// The members of a request that operands and options set, by their names there.
    private(set) var members: [String: JSONTree] = [:]
    /// The values of options; that of a flag is "true".
    private var values: [String: String] = [:]

    init() {}

    /// Reads the arguments of a command by its entry in the table. Options may stand before,
    /// between and behind operands; `--` ends them; `--name=value`, `-n value` and `-nvalue` are
    /// understood. Fails with 64, all mistakes and the nearest right words.
    package init(_ arguments: [String], for command: CommandSpec) throws(Failure) {
        var mistakes: [String] = []
        var rest = arguments[...]
        var endsOptions = false
        while let argument = rest.popFirst() {
            if !endsOptions, argument == "--" {
                endsOptions = true
            } else if endsOptions || !argument.hasPrefix("-") || argument == "-"
                || Arguments.isNumber(argument)
            {
                words.append(argument)
            } else if let mistake = parse(argument, &rest, command) {
                mistakes.append(mistake)
            }
        }
        guard !has("help") else { return }
        mistakes += missing(in: command) + readWords(command)
        guard mistakes.isEmpty else {
            throw Failure(
                .usage,
                mistakes.joined(separator: "\n")
                    + "\nusage: \(command.usage)\nsee: beemed-relay help \(command.name)")
        }
    }

    /// The value of an option, of a flag "true"; nil when not given.
    package subscript(_ name: String) -> String? { values[name] }

    /// Whether an option was given.
    package func has(_ option: String) -> Bool { values[option] != nil }

    /// A negative number is an operand: `log weight -0.5`.
    private static func isNumber(_ text: String) -> Bool {
        Double(text) != nil && text.dropFirst().first.map { $0.isNumber || $0 == "." } == true
    }

    /// Reads an option, and returns the mistake in it.
    private mutating func parse(
        _ argument: String, _ rest: inout ArraySlice<String>, _ command: CommandSpec
    ) -> String? {
        let isLong = argument.hasPrefix("--")
        var name = String(argument.dropFirst(isLong ? 2 : 1))
        var attached: String?
        if isLong, let sign = name.firstIndex(of: "=") {
            attached = String(name[name.index(after: sign)...])
            name = String(name[..<sign])
        } else if !isLong, name.count > 1 {
            attached = String(name.dropFirst())
            name = String(name.prefix(1))
        }
        let found = command.allOptions.first {
            isLong ? $0.name == name : $0.letter == name.first
        }
        guard let option = found else {
            let near = Nearest.hint(
                name, in: isLong ? command.allOptions.map(\.name) : [], dashes: "--")
            return "'\(command.name)' has no option \(isLong ? "--" : "-")\(name)\(near)"
        }
        guard let placeholder = option.value else {
            guard attached == nil else { return "--\(option.name) takes no value" }
            values[option.name] = "true"
            members[option.member] = .flag(true)
            return nil
        }
        guard let value = attached ?? rest.popFirst() else {
            return "--\(option.name) needs a value: --\(option.name) \(placeholder)"
        }
        // The last one alone would count, and the token would not do what its owner reads here.
        if values[option.name] != nil, !option.repeats {
            return "--\(option.name) is given twice; give it once: --\(option.name) \(placeholder)"
        }
        let read = option.kind.parse(value, as: "--\(option.name) \(placeholder)")
        guard let member = read.value else { return "--\(option.name) \(read.mistake)" }
        members[option.member] = member
        values[option.name] = [values[option.name], value].compactMap(\.self).joined(separator: " ")
        return nil
    }

    /// The messages about needed options that are missing, and exclusive options given together.
    private func missing(in command: CommandSpec) -> [String] {
        let needed = command.options.filter { $0.isNeeded && !has($0.name) }
        let given = command.exclusive.filter(has).map { "--\($0)" }
        return needed.map { "'\(command.name)' needs --\($0.name) \($0.value ?? "")" }
            + (given.count < 2
                ? [] : ["\(given.joined(separator: " and ")) exclude each other; give one of them"])
    }

    /// Reads the operands, and returns what is wrong with them.
    private mutating func readWords(_ command: CommandSpec) -> [String] {
        if let mistake = countMistake(command) { return [mistake] }
        var mistakes: [String] = []
        for (operand, word) in zip(command.operands, words) {
            let read = operand.kind.parse(word, as: operand.name)
            members[operand.member] = read.value
            if read.value == nil { mistakes.append("\(operand.name) \(read.mistake)") }
        }
        return mistakes
    }

    /// Whether there are too many or too few operands, or empty ones, which are mostly variables of
    /// a script that were never set.
    private func countMistake(_ command: CommandSpec) -> String? {
        if let index = words.firstIndex(of: "") {
            let name = index < command.operands.count ? command.operands[index].name : "an operand"
            return "'\(command.name)' was given an empty text for \(name)"
        }
        let needed = command.operands.prefix { !$0.isOptional }
        if words.count < needed.count {
            return "'\(command.name)' needs \(needed[words.count].name)"
        }
        guard words.count > command.operands.count, command.operands.last?.repeats != true else {
            return nil
        }
        return "'\(command.name)' does not take '\(words[command.operands.count])'"
    }
}

/// The word that was probably meant.
package enum Nearest {
    /// The candidate with the fewest letters to add, remove or replace; nil when none is near: up
    /// to a third of the letters, at least one, may differ.
    static func word(to text: String, in candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        let most = max(1, wanted.count / 3)
        let near = candidates.compactMap { candidate in
            wanted.distance(to: Array(candidate.lowercased().utf8), atMost: most)
                .map { (word: candidate, distance: $0) }
        }
        return near.min { $0.distance < $1.distance }?.word
            ?? candidates.first { !text.isEmpty && $0.hasPrefix(text) }
    }

    /// "; did you mean 'X'?", or nothing.
    package static func hint(_ text: String, in candidates: [String], dashes: String = "") -> String
    {
        word(to: text, in: candidates).map { "; did you mean '\(dashes)\($0)'?" } ?? ""
    }
}
