import RelayHTTP

/// Removes secrets from displayed requests and from the log. Input is truncated before it is
/// scanned, so that no client can make the scan expensive.
enum Redaction {
    static let mark = "[redacted]"
    /// Bytes of a text that are scanned and shown.
    static let maxBytes = 512
    /// Fields of a head that are shown.
    static let maxFields = 40

    /// Whether a field of that name, in a query, head or body, contains a secret.
    static func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        guard name != "idempotency-key", name != "code" else { return name == "code" }
        return ["token", "auth", "secret", "passw", "key", "cookie", "session"]
            .contains { name.contains($0) }
    }

    static func query(_ query: String, _ known: TokenMatcher? = nil) -> String {
        shown(query, splitAt: UInt8(ascii: "&")) { pair in
            let name = Array(pair.prefix { $0 != UInt8(ascii: "=") })
            let shownName = clean(name, known, findsNames: false)
            guard name.count < pair.count else { return shownName }
            if namesSecret(decoded(name)) { return "\(shownName)=\(mark)" }
            let value = clean(Array(pair.dropFirst(name.count + 1)), known)
            return "\(shownName)=\(value)"
        }
    }

    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return isSecret(name) || name.contains("bearer") || name.contains("basic")
    }

    static func path(_ path: String, _ known: TokenMatcher? = nil) -> String {
        shown(path, splitAt: UInt8(ascii: "/")) { clean(Array($0), known) }
    }

    /// The fields of a head; repeated ones are joined.
    static func fields(_ fields: Fields, _ known: TokenMatcher? = nil) -> [String: String] {
        var shown: [String: String] = [:]
        for (name, value) in fields.list(atMost: maxFields) {
            let value = isSecret(name) ? mark : text(value, known)
            let name = text(name, known, findsNames: false)
            shown[name] = shown[name].map { "\($0), \(value)" } ?? value
        }
        return shown
    }

    /// Text of the relay itself, which may repeat one of its tokens.
    static func tokens(_ text: String, _ known: TokenMatcher? = nil) -> String {
        self.text(text, known, findsNames: false)
    }

    /// Any text: removes tokens, and the value after a word for a secret.
    static func text(
        _ text: String, _ known: TokenMatcher? = nil, findsNames: Bool = true
    ) -> String {
        shown(text) { clean(Array($0), known, findsNames: findsNames) }
    }

    /// The beginning of a text, each part cleaned.
    private static func shown(
        _ text: String, splitAt separator: UInt8? = nil, _ clean: (ArraySlice<UInt8>) -> String
    ) -> String {
        let bytes = Array(text.utf8.prefix(maxBytes))
        let parts = bytes.split(omittingEmptySubsequences: false) { $0 == separator }
        let mark = separator.map { String(UnicodeScalar($0)) } ?? ""
        return parts.map(clean).joined(separator: mark) + (text.utf8.count > maxBytes ? "..." : "")
    }

    /// These bytes without secrets; only `mark` when percent-encoding hides a secret.
    private static func clean(
        _ bytes: [UInt8], _ known: TokenMatcher?, findsNames: Bool = true
    ) -> String {
        let plain = SecretScanner(bytes, findsNames: findsNames, known: known)
        guard bytes.contains(UInt8(ascii: "%")) else { return plain.text }
        let hidden = SecretScanner(
            Array(decoded(bytes).utf8), findsNames: findsNames, known: known)
        return hidden.found > plain.found ? mark : plain.text
    }

    /// The text after repeated percent-decoding, up to a limit.
    private static func decoded(_ bytes: [UInt8]) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        for _ in 0..<3 where text.utf8.contains(UInt8(ascii: "%")) {
            text = FormDecoder.decode(Substring(text), plusIsBlank: true)
        }
        return text
    }
}

/// Removes secrets from a text: the relay's tokens, tokens known by their digests, and the value
/// after a word for a secret. It scans the text in one pass, since clients control its content.
struct SecretScanner {
    private let bytes: [UInt8]
    private let known: TokenMatcher?
    private var output: [UInt8] = []
    private(set) var found = 0

    /// The number of bytes examined, repeats included.
    private(set) var steps = 0

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Scans these bytes.
    ///
    /// - Parameters:
    ///   - findsNames: whether the value after a word for a secret is removed.
    ///   - known: recognizes tokens of another form than the relay's.
    init(_ bytes: [UInt8], findsNames: Bool = true, known: TokenMatcher? = nil) {
        self.bytes = bytes
        self.known = known
        output.reserveCapacity(bytes.count + 16)
        var index = 0
        while index < bytes.count {
            let end = run(from: index, while: SecretScanner.isWord)
            guard end > index else {
                output.append(bytes[index])
                index += 1
                continue
            }
            copy(word: index..<end)
            let isName =
                findsNames
                && SecretScanner.names.contains { self.index(of: $0, in: index..<end) != nil }
            index = isName ? redactValue(from: end) : end
        }
    }

