import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The values for one reader of the manual, so that its commands can be copied as they are.
struct ManualReader: Sendable {
    /// Host and port at which the reader's devices reach the relay.
    let host: String
    /// The path below which a proxy serves it; empty at the root.
    let prefix: String
    /// `http`, or `https` through a proxy in front of the relay.
    let scheme: String
    /// The reference from the manual to the relay's root (`Target.root`).
    let root: String
    /// The goal in the examples; nil shows a placeholder.
    let goal: GoalSlug?

    /// - Parameter host: from the request, so any text is possible: examples are pasted into
    ///   shells, so only a plain name or address is shown.
    init(
        host: String, prefix: String = "", isSecure: Bool = false, root: String = "./",
        goal: GoalSlug?
    ) {
        let isPlain = host.utf8.allSatisfy {
            ASCII.isUnreserved($0) && $0 != UInt8(ascii: "~") || ":[]".utf8.contains($0)
        }
        self.host = isPlain && !host.isEmpty ? host : "RELAY:2336"
        self.prefix = prefix
        scheme = isSecure ? "https" : "http"
        self.root = root
        self.goal = goal
    }

    /// The text behind `http://`.
    var relay: String { host + prefix }

    /// All values; none contains a blank.
    fileprivate var key: String { "\(scheme) \(host) \(prefix) \(root) \(goal?.description ?? "")" }
}

/// A text with placeholders that are filled for each reader, divided at them beforehand.
struct ManualText: Sendable {
    private var pieces: [(text: [UInt8], placeholder: String)] = []
    private let rest: [UInt8]
    /// Distinguishes this text from another version's.
    private let digest: [UInt8]

    init(_ text: String, placeholders: some RegexComponent) {
        digest = SHA256Digest.of(Array(text.utf8))
        var start = text.startIndex
        for range in text.ranges(of: placeholders) {
            pieces.append((Array(text[start..<range.lowerBound].utf8), String(text[range])))
            start = range.upperBound
        }
        rest = Array(text[start...].utf8)
    }

    /// The text with a reader's values in the place of the placeholders.
    func response(
        _ kind: String, _ policy: String, for reader: ManualReader, _ value: (String) -> String
    ) -> Response {
        let filled = pieces.flatMap { $0.text + Array(value($0.placeholder).utf8) } + rest
        return .asset(
            kind, filled, policy, tag: SHA256Digest.of(digest + Array(reader.key.utf8)))
    }
}

extension ManualReader {
    /// The address without its port, and the port, by default that of HTTP.
    var hostAndPort: (host: Substring, port: Substring) {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else {
            return (host[...], scheme == "https" ? "443" : "80")
        }
        return (host[..<colon], host[host.index(after: colon)...])
    }
}
