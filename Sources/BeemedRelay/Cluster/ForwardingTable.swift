import BeemedDomain
import RelayHTTP
import RelayTrunk

/// A request that waits for a leader.
struct HeldRequest {
    let exchange: Exchange
    /// The client and the host name, as far as this relay can trust them.
    let context: RequestContext
    /// The client whose share the request uses: the token in its head, which only the leader knows,
    /// else the client's address.
    let sender: String
    /// Whether the request may take as long as its client likes.
    let isWait: Bool
    /// How long its client's patience lasts.
    var until: Instant
    /// When the request is tried again.
    var due = Instant.distantPast
    /// Whether there was no slot for the request.
    var lacksPlace = false

    init(_ exchange: Exchange, _ context: RequestContext, isWait: Bool, until: Instant) {
        (self.exchange, self.context) = (exchange, context)
        (self.isWait, self.until) = (isWait, until)
        sender = Credentials.token(in: exchange.request) ?? "\(context.peer)"
    }
}

/// The requests that a follower holds, and those that it passes on.
struct ForwardingTable {
    /// A request that is passed on.
    struct Forward {
        let request: HeldRequest
        let leader: Endpoint
        let number: Forwarder.Number
        /// Whether its client sends nothing more, or its slot is needed.
        var isEnding = false
    }

    /// In order of arrival.
    var held: [HeldRequest] = []
    var forwards: [ExchangeID: Forward] = [:]

    /// How many waits are passed on at once, and how many other requests, as presses.
    private static let places = 128
    private var waitPlaces = ForwardingTable.places
    /// The content of all of them together, in bytes, without small ones, of which connections hold
    /// few enough.
    private static let maxBytes = 16 << 20
    private static let smallBytes = 8_192

    /// Whether there is room to keep this content of this sender until it is answered.
    func hasRoom(for body: [UInt8], of sender: String) -> Bool {
        guard body.count > ForwardingTable.smallBytes else { return true }
        let shares = Shares<String>(capacity: ForwardingTable.maxBytes)
        for request in held + forwards.values.map(\.request) {
            let bytes = request.exchange.request.body.count
            if bytes > ForwardingTable.smallBytes { shares.change(bytes, of: request.sender) }
        }
        return shares.allows(sender, adding: body.count)
    }

    /// Tries all held requests again at once.
    mutating func hurry(_ now: Instant) {
        for index in held.indices { held[index].due = now }
    }

    /// Removes and returns those that are to be tried, in order of arrival.
    mutating func takeDue(_ now: Instant) -> [HeldRequest] {
        let due = held.filter { $0.due <= now }
        if !due.isEmpty { held.removeAll { $0.due <= now } }
        return due
    }

    // MARK: Forwards

    /// Leaves half of all connections to presses.
    mutating func limitWaits(among connections: Int) {
        waitPlaces = min(ForwardingTable.places, max(1, connections / 2))
    }

    /// Whether there is a slot for one more request. Waits give way to each other, so a sender may
    /// have all of them.
    func hasPlace(for request: HeldRequest) -> Bool {
        let like = forwards.values.map(\.request).filter { $0.isWait == request.isWait }
        if request.isWait { return like.count < waitPlaces }
        return Slots.allow(
            request.sender, among: ForwardingTable.places, heldBy: like.map(\.sender))
    }

    /// Removes what has ended, and makes the request due that gets its slot: the next of the same
    /// sender, else the first of all.
    ///
    /// - Returns: whether there is one.
    mutating func remove(_ forward: Forward) -> Bool {
        let ended = forward.request
        forwards[ended.exchange.id] = nil
        let waiting = held.indices.filter {
            held[$0].lacksPlace && held[$0].isWait == ended.isWait && held[$0].due != .distantPast
        }
        let candidates = [waiting.first { held[$0].sender == ended.sender }, waiting.first]
        guard let next = candidates.compactMap({ $0 }).first(where: { hasPlace(for: held[$0]) })
        else { return false }
        held[next].due = .distantPast
        return true
    }

