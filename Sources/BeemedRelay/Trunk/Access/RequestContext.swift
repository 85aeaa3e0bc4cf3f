import BeemedDomain
package import RelayHTTP

/// The clock readings at receipt, the client's address and the host name: behind a trusted proxy,
/// as the proxy forwards them.
package struct RequestContext: Sendable {
    var moment: Moment
    var instant: Instant
    /// The client.
    package var peer: Address
    /// The requested host, with a port if one was given.
    package var host: String?
    /// Whether the client used TLS, to a proxy in front of the relay.
    package var isSecure = false
    /// The path below which a proxy serves the relay, as in `/relay`; empty at the root.
    package var prefix = ""
    /// Whether Home Assistant's ingress sent the request, which has authenticated the user.
    package var isIngress = false
    /// Whether it changes something although it is a GET.
    var changesByGet = false
}
