import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A file of `recipes/` with placeholders for address and goal.
struct ManualRecipe: Sendable {
    private let text: ManualText

    private static let all = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.folder("recipes").map {
            ($0.name, ManualRecipe($0.content))
        })

    static var names: [String] { all.keys.sorted() }

    static func named(_ name: String) -> ManualRecipe? { all[name] }

    /// GOAL is also a variable's name in some recipes: a placeholder for the goal is quoted, or
    /// part of a path or an option.
    private init(_ content: [UInt8]) {
        text = ManualText(
            String(decoding: content, as: UTF8.self),
            placeholders:
                #/
                \b(?:(?:http://)?RELAY:2336|RELAY|PORT\ =\ 2336)\b
                |(?:/log/|"|--goals\ |goal:\ )GOAL\b
                /#)
    }

    /// The recipe with this reader's values, as text.
    func response(for reader: ManualReader) -> Response {
        let (host, port) = reader.hostAndPort
        let policy = "default-src 'none'; frame-ancestors 'none'"
        return text.response("text/plain; charset=utf-8", policy, for: reader) { placeholder in
            switch placeholder {
            case "http://RELAY:2336": "\(reader.scheme)://\(reader.relay)"
            case "RELAY:2336": reader.relay
            case "RELAY": "\(host)"
            case "PORT = 2336": "PORT = \(port)"
            default: "\(placeholder.dropLast("GOAL".count))\(reader.goal?.description ?? "GOAL")"
            }
        }
    }
}

extension ManualReader {
    /// The address without its port, and the port, by default that of HTTP.
    fileprivate var hostAndPort: (host: Substring, port: Substring) {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else {
            return (host[...], scheme == "https" ? "443" : "80")
        }
        return (host[..<colon], host[host.index(after: colon)...])
    }
}
