import RelayTrunk

/// A module of the page in a shorter form that means the same: without blanks that only its readers
/// need, and with short names for what is declared in it and seen nowhere else. So the page stays
/// as it is written, without a build step, and is below 100,000 bytes as it is sent.
///
/// It knows as much of JavaScript as the page uses: each statement ends with a semicolon or a
/// brace, no comment stands behind code, and no module declares a name of the browser that it uses
/// as such.
struct ShortScript {
    private let tokens: [String]
    /// For each token, the bracket that it stands in.
    private let brackets: [String]
    /// The places of semicolons between two declarations, which become one.
    private let joints: Set<Int>

    init(_ module: [UInt8]) {
        tokens = ScriptTokens(module).all
        var open: [String] = []
        var brackets: [String] = []
        // For each open bracket, and the module, whether the present statement in it declares.
        var declares = [false]
        var joints: Set<Int> = []
        let words = ["const", "let"]
        for (place, token) in tokens.enumerated() {
            if [")", "]"].contains(token) || token.hasPrefix("}") {
                _ = open.popLast()
                declares.removeLast()
            }
            brackets.append(open.last ?? "")
            if ["(", "[", "{"].contains(token) || token.hasSuffix("${") {
                open.append(token)
                declares.append(false)
            }
            if words.contains(token) {
                declares[declares.count - 1] = place == 0 || tokens[place - 1] != "export"
            } else if token == ";", declares.last == true {
                let goesOn = place + 1 < tokens.count && words.contains(tokens[place + 1])
                if goesOn { joints.insert(place) } else { declares[declares.count - 1] = false }
            }
        }
        self.brackets = brackets
        self.joints = joints
    }

    /// The short form.
    var bytes: [UInt8] {
        let names = shortNames
        var bytes: [UInt8] = []
        for (place, token) in tokens.enumerated() where !isSuperfluous(place) {
            if joints.contains(place - 1) { continue }
            var word = names[token] ?? ShortScript.equals[token] ?? token
            if joints.contains(place) { word = "," }
            if isImport(place), word != token { word = "\(token) as \(word)" }
            if let last = bytes.last, let next = word.utf8.first {
                if last.isPartOfName, next.isPartOfName { bytes.append(0x20) }
            }
            bytes += word.utf8
        }
        return bytes
    }

    /// Shorter words for the same.
    private static let equals = [
        "const": "let", "true": "!0", "false": "!1", "undefined": "void 0",
    ]

    /// Words that are no names, and names of two letters that are words.
    private static let reserved: Set<String> = [
        "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "default",
        "delete", "do", "else", "export", "extends", "false", "finally", "for", "from", "function",
        "get", "if", "import", "in", "instanceof", "let", "new", "null", "of", "return", "set",
        "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "void",
        "while", "yield",
    ]

    private subscript(place: Int) -> String {
        tokens.indices.contains(place) ? tokens[place] : ""
    }

    private func isName(_ place: Int) -> Bool {
        guard let first = self[place].utf8.first, first.isPartOfName else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            && !ShortScript.reserved.contains(self[place])
    }

    private func isArrow(_ place: Int) -> Bool { self[place] == "=" && self[place + 1] == ">" }

    /// Whether the parentheses that begin there hold the one parameter of an arrow function.
    private func holdsOneParameter(_ place: Int) -> Bool {
        self[place] == "(" && isName(place + 1) && self[place + 2] == ")" && isArrow(place + 3)
    }

    /// A semicolon or a comma before a brace, and parentheses around one parameter.
    private func isSuperfluous(_ place: Int) -> Bool {
        switch self[place] {
        case ";", ",": self[place + 1] == "}"
        case "(": holdsOneParameter(place)
        case ")": holdsOneParameter(place - 2)
        default: false
        }
    }

    /// The place of the bracket that closes the one at a place.
    private func end(of place: Int) -> Int {
        var depth = 0
        for other in place..<tokens.count {
            if self[other] == "(" { depth += 1 }
            if self[other] == ")" { depth -= 1 }
            if depth == 0 { return other }
        }
        return tokens.count
    }

    /// Short names for those that are declared or imported here and are nowhere a member, a method
    /// or exported, the ones first with which most is gained.
    private var shortNames: [String: String] {
        var counts: [String: Int] = [:]
        var gains: [String: Int] = [:]
        var seen: Set<String> = []
        for place in tokens.indices where isName(place) {
            counts[tokens[place], default: 0] += 1
            if isDeclared(place) { gains[tokens[place]] = 0 }
            // An import has both names.
            if isImport(place) { gains[tokens[place]] = -tokens[place].utf8.count - 4 }
            if isSeenOutside(place) { seen.insert(tokens[place]) }
        }
        for (name, gain) in gains {
            gains[name] = gain + (counts[name] ?? 0) * (name.utf8.count - 2)
        }
        let names = gains.filter { $0.value > 0 && !seen.contains($0.key) }.keys
            .sorted { (gains[$1] ?? 0, $0) < (gains[$0] ?? 0, $1) }
        let free = ShortScript.candidates.filter { counts[$0] == nil }
        return Dictionary(uniqueKeysWithValues: zip(names, free))
    }

    private static let candidates: [String] = {
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
        let pairs = letters.flatMap { first in letters.map { first + $0 } }
        return (letters + pairs).filter { !reserved.contains($0) }
    }()

    /// Whether a name is declared there: as a constant, a variable, a function or a parameter.
    private func isDeclared(_ place: Int) -> Bool {
        if ["const", "let", "function"].contains(self[place - 1]) { return true }
        guard brackets[place] == "(", ["(", ","].contains(self[place - 1]) else { return false }
        var start = place
        while start > 0, !(self[start] == "(" && end(of: start) > place) { start -= 1 }
        return isArrow(end(of: start) + 1) || self[start - 2] == "function"
            || self[start - 1] == "catch"
    }

    /// Whether a name stands in the list of an import.
    private func isImport(_ place: Int) -> Bool {
        guard brackets[place] == "{", isName(place) else { return false }
        let start = tokens[..<place].lastIndex(of: "{") ?? 0
        return self[start - 1] == "import"
    }

    /// Whether a name at a place is that of a member, a method or an export.
    private func isSeenOutside(_ place: Int) -> Bool {
        guard !isImport(place) else { return false }
        let (before, after) = (self[place - 1], self[place + 1])
        if before == ".", self[place - 2] != "." { return true }
        if self[place - 2] == "export" || self[place - 3] == "export" { return true }
        if ["class", "async", "get"].contains(before) && after != "=" { return true }
        guard brackets[place] == "{" else { return false }
        if ["{", ","].contains(before), [",", "}", ":", "="].contains(after) { return true }
        return after == "(" && before != "function" && self[end(of: place + 1) + 1] == "{"
    }
}
