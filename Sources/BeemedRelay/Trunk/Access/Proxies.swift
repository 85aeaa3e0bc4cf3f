package import BeemedDomain
package import RelayHTTP

/// The trusted reverse proxies. Of others the forwarding fields are ignored: anyone can send them.
package struct Proxies: Sendable {
    private let trusted: Set<Address>
    /// The addresses of Home Assistant's ingress, which authenticates its users.
    private let ingress: Set<Address>

    init(trusted: [Address], ingress: [Address] = []) {
        self.trusted = Set(trusted + ingress)
        self.ingress = Set(ingress)
    }

    /// The client and the host name, as far as they can be trusted.
    package func context(
        _ request: borrowing Request, from peer: Address, at moment: Moment
    ) -> RequestContext {
        guard trusted.contains(peer) else {
            return RequestContext(moment: moment, peer: peer, host: request.host)
        }
        let ingressPath = ingress.contains(peer) ? request.fields.bytes(of: .ingressPath) : nil
        return RequestContext(
            moment: moment, peer: client(of: request, from: peer),
            host: request.fields[.forwardedHost] ?? request.host,
            isSecure: request.fields.isWord("https", of: .forwardedProto),
            prefix: Proxies.prefix(ingressPath ?? request.fields.bytes(of: .forwardedPrefix)),
            isIngress: ingressPath != nil)
    }

    /// The client: the last address of `X-Forwarded-For` that is not a trusted proxy, since the
    /// client may have invented everything before it.
    private func client(of request: Request, from peer: Address) -> Address {
        var client = peer
        let hops = request.fields.allBytes(of: .forwardedFor)
            .flatMap { $0.split(separator: UInt8(ascii: ",")) }
        for (index, hop) in hops.reversed().enumerated() {
            guard index < Proxies.maxHops else { return Proxies.unknown }
            client = Proxies.address(hop) ?? Proxies.unknown
            guard trusted.contains(client) else { return client }
        }
        return client
    }

    /// The path below which the proxy serves the relay, without a slash at its end. It becomes part
    /// of a header field, so any other text counts as none.
    private static func prefix(_ path: ArraySlice<UInt8>?) -> String {
        guard let path, path.count <= 256, path.count > 1,
            path.first == UInt8(ascii: "/")
        else { return "" }
        var last: UInt8?
        for byte in path {
            let isSlash = byte == UInt8(ascii: "/")
            guard isSlash ? last != byte : ASCII.isUnreserved(byte) else { return "" }
            last = byte
        }
        let isOpen = last == UInt8(ascii: "/")
        return String(decoding: isOpen ? path.dropLast() : path, as: UTF8.self)
    }

    /// The addresses of a chain of proxies that are looked at, at most.
    private static let maxHops = 16

    /// Stands for an unreadable address, which belongs to no known network.
    private static let unknown = Address([0, 0, 0, 0])

    /// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
    private static func address(_ hop: ArraySlice<UInt8>) -> Address? {
        let bytes = hop.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") }
        guard bytes.count <= 64 else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return Address(text) ?? Endpoint(text)?.address
            ?? (text.hasPrefix("[") ? Address(String(text.dropFirst().dropLast())) : nil)
    }
}

extension FieldName {
    static let forwardedFor: FieldName = "x-forwarded-for"
    static let forwardedHost: FieldName = "x-forwarded-host"
    static let forwardedPrefix: FieldName = "x-forwarded-prefix"
    static let forwardedProto: FieldName = "x-forwarded-proto"
    /// Set by Home Assistant's ingress on every request.
    static let ingressPath: FieldName = "x-ingress-path"
}

/// When a request came, and from whom: behind a trusted proxy, as the proxy says.
package struct RequestContext: Sendable {
    var moment: Moment
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
    /// Whether the request changes something although it is a GET.
    var changesByGet = false
}
