import Foundation
import RelayHTTP

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What is printed when somebody starts for the first time: a line that works as it stands.
enum FirstSteps {
    /// - Parameters:
    ///   - token: the first device's, shown here and never again.
    ///   - goal: one that exists; nil when that is not known.
    static func text(_ endpoint: Endpoint, token: String, goal: String?) -> String {
        let url = "http://\(shown(endpoint))/log/\(goal ?? "GOAL")"
        return """
            The device 'first' may log; its token is shown this once: \(token)
            For every kind of device, and every error: http://\(shown(endpoint))/docs
            Try:
              curl -H "Authorization: Bearer \(token)" -d '+1' \(url)
            """
    }

    /// Where other devices reach it.
    static func shown(_ endpoint: Endpoint) -> Endpoint {
        endpoint.address == Address([0, 0, 0, 0]) ? lan(endpoint) : endpoint.reachable
    }

    /// - Parameter path: signs a browser in.
    static func ownerLink(_ endpoint: Endpoint, _ path: String) -> String {
        """
        Open this once, within 15 minutes, to sign your browser in as the owner:
          http://\(shown(endpoint))\(path)
        """
    }

    static let notConnected = """
        No Beeminder account is connected, so nothing is taken yet. Set BEEMINDER_AUTH_TOKEN, or
        run: beemed-relay connect --auth-token -
        """

    /// This machine's own address in the home network, which other devices need.
    private static func lan(_ endpoint: Endpoint) -> Endpoint {
        for address in Host.current().addresses {
            guard let address = Address(address), address.bytes.count == 4, address.isPrivate,
                !address.isLoopback
            else { continue }
            return Endpoint(address, port: endpoint.port)
        }
        return endpoint.reachable
    }
}
