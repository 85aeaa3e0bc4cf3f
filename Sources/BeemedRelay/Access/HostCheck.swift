import RelayHTTP

/// Which names a request may call this machine by.
///
/// A page in somebody's browser can point a name of its own at an address in the home network;
/// what it then asks comes with that name in `Host`, and is refused (DNS rebinding).
struct HostCheck: Sendable {
    private let names: Set<String>

    /// - Parameter names: this host's own and the configured ones.
    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Is this ours? The port is not looked at: small devices leave it out. Neither is a request
    /// of HTTP/1.0 refused that names no host, for no browser sends one.
    func allows(_ host: String?) -> Bool {
        guard let host else { return true }
        let name = HostCheck.name(of: host).lowercased()
        if Address(name) != nil || name == "localhost" || name.hasSuffix(".local") { return true }
        return names.contains(name)
    }

    /// Whether a name means the machine that it is used on.
    static func isThisMachine(_ host: String) -> Bool {
        let name = name(of: host).lowercased()
        return name == "localhost" || Address(name)?.isLoopback == true
    }

    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            return String(host[host.index(after: host.startIndex)..<end])
        }
        return String(host.prefix { $0 != ":" })
    }
}
