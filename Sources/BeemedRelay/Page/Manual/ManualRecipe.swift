import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A file of `recipes/` with placeholders for address and goal.
struct ManualRecipe: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        /// The base of URLs, address with port, address alone, the line with the port, the goal.
        case url, relay, host, port, goal
    }

    private let pieces: [Piece]
    private let digest: [UInt8]

    private static let all = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.folder("recipes").map {
            ($0.name, ManualRecipe($0.content))
        })

    static var names: [String] { all.keys.sorted() }

    static func named(_ name: String) -> ManualRecipe? { all[name] }

    private init(_ content: [UInt8]) {
        digest = SHA256Digest.of(content)
        var pieces: [Piece] = []
        var rest = String(decoding: content, as: UTF8.self)[...]
        // GOAL is also a variable's name in some recipes: a placeholder for the goal is quoted, or
        // part of a path or an option.
        let places =
            /\b(?:(?:http:\/\/)?RELAY:2336|RELAY|PORT = 2336)\b|(\/log\/|"|--goals |goal: )GOAL\b/
        while let found = rest.firstMatch(of: places) {
            pieces.append(.text(Array((rest[..<found.range.lowerBound] + (found.1 ?? "")).utf8)))
            switch rest[found.range] {
            case "http://RELAY:2336": pieces.append(.url)
            case "RELAY": pieces.append(.host)
            case "PORT = 2336": pieces.append(.port)
            case "RELAY:2336": pieces.append(.relay)
            default: pieces.append(.goal)
            }
            rest = rest[found.range.upperBound...]
        }
        self.pieces = pieces + [.text(Array(rest.utf8))]
    }

    /// The recipe with this reader's values, as text.
    func response(for reader: ManualReader) -> Response {
        let (host, port) = reader.hostAndPort
        var text: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let bytes): text += bytes
            case .url: text += "\(reader.isSecure ? "https" : "http")://\(reader.relay)".utf8
            case .relay: text += reader.relay.utf8
            case .host: text += host.utf8
            case .port: text += "PORT = \(port)".utf8
            case .goal: text += (reader.goal?.description ?? "GOAL").utf8
            }
        }
        return .asset(
            "text/plain; charset=utf-8", text, "default-src 'none'; frame-ancestors 'none'",
            tag: SHA256Digest.of(digest + reader.key))
    }
}

extension ManualReader {
    /// The address without its port, and the port, by default that of HTTP.
    fileprivate var hostAndPort: (host: Substring, port: Substring) {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else {
            return (host[...], isSecure ? "443" : "80")
        }
        return (host[..<colon], host[host.index(after: colon)...])
    }
}
