import BeemedDomain
import RelayHTTP

extension Relay {
    /// Where devices reach the relay: at the host name that the reader uses or, if that is the
    /// loopback, at the address in the home network. Devices have no session of Home Assistant, so
    /// for readers within it the relay's own port is named.
    package func addressAtHome(_ call: Call) -> HomeAddress {
        let host = call.context.host ?? "\(settings.listen.reachable)"
        if call.context.isIngress {
            let port = site?.endpoint?.port ?? settings.listen.port
            return HomeAddress(host: "\(HostCheck.withoutPort(host)):\(port)")
        }
        let isSecure = call.context.isSecure
        guard HostCheck.isThisMachine(host), let endpoint = site?.endpoint,
            !endpoint.address.isLoopback
        else {
            return HomeAddress(host: host, prefix: call.context.prefix, isSecure: isSecure)
        }
        return HomeAddress(host: "\(endpoint)", isSecure: isSecure)
    }
}

/// Where devices in the home network reach the relay.
package struct HomeAddress {
    /// The host, with a port where one is needed.
    package var host: String
    /// The path below which a proxy serves the relay; empty at the root.
    package var prefix = ""
    /// Whether they use TLS, to a proxy.
    package var isSecure = false

    /// The base of every route, without a slash at its end.
    package var url: String { "\(isSecure ? "https" : "http")://\(host)\(prefix)" }
}
