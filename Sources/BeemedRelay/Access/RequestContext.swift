import BeemedDomain
import RelayHTTP

/// The readings of the clocks at which a request came, from whom, and by which name he called us:
/// behind a proxy of ours, what that proxy says.
struct RequestContext: Sendable {
    var moment: Moment
    var instant: Instant
    /// The client.
    var peer: Address
    /// The name it asked for, with a port if one was given.
    var host: String?
    /// Whether it came by TLS, to a proxy in front of us.
    var isSecure = false
}
