package import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a start says on standard output: version, folder, account, and every address.
package struct Banner {
    /// The settings of the start.
    package let settings: Settings
    /// The address of the server.
    package let endpoint: Endpoint

    /// What a relay with these settings says that listens there.
    package init(settings: Settings, endpoint: Endpoint) {
        (self.settings, self.endpoint) = (settings, endpoint)
    }

    /// The first line, which scripts wait for.
    package var ready: String { "Listening on http://\(FirstSteps.shown(endpoint))" }

    /// The lines behind it.
    ///
    /// - Parameter account: whose presses are delivered, in words.
    package func lines(account: String) -> [String] {
        let places = FirstSteps.all(endpoint)
        let first = FirstSteps.shown(endpoint)
        var lines = [
            "version     \(Version.number)", "data        \(settings.data)",
            "account     \(account)",
        ]
        for place in places { lines.append("address     http://\(place)") }
        if let name = multicastName { lines.append("name        http://\(name):\(endpoint.port)") }
        lines.append("page        http://\(first)/")
        lines.append("docs        http://\(first)/docs")
        return lines
    }

    /// The name under which multicast DNS knows this machine where Avahi or Bonjour runs; nil when
    /// only this machine can reach the relay.
    private var multicastName: String? {
        guard !endpoint.address.isLoopback else { return nil }
        let host = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init)
        return host.map { "\($0).local" }
    }
}
