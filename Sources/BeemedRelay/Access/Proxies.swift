import BeemedDomain
import RelayHTTP

/// The reverse proxies that may say for whom they ask. From anybody else such fields are words of
/// a stranger, and are not looked at.
struct Proxies: Sendable {
    private let trusted: Set<Address>

    /// - Parameter trusted: their addresses, as they connect to us.
    init(trusted: [Address]) {
        self.trusted = Set(trusted)
    }

    /// Who asks, and by which name, as far as that can be believed.
    func context(
        _ request: Request, from peer: Address, _ moment: Moment, _ instant: Instant
    ) -> RequestContext {
        guard !trusted.isEmpty else {
            return RequestContext(moment: moment, instant: instant, peer: peer, host: request.host)
        }
        return RequestContext(
            moment: moment, instant: instant, peer: client(of: request, from: peer),
            host: host(of: request, from: peer), isSecure: isSecure(request, from: peer))
    }

    /// Who asks: the last address of `X-Forwarded-For` that is no proxy of ours, since everything
    /// before it is what the client itself has made up.
    func client(of request: Request, from peer: Address) -> Address {
        guard trusted.contains(peer) else { return peer }
        var client = peer
        let hops = request.fields.all(.forwardedFor).flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            client = Proxies.address(hop) ?? Proxies.unknown
            guard trusted.contains(client) else { break }
        }
        return client
    }

    /// By which name we were asked for.
    func host(of request: Request, from peer: Address) -> String? {
        guard trusted.contains(peer), let host = request.fields[.forwardedHost] else {
            return request.host
        }
        return host
    }

    /// Whether the client speaks TLS with the proxy.
    func isSecure(_ request: Request, from peer: Address) -> Bool {
        trusted.contains(peer) && request.fields[.forwardedProto]?.lowercased() == "https"
    }

    /// What cannot be read is somebody of no known network.
    private static let unknown = Address([0, 0, 0, 0])

    /// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
    private static func address(_ hop: Substring) -> Address? {
        let text = String(hop.drop { $0 == " " }.prefix { $0 != " " })
        return Address(text) ?? Endpoint(text)?.address
            ?? (text.hasPrefix("[") ? Address(String(text.dropFirst().dropLast())) : nil)
    }
}

extension FieldName {
    static let forwardedFor: FieldName = "x-forwarded-for"
    static let forwardedHost: FieldName = "x-forwarded-host"
    static let forwardedProto: FieldName = "x-forwarded-proto"
}
