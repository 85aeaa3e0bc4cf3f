import RelayHTTP

/// Removes secrets from displayed requests and from the log. Input is truncated before it is
/// scanned, so that no client can make the scan expensive.
enum Redaction {
    /// The replacement of a secret.
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

    /// A query without its secrets.
    static func query(_ query: String, _ known: TokenMatcher? = nil) -> String {
        let (bytes, isCut) = beginning(of: query)
        let shown = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { pair in
                let name = Array(pair.prefix { $0 != UInt8(ascii: "=") })
                let shownName = clean(name, known, findsNames: false)
                guard name.count < pair.count else { return shownName }
                if namesSecret(decoded(name)) { return "\(shownName)=\(mark)" }
                let value = clean(Array(pair.dropFirst(name.count + 1)), known)
                return "\(shownName)=\(value)"
            }
            .joined(separator: "&")
        return isCut ? shown + ellipsis : shown
    }

    /// Whether the text after this word is a secret.
    private static func namesSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return isSecret(name) || name.contains("bearer") || name.contains("basic")
    }

    /// A path without its secrets.
    static func path(_ path: String, _ known: TokenMatcher? = nil) -> String {
        let (bytes, isCut) = beginning(of: path)
        let shown = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { clean(Array($0), known) }
            .joined(separator: "/")
        return isCut ? shown + ellipsis : shown
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
        let (bytes, isCut) = beginning(of: text)
        let shown = clean(bytes, known, findsNames: findsNames)
        return isCut ? shown + ellipsis : shown
    }

    private static let ellipsis = "..."

    private static func beginning(of text: String) -> (bytes: [UInt8], isCut: Bool) {
        let bytes = Array(text.utf8.prefix(maxBytes))
        return (bytes, bytes.count == maxBytes && text.utf8.count > maxBytes)
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