    /// Words for a secret, in lower case.
    private static let names = ["token", "auth", "secret", "passw", "bearer", "basic"]
        .map { Array($0.utf8) }
    /// Words between a name and its secret, as in `Authorization: Bearer SECRET`.
    private static let schemes = ["bearer", "basic", "token", "digest"].map { Array($0.utf8) }
    /// The prefix of the relay's tokens.
    private static let prefix = Array("br_".utf8)
    private static let quotes = Set("\"'".utf8)
    /// The closing bracket of each opening one.
    private static let brackets = Dictionary(
        uniqueKeysWithValues: zip("[{(".utf8, "]})".utf8))
    /// The characters between a name and its secret.
    private static let separators = quotes.union(brackets.keys).union("\t\n\r :=\\,".utf8)
    /// The characters behind a value without quotes.
    private static let ends = quotes.union("\t\n\r &,]})".utf8)

    /// Copies a word, without any token inside.
    private mutating func copy(word: Range<Int>) {
        if let start = index(of: SecretScanner.prefix, in: word),
            start + SecretScanner.prefix.count < word.upperBound
        {
            output += bytes[word.lowerBound..<start]
            redact()
        } else if known?.isToken(bytes[word]) == true {
            redact()
        } else {
            output += bytes[word]
        }
    }

    /// Removes the value after a word for a secret.
    ///
    /// - Returns: where the text continues.
    private mutating func redactValue(from start: Int) -> Int {
        let value = run(from: start) { SecretScanner.separators.contains($0) }
        output += bytes[start..<value]
        guard value > start, value < bytes.count else { return value }
        let separators = bytes[start..<value]
        let end: Int
        if let opening = separators.first(where: { SecretScanner.brackets[$0] != nil }) {
            end = closing(of: opening, from: value)
        } else if let quote = separators.last, SecretScanner.quotes.contains(quote) {
            end = run(from: value) { $0 != quote }
        } else {
            end = valueEnd(from: value)
        }
        if end > value { redact() }
        return end
    }

    /// The end of a value without quotes or brackets; a scheme includes the value after it.
    private mutating func valueEnd(from start: Int) -> Int {
        let end = run(from: start) { !SecretScanner.ends.contains($0) }
        guard SecretScanner.schemes.contains(where: { equals($0, start..<end) }) else { return end }
        let next = run(from: end) { $0 == 0x20 || $0 == 0x09 }
        return next == end ? end : run(from: next) { !SecretScanner.ends.contains($0) }
    }

    /// The position of the closing bracket, or the end of the text.
    private mutating func closing(of opening: UInt8, from start: Int) -> Int {
        var depth = 1
        return run(from: start) { byte in
            if byte == opening { depth += 1 }
            if byte == SecretScanner.brackets[opening] { depth -= 1 }
            return depth > 0
        }
    }

    private mutating func redact() {
        output += Redaction.mark.utf8
        found += 1
    }

    // MARK: Bytes

    private mutating func run(from start: Int, while holds: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, holds(bytes[index]) { index += 1 }
        steps += index - start + 1
        return index
    }

    /// The first position of that word, ignoring case.
    private mutating func index(of word: [UInt8], in range: Range<Int>) -> Int? {
        guard range.count >= word.count else { return nil }
        for start in range.lowerBound...(range.upperBound - word.count)
        where equals(word, start..<(start + word.count)) {
            return start
        }
        return nil
    }

    private mutating func equals(_ word: [UInt8], _ range: Range<Int>) -> Bool {
        guard range.count == word.count else { return false }
        for offset in word.indices {
            steps += 1
            let byte = ASCII.lowercased(bytes[range.lowerBound + offset])
            guard byte == word[offset] else { return false }
        }
        return true
    }

    /// The characters of tokens and field names.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch ASCII.lowercased(byte) {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

/// Recognizes tokens by their digests, which is expensive: for a limited number of words per
/// request. Beyond it, every word as long as a token counts as one.
final class TokenMatcher {
    private let isKnown: (TokenDigest) -> Bool
    private var left = TokenMatcher.most

    /// Words of a request whose digest is computed, at most.
    private static let most = 32
    /// The possible lengths of a token, in bytes.
    private static let lengths = 12...128

    /// - Parameter isKnown: whether a token has this digest.
    init(_ isKnown: @escaping (TokenDigest) -> Bool) {
        self.isKnown = isKnown
    }

    func isToken(_ word: ArraySlice<UInt8>) -> Bool {
        guard TokenMatcher.lengths.contains(word.count) else { return false }
        guard left > 0 else { return true }
        left -= 1
        return isKnown(TokenDigest(of: String(decoding: word, as: UTF8.self)))
    }
}
