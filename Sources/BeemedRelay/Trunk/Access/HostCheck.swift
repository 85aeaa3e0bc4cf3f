import RelayHTTP

/// The host names that a request may use for this machine.
///
/// A malicious page can resolve its own host name to an address in the home network; its requests
/// then carry that name in `Host`, and are refused (DNS rebinding).
package struct HostCheck: Sendable {
    private let names: Set<String>
    /// The latest host that passed the check, since it mostly recurs.
    private var last: String?

    /// The longest host, in bytes: a name of 253, and a port.
    private static let maxBytes = 260

    /// - Parameter names: this host's own and the configured ones.
    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether the host is allowed. The port is ignored: small devices omit it. An HTTP/1.0 request
    /// without a host is allowed too, since no browser sends one.
    mutating func allows(_ host: String?) -> Bool {
        guard let host else { return true }
        if host == last { return true }
        guard host.utf8.count <= HostCheck.maxBytes, isOurs(host) else { return false }
        last = host
        return true
    }

    private func isOurs(_ host: String) -> Bool {
        let name = HostCheck.name(of: host).lowercased()
        if Address(name) != nil || name == "localhost" || name.hasSuffix(".local") { return true }
        return names.contains(name)
    }

    /// Whether a host is this machine's loopback name or address.
    package static func isThisMachine(_ host: String) -> Bool {
        let name = name(of: host).lowercased()
        return name == "localhost" || Address(name)?.isLoopback == true
    }

    /// The host without the port, as in a URL.
    package static func withoutPort(_ host: String) -> Substring {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host[...] }
        return host[..<colon]
    }

    private static func name(of host: String) -> String {
        let bytes = host.utf8
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return String(host[bytes.index(after: bytes.startIndex)..<end])
        }
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        // The dot of a complete name, as in `relay.local.` (RFC 3986 section 3.2.2).
        return String(Substring(name.last == UInt8(ascii: ".") ? name.dropLast() : name))
    }
}
