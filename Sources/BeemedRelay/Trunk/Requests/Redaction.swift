import RelayHTTP

/// Removes secrets from displayed requests and from the log: the relay's tokens, and everything
/// after a word for a secret. Input is truncated before it is scanned, so that no client can make
/// the scan expensive.
enum Redaction {
    static let mark = "[redacted]"
    /// Bytes of a text that are scanned and shown.
    static let maxBytes = 512
    static let maxFields = 40

    /// Whether a field of that name, in a query, head or body, contains a secret.
    static func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        guard name != "idempotency-key", name != "code" else { return name == "code" }
        return [
            "token", "auth", "secret", "passw", "key", "cookie", "session", "bearer", "basic",
        ].contains { name.contains($0) }
    }

    static func query(_ query: String) -> String {
        shown(query, splitAt: UInt8(ascii: "&")) { pair in
            let name = Array(pair.prefix { $0 != UInt8(ascii: "=") })
            let shownName = clean(name, findsNames: false)
            guard name.count < pair.count else { return shownName }
            if isSecret(decoded(name)) { return "\(shownName)=\(mark)" }
            let value = clean(Array(pair.dropFirst(name.count + 1)))
            return "\(shownName)=\(value)"
        }
    }

    static func path(_ path: String) -> String {
        shown(path, splitAt: UInt8(ascii: "/")) { clean(Array($0)) }
    }

    /// The fields of a head; repeated ones are joined.
    static func fields(_ fields: Fields) -> [String: String] {
        var shown: [String: String] = [:]
        for (name, value) in fields.list(atMost: maxFields) {
            let value = isSecret(name) ? mark : text(value)
            let name = tokens(name)
            shown[name] = shown[name].map { "\($0), \(value)" } ?? value
        }
        return shown
    }

    /// Text of the relay itself, which may repeat one of its tokens.
    static func tokens(_ text: String) -> String {
        shown(text) { clean(Array($0), findsNames: false) }
    }

    /// Any text: removes tokens, and everything after a word for a secret.
    static func text(_ text: String) -> String {
        shown(text) { clean(Array($0)) }
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
    private static func clean(_ bytes: [UInt8], findsNames: Bool = true) -> String {
        if bytes.contains(UInt8(ascii: "%")) {
            let decoded = decoded(bytes)
            if cut(Array(decoded.utf8), findsNames) != decoded { return mark }
        }
        return cut(bytes, findsNames)
    }

    /// The text after repeated percent-decoding, up to a limit.
    private static func decoded(_ bytes: [UInt8]) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        for _ in 0..<3 where text.utf8.contains(UInt8(ascii: "%")) {
            text = FormDecoder.decode(Substring(text), plusIsBlank: true)
        }
        return text
    }

    // MARK: Words

    /// Words for a secret, in lower case.
    private static let names = ["token", "auth", "secret", "passw", "bearer", "basic"]
        .map { Array($0.utf8) }
    /// The beginning of the tokens of devices, of the owner and of browsers.
    private static let prefix = Array("br_".utf8)
    /// The beginning of the tokens of buttons. It is also part of names, as in `start_date`, but a
    /// token has dots behind it.
    private static let buttonPrefix = Array(ButtonToken.prefix.utf8)

    /// The text with `mark` in place of each token, and of everything after a word for a secret.
    private static func cut(_ bytes: [UInt8], _ findsNames: Bool) -> String {
        var shown: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let word = rest.prefix(while: isWord)
            let end = rest.dropFirst(word.count).prefix { !isWord($0) }
            rest = rest.dropFirst(word.count + end.count)
            let letters = word.map(ASCII.lowercased)
            let token = tokenStart(letters)
            shown += word.prefix(token ?? word.count)
            if token != nil { shown += mark.utf8 }
            shown += end
            if findsNames, !rest.isEmpty, names.contains(where: { letters.contains($0) }) {
                rest = []
                shown += mark.utf8
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Where a token begins in a word of lower case; nil without one.
    private static func tokenStart(_ word: [UInt8]) -> Int? {
        let start = word.firstRange(of: buttonPrefix)?.lowerBound
        let button = start.flatMap { word[$0...].contains(UInt8(ascii: ".")) ? $0 : nil }
        return [button, word.firstRange(of: prefix)?.lowerBound].compactMap(\.self).min()
    }

    /// The characters of tokens and field names.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch ASCII.lowercased(byte) {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
