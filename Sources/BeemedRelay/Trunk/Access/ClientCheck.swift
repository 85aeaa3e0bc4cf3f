import RelayHTTP

/// The clients that are served, by address and host name.
package struct ClientCheck: Sendable {
    /// Finds the client and the host name of a request, as far as they can be trusted.
    package let proxies: Proxies
    private var hosts: HostCheck
    private let servesPublic: Bool

    /// The check by these settings: proxies, host names, public access.
    package init(_ settings: Settings) {
        proxies = Proxies(trusted: settings.trustedProxies, ingress: settings.ingressProxies)
        hosts = HostCheck(names: settings.hostNames)
        servesPublic = settings.servesPublicAddresses
    }

    /// Checks the client's address and the host name. Home Assistant serves its users from anywhere
    /// and under any name; a page that has bound its own name to it does not have their session.
    package mutating func admit(_ context: RequestContext) throws(Problem) {
        if context.isIngress { return }
        guard servesPublic || context.peer.isPrivate else {
            throw .forbidden(
                "only private networks are served; to serve others, start the relay with "
                    + "--serve-public-addresses")
        }
        guard hosts.allows(context.host) else {
            throw Problem(
                .unknownHost,
                "this relay does not go by that name; use its address, or start it with "
                    + "--host-name")
        }
    }
}
