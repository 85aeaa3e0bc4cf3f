import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The values for one reader of the manual, so that its commands can be copied as they are.
struct ManualReader: Hashable, Sendable {
    /// Host and port at which the reader's devices reach the relay.
    let host: String
    /// The path below which a proxy serves it; empty at the root.
    let prefix: String
    /// Whether it is reached by TLS, through a proxy in front of the relay.
    let isSecure: Bool
    /// The reference from the manual to the relay's root (`Target.root`).
    let root: String
    /// The goal in the examples; nil shows a placeholder.
    let goal: GoalSlug?

    /// - Parameter host: from the request, so it may be any text: examples are pasted into shells,
    ///   so only a plain name or address is shown.
    init(
        host: String, prefix: String = "", isSecure: Bool = false, root: String = "./",
        goal: GoalSlug?
    ) {
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
        self.host = isPlain && !host.isEmpty ? host : "RELAY:2336"
        self.prefix = prefix
        self.isSecure = isSecure
        self.root = root
        self.goal = goal
    }

    /// What stands behind `http://`.
    var relay: String { host + prefix }

    /// All values as bytes; no value contains a blank.
    var key: [UInt8] {
        let scheme = isSecure ? "https" : "http"
        return Array("\(scheme) \(host) \(prefix) \(root) \(goal?.description ?? "")".utf8)
    }
}

/// The manual's page: a template with placeholders such as `[[relay]]`, filled for each reader.
struct ManualPage: Sendable {
    private enum Piece: Sendable {
        case text([UInt8])
        case place(Place)
    }

    private enum Place: String {
        case scheme, relay, root, goal, token
        /// The goal as the value of a field; empty when there is none.
        case goalValue = "goal-value"
    }

    private let pieces: [Piece]
    /// Distinguishes this template from another version's.
    private let digest: [UInt8]

    /// - Parameter contract: openapi.yaml, whose routes are listed.
    init(template: [UInt8], contract: [UInt8]) {
        digest = SHA256Digest.of(template + contract)
        let routes = ContractRoute.all(in: String(decoding: contract, as: UTF8.self))
        var rest = String(decoding: template, as: UTF8.self)[...]
        var pieces: [Piece] = []
        var text = ""
        while let start = rest.firstIndex(of: "[") {
            text += rest[..<start]
            let name = rest[start...].dropFirst(2).prefix { $0 != "]" }
            let isPlace = rest[start...].hasPrefix("[[") && rest[name.endIndex...].hasPrefix("]]")
            if isPlace, let place = Place(rawValue: String(name)) {
                pieces += [.text(Array(text.utf8)), .place(place)]
                text = ""
            } else if isPlace, name == "routes" {
                text += routes.map(\.row).joined(separator: "\n")
            } else {
                text += "["
                rest = rest[rest.index(after: start)...]
                continue
            }
            rest = rest[name.endIndex...].dropFirst(2)
        }
        self.pieces = pieces + [.text(Array((text + rest).utf8))]
    }

    /// The page with this reader's values.
    func text(for reader: ManualReader) -> [UInt8] {
        var page: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): page += text
            case .place(let place): page += ManualPage.filling(place, reader).utf8
            }
        }
        return page
    }

    /// The ETag's text for this reader's page.
    func tag(for reader: ManualReader) -> [UInt8] {
        SHA256Digest.of(digest + reader.key)
    }

    private static func filling(_ place: Place, _ reader: ManualReader) -> String {
        switch place {
        case .scheme: reader.isSecure ? "https" : "http"
        case .relay: HTMLText.escaped(reader.relay)
        case .root: reader.root
        case .goal: value("goal", reader.goal?.description ?? "GOAL")
        case .token: value("token", "TOKEN")
        case .goalValue: HTMLText.escaped(reader.goal?.description ?? "")
        }
    }

    /// A value that the page's script may replace.
    private static func value(_ name: String, _ text: String) -> String {
        "<span class=\"value\" data-name=\"\(name)\">\(HTMLText.escaped(text))</span>"
    }
}

/// One route of the contract.
struct ContractRoute: Equatable {
    let method: String
    let path: String
    let summary: String

    /// All routes but OPTIONS, which every path has, and HEAD, which GET includes. The parser
    /// relies on the contract's indentation, which `ContractTests` check against the routes.
    static func all(in contract: String) -> [ContractRoute] {
        var routes: [ContractRoute] = []
        var path = ""
        var method = ""
        for line in contract.split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if line.hasPrefix("    "), !line.hasPrefix("     ") {
                method = line.dropFirst(4).prefix { $0 != ":" }.uppercased()
            } else if line.hasPrefix("      summary: "), method != "OPTIONS", method != "HEAD" {
                routes.append(
                    ContractRoute(
                        method: method, path: path, summary: String(line.dropFirst(15))))
            } else if line == "components:" {
                break
            }
        }
        return routes
    }

    /// The route as a row of the manual's table.
    fileprivate var row: String {
        "<tr><td><code>\(method) \(HTMLText.escaped(path))</code>"
            + "<td>\(HTMLText.escaped(summary))</tr>"
    }
}