    /// The wait to end, so that one of this sender finds a slot: the oldest, of its own if it has a
    /// quarter of them. Nil while another one is ending.
    func waitThatYields(to sender: String) -> Forward? {
        let waits = forwards.values.filter(\.request.isWait)
        guard !waits.contains(where: \.isEnding) else { return nil }
        let own = waits.filter { $0.request.sender == sender }
        let candidates = own.count < max(1, waitPlaces / 4) ? waits : own
        return candidates.min { $0.number < $1.number }
    }
}

extension HeldRequest {
    /// The fields that the leader gets, besides those of the message's framing.
    ///
    /// The leader trusts what a follower says of the client, so every field about the client is
    /// made here: what a client has invented goes no further. Home Assistant's ingress counts at
    /// the relay that it calls only.
    func fields(to leader: Endpoint) -> [(name: String, value: String)] {
        let request = exchange.request
        let dropped = HeldRequest.dropped.union(HeldRequest.ofConnection(request.fields))
        // A request of HTTP/1.0 may have no host, which 1.1 requires.
        var fields = [(name: "Host", value: request.host ?? "\(leader)")]
        fields += request.fields.list().filter { !dropped.contains($0.name.lowercased()) }
        fields.append(("X-Forwarded-For", "\(context.peer)"))
        if let host = context.host { fields.append(("X-Forwarded-Host", host)) }
        if context.isSecure { fields.append(("X-Forwarded-Proto", "https")) }
        if !context.prefix.isEmpty { fields.append(("X-Forwarded-Prefix", context.prefix)) }
        fields.append(("X-Beemed-Forwarded", "1"))
        return fields
    }

    /// The fields that a request says to belong to its connection, in lower case.
    private static func ofConnection(_ fields: Fields) -> [String] {
        fields.all("connection").flatMap { $0.split(separator: ",") }
            .map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    }

    /// The fields that belong to one connection (RFC 9110 section 7.6.1), those that are made here,
    /// and those that only a client's own proxy may send.
    private static let dropped: Set<String> = [
        "connection", "content-length", "expect", "forwarded", "host", "keep-alive",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "x-beemed-forwarded",
        "x-forwarded-for", "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto",
        "x-ingress-path",
    ]
}

/// How long a follower waits for the leader.
extension RouteTable {
    /// Whether the answer may take as long as the client likes: a long poll, an event stream or an
    /// export.
    func isWait(_ request: Request) -> Bool {
        (route(of: request)?.traits.contains(.isLong) ?? false) || waitSeconds(of: request) > 0
    }

    /// How long the first bytes of the answer may take, in seconds: a press is on the disks of a
    /// quorum or refused long before, while some requests wait for Beeminder or read a large file.
    func answerSeconds(of request: Request) -> Double {
        waitSeconds(of: request)
            + (route(of: request)?.traits.contains(.isPrompt) ?? false ? 10 : 60)
    }

    /// Whether a request changes nothing, so that it may be sent twice. Some links log, undo or
    /// sign in. A press is never sent twice from here: only its device knows whether it has an id.
    func isRepeatable(_ request: Request) -> Bool {
        switch request.method {
        case .head, .options: return true
        case .get: break
        case .post, .put, .patch, .delete, .other: return false
        }
        return match(request.target.path)?.path.route(.get)?.isRead ?? true
    }

    /// How long a long poll asks to be held.
    private func waitSeconds(of request: Request) -> Double {
        guard route(of: request)?.parameters?.contains("wait") ?? false else { return 0 }
        return (try? ContextView(query: request.target.query))?.waitSeconds ?? 0
    }

    /// The requested route; nil for a request that the leader refuses.
    func route(of request: Request) -> Route? {
        match(request.target.path)?.path.route(request.method)
    }
}
