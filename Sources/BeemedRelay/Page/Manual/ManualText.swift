import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The values for one reader of the manual, so that its commands can be copied as they are.
struct ManualReader {
    /// Where the reader's devices reach the relay.
    private(set) var home: HomeAddress
    /// The reference from the manual to the relay's root (`Target.root`).
    let root: String
    let goal: GoalSlug?

    /// The host is from the request, so any text is possible: examples are pasted into shells, so
    /// only a plain name or address is shown.
    init(_ home: HomeAddress, root: String = "./", goal: GoalSlug?) {
        (self.home, self.root, self.goal) = (home, root, goal)
        let isPlain = home.host.utf8.allSatisfy {
            ASCII.isUnreserved($0) && $0 != UInt8(ascii: "~") || ":[]".utf8.contains($0)
        }
        if !isPlain || home.host.isEmpty { self.home.host = "RELAY:2336" }
    }

    var scheme: String { home.isSecure ? "https" : "http" }

    var relay: String { home.host + home.prefix }

    /// The address without its port, and the port, by default that of HTTP.
    var hostAndPort: (host: Substring, port: Substring) {
        let (host, port) = HostCheck.parts(of: home.host)
        return (host, port ?? (scheme == "https" ? "443" : "80"))
    }
}

/// A text with placeholders that are filled for each reader, divided at them beforehand.
struct ManualText: Sendable {
    private var pieces: [(text: [UInt8], placeholder: String)] = []
    private let rest: [UInt8]

    init(_ text: String, placeholders: some RegexComponent) {
        var start = text.startIndex
        for range in text.ranges(of: placeholders) {
            pieces.append((Array(text[start..<range.lowerBound].utf8), String(text[range])))
            start = range.upperBound
        }
        rest = Array(text[start...].utf8)
    }

    /// The text with values in the place of the placeholders.
    func filled(_ value: (String) -> String) -> [UInt8] {
        pieces.flatMap { $0.text + Array(value($0.placeholder).utf8) } + rest
    }
}
