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
    /// How long its client's patience lasts.
    var until: Instant
    /// When the request is tried again.
    var due: Instant
    /// Whether the request was tried before.
    var wasTried = false
    /// Whether there was no slot for the request.
    var lacksPlace = false
    /// Whether the client sends nothing more, and may have gone: the request is tried once at most,
    /// since the client may have sent it again, without an id.
    var isLast = false

    init(_ exchange: Exchange, _ context: RequestContext, until: Instant, due: Instant) {
        (self.exchange, self.context, self.until, self.due) = (exchange, context, until, due)
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
        /// Whether the request may take as long as its client likes.
        let isWait: Bool
        /// Whether a part of the answer has come.
        var hasBegun = false
        /// Whether its client sends nothing more, or its slot is needed.
        var isEnding: Bool
    }

    private(set) var held: [HeldRequest] = []
    private(set) var forwards: [ExchangeID: Forward] = [:]

    /// How many are passed on at once.
    private static let maxForwards = 256
    /// How many of them may be waits: the other slots are for presses.
    private static let maxWaits = 128
    /// The content of all of them together, in bytes, without small ones, of which connections hold
    /// few enough.
    private static let maxBytes = 16 << 20
    private static let smallBytes = 8_192

    /// Whether there is room to keep this content of this sender until it is answered.
    func hasRoom(for body: [UInt8], of sender: String) -> Bool {
        guard body.count > ForwardingTable.smallBytes else { return true }
        var shares = Shares<String>(capacity: ForwardingTable.maxBytes)
        for request in held + forwards.values.map(\.request) {
            let bytes = request.exchange.request.body.count
            if bytes > ForwardingTable.smallBytes { shares.change(bytes, of: request.sender) }
        }
        return shares.allows(sender, adding: body.count)
    }

    // MARK: Held requests

    mutating func hold(_ request: HeldRequest) { held.append(request) }

    /// Removes a request whose client may have gone, unless it is about to be tried for the first
    /// time.
    ///
    /// - Parameter hasLeader: whether there is anybody to try.
    /// - Returns: nil when not held, else whether it was removed.
    mutating func drop(_ id: ExchangeID, hasLeader: Bool) -> Bool? {
        guard let index = held.firstIndex(where: { $0.exchange.id == id }) else { return nil }
        guard held[index].wasTried || !hasLeader else {
            held[index].isLast = true
            return false
        }
        held.remove(at: index)
        return true
    }

    /// Tries all of them again at once.
    mutating func hurry(_ now: Instant) {
        for index in held.indices { held[index].due = now }
    }

    /// Removes and returns those that are to be tried, in order of arrival.
    mutating func takeDue(_ now: Instant) -> [HeldRequest] {
        guard held.contains(where: { $0.due <= now }) else { return [] }
        let due = held.filter { $0.due <= now }
        held.removeAll { $0.due <= now }
        return due
    }

    /// Removes and returns all.
    mutating func takeAll() -> [HeldRequest] {
        defer { held = [] }
        return held
    }

    // MARK: Forwards

    subscript(_ id: ExchangeID) -> Forward? { forwards[id] }

    /// Whether there is a slot for one more of this sender. Waits give way to each other, so only
    /// the others have shares.
    func hasPlace(forWait isWait: Bool, of sender: String) -> Bool {
        let like = forwards.values.filter { $0.isWait == isWait }
        if isWait { return like.count < ForwardingTable.maxWaits }
        let most = ForwardingTable.maxForwards - ForwardingTable.maxWaits
        return Shares(places: most, heldBy: like.map(\.request.sender)).allows(sender)
    }

    mutating func add(_ forward: Forward) { forwards[forward.request.exchange.id] = forward }

    /// Removes a forwarded request that has ended. The sender's next held request is tried at once.
    mutating func remove(_ id: ExchangeID) -> Forward? {
        guard let forward = forwards.removeValue(forKey: id) else { return nil }
        let sender = forward.request.sender
        let next = held.firstIndex { $0.lacksPlace && $0.sender == sender }
        if let next { held[next].due = .distantPast }
        return forward
    }

    mutating func begin(_ id: ExchangeID) { forwards[id]?.hasBegun = true }

    mutating func end(_ id: ExchangeID) { forwards[id]?.isEnding = true }

    /// The wait to end, so that one of this sender finds a slot: the oldest of the sender with
    /// most. Nil while another one is ending.
    func waitThatYields(to sender: String) -> Forward? {
        let waits = forwards.values.filter(\.isWait)
        guard !waits.contains(where: \.isEnding) else { return nil }
        let holders = Shares(places: ForwardingTable.maxWaits, heldBy: waits.map(\.request.sender))
        let loser = holders.yielding(to: sender)
        return waits.filter { $0.request.sender == loser }.min { $0.number < $1.number }
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
        let ofConnection = HeldRequest.fieldsOfConnection(request.fields)
        // A request of HTTP/1.0 may have no host, which 1.1 requires.
        var fields = [(name: "Host", value: request.host ?? "\(leader)")]
        fields += request.fields.list().filter { name, _ in
            let name = name.lowercased()
            return !ofConnection.contains(name) && !HeldRequest.replaced.contains(name)
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

    /// The longest time between two parts of an answer, in seconds: two heartbeats of an event
    /// stream.
    static let partSeconds = 2 * ContextWatchers.heartbeatSeconds

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
