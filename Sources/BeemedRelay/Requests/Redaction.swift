import RelayHTTP

/// Takes secrets out of what people get to see: of the last requests, and of the log.
enum Redaction {
    /// What stands in their place.
    static let mark = "[redacted]"

    /// Whether a field of that name, in a query, a head or a body, holds a secret.
    static func isSecret(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        guard name != "idempotency-key", name != "code" else { return name == "code" }
        return ["token", "auth", "secret", "passw", "key", "cookie", "session"]
            .contains { name.contains($0) }
    }

    /// A query with its secrets taken out.
    static func query(_ query: String) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { pair in
                let name = pair.prefix { $0 != "=" }
                let isSecret = isSecret(FormDecoder.decode(name, plusIsBlank: true))
                return isSecret && name.count < pair.count ? "\(name)=\(mark)" : text(String(pair))
            }
            .joined(separator: "&")
    }

    /// The fields of a head; those that came twice as one.
    static func fields(_ fields: Fields) -> [String: String] {
        var shown: [String: String] = [:]
        for (name, value) in fields.list {
            let value = isSecret(name) ? mark : text(value)
            shown[name] = shown[name].map { "\($0), \(value)" } ?? value
        }
        return shown
    }

    /// Words of ours, which may repeat a token of ours.
    static func tokens(_ text: String) -> String {
        text.replacing(token) { _ in mark }
    }

    /// Any text: tokens of ours, and what follows a word for a secret.
    static func text(_ text: String) -> String {
        tokens(text).replacing(named) { match in "\(match.1)\(mark)" }
    }

    // Computed, since a regular expression is not Sendable; only people wait for these.
    private static var token: Regex<Substring> { /br_[0-9A-Za-z]+/ }
    private static var named: Regex<(Substring, Substring)> {
        /(?i)((?:token|auth|secret|passw|bearer|basic)[a-z_]*["']?\s*[:=\s]\s*["']?)[^"'&,}\s]+/
    }
}
