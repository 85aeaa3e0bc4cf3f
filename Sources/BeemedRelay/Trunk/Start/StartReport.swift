import BeemedDomain
package import RelayHTTP
import Synchronization

/// Waits until Beeminder has said whose the account is, or for some seconds, and then calls with
/// the account in words and one of the user's goals: what a start prints should name both.
package final class StartReport: LoopSource {
    private let relay: Relay
    private let until = Instant.now.advanced(bySeconds: StartReport.patience)
    private let report: @Sendable (_ account: String, _ goal: String?) -> Void
    private let isDone = Atomic(false)

    /// How long to wait for Beeminder, in seconds.
    private static let patience = 3.0

    private init(_ relay: Relay, report: @escaping @Sendable (String, String?) -> Void) {
        self.relay = relay
        self.report = report
    }

    /// Waits so for a relay.
    ///
    /// - Parameter report: called once, on the loop, which must not run yet.
    package static func begin(
        of relay: Relay, _ report: @escaping @Sendable (_ account: String, _ goal: String?) -> Void
    ) {
        relay.loop.post { relay.loop.add(StartReport(relay, report: report)) }
    }

    package func turn(_ ready: [Ready], now: Instant) -> Instant? {
        guard !isDone.load(ordering: .relaxed) else { return nil }
        let found = relay.assumeIsolated { relay in
            let core = relay.engine.core
            let isAsking =
                core.view.sync != .notConnected && core.view.isVerifying && now < self.until
            if isAsking { return nil as (String, String?)? }
            // A goal to try; nil when none is known.
            let goal = core.view.snapshot(at: relay.clock(), limit: 1).goals.first?.goal.slug
            return (relay.account.words(core), goal)
        }
        guard let (account, goal) = found else { return until }
        isDone.store(true, ordering: .relaxed)
        report(account, goal)
        return nil
    }
}

extension AccountConnection {
    /// The account in words: whose it is, or what to do.
    fileprivate func words(_ core: RelayCore) -> String {
        guard let connected else { return "none; run 'beemed-relay connect'" }
        if let conflict { return conflict.words }
        if let user = core.view.user { return "as \(user)" }
        if let fault = connected.tokenFault { return fault }
        if core.view.sync == .signInAgain {
            return "Beeminder does not take the token; run 'beemed-relay connect'"
        }
        let user = connected.user.map { "as \($0), " } ?? ""
        return "\(user)not verified yet: Beeminder has not said whose the token is"
    }
}

/// The message of a start on standard output: version, folder, account, and every address.
package enum Banner {
    /// The first line, which scripts wait for.
    package static func ready(_ endpoint: Endpoint) -> String {
        "Listening on http://\(FirstSteps.address(of: endpoint))"
    }

    /// Prints the lines behind it.
    ///
    /// - Parameter account: whose presses are delivered, in words.
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

    /// The name under which multicast DNS knows this machine where Avahi or Bonjour runs; nil when
    /// only this machine can reach the relay.
    private static func multicastName(_ settings: Settings, _ endpoint: Endpoint) -> String? {
        guard !endpoint.address.isLoopback else { return nil }
        let host = settings.hostNames.first?.split(separator: ".").first
        return host.map { "\($0).local" }
    }
}
