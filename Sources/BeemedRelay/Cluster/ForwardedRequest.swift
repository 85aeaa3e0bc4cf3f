import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A request as a follower passes it on to the leader.
struct ForwardedRequest {
    let exchange: Exchange
    /// The client and the host name, as far as this relay can trust them.
    let context: RequestContext
    /// Whose share it uses: the token in its head, which only the leader knows, else the client's
    /// address.
    let sender: String

    init(exchange: Exchange, context: RequestContext) {
        self.exchange = exchange
        self.context = context
        sender = Credentials.token(in: exchange.request) ?? "\(context.peer)"
    }

    /// The fields that the leader gets, besides those of the message's framing.
    ///
    /// The leader trusts what a follower says of the client, so every field about the client is
    /// made here: what a client has invented goes no further. Home Assistant's ingress counts at
    /// the relay that it calls only.
    func fields(to leader: Endpoint) -> [(name: String, value: String)] {
        let request = exchange.request
        let ofConnection = ForwardedRequest.fieldsOfConnection(request.fields)
        // A request of HTTP/1.0 may have no host, which 1.1 requires.
        var fields = [(name: "Host", value: request.host ?? "\(leader)")]
        fields += request.fields.list.filter { name, _ in
            let name = name.lowercased()
            return !ofConnection.contains(name) && !ForwardedRequest.replaced.contains(name)
        }
        fields.append(("X-Forwarded-For", "\(context.peer)"))
        if let host = context.host { fields.append(("X-Forwarded-Host", host)) }
        if context.isSecure { fields.append(("X-Forwarded-Proto", "https")) }
        if !context.prefix.isEmpty { fields.append(("X-Forwarded-Prefix", context.prefix)) }
        fields.append(("X-Beemed-Forwarded", "1"))
        return fields
    }

    /// The fields that belong to one connection (RFC 9110 section 7.6.1), in lower case.
    private static func fieldsOfConnection(_ fields: Fields) -> Set<String> {
        let named = fields.all(.connection).flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
        return framing.union(named)
    }

    private static let framing: Set<String> = [
        "connection", "content-length", "expect", "keep-alive", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields that are made here, and those that only a client's own proxy may send.
    private static let replaced: Set<String> = [
        "forwarded", "host", "x-beemed-forwarded", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-prefix", "x-forwarded-proto", "x-ingress-path",
    ]
}

extension FieldName {
    /// Marks a request that another relay of the cluster passes on.
    static let forwardedByRelay: FieldName = "x-beemed-forwarded"
    fileprivate static let connection: FieldName = "connection"
}
