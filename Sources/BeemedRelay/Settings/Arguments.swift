/// A parsed command line: words, and options with or without a value.
struct Arguments: Sendable, Equatable {
    private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// - Parameters:
    ///   - valued: the options that take a value, without the dashes.
    ///   - plain: the options that take none.
    /// - Throws: `Failure` for anything else that begins with dashes.
    init(_ arguments: [String], valued: Set<String>, plain: Set<String>) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument.count > 2 else {
                words.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
            let name = String(parts[0])
            if plain.contains(name), parts.count == 1 {
                flags.insert(name)
            } else if valued.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw Failure(.usage, "--\(name) needs a value")
                }
                values[name] = value
            } else {
                throw Failure(.usage, "there is no option --\(name); see --help")
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func has(_ flag: String) -> Bool { flags.contains(flag) }
}
