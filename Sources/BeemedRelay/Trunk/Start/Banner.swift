package import RelayHTTP

extension ConnectedAccount? {
    /// The account in words: whose it is, or what to do.
    package var words: String {
        guard let self else { return "none; run 'beemed-relay connect'" }
        if let fault = self.tokenFault { return fault }
        let user = self.user.map { "as \($0)" }
        if self.isVerified, let user { return user }
        return [user, ConnectedAccount.unverified].listed
    }
}

/// The message of a start on standard output: version, folder, account, and every address.
package enum Banner {
    /// The first line, which scripts wait for.
    package static func ready(_ endpoint: Endpoint) -> String {
        "Listening on http://\(FirstSteps.address(of: endpoint))"
    }

    /// Prints the lines behind it.
    package static func show(_ settings: Settings, _ endpoint: Endpoint, account: String) {
        let addresses = FirstSteps.all(endpoint)
        let first = FirstSteps.address(of: endpoint)
        var lines = [
            "version     \(Version.number)", "data        \(settings.data)",
            "account     \(account)",
        ]
        for address in addresses { lines.append("address     http://\(address)") }
        if let name = multicastName(settings, endpoint) {
            lines.append("name        http://\(name):\(endpoint.port)")
        }
        lines.append("page        http://\(first)/")
        lines.append("docs        http://\(first)/docs")
        for line in lines { Console.output(line) }
    }

    /// The name by which Avahi or Bonjour knows this machine; nil if only this machine is served.
    private static func multicastName(_ settings: Settings, _ endpoint: Endpoint) -> String? {
        guard !endpoint.address.isLoopback else { return nil }
        let host = settings.hostNames.first?.split(separator: ".").first
        return host.map { "\($0).local" }
    }
}
