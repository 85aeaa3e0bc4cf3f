/// The connections of a server, by slot. A generation distinguishes successive users of one slot,
/// so that a late event or a late answer never reaches the wrong connection.
final class ClientSocketTable {
    private var clients: [ClientSocket?] = []
    private var free: [Int] = []
    private var generation: UInt32 = 0
    private var countByAddress: [Address: Int] = [:]
    var count: Int { clients.count - free.count }

    var all: [ClientSocket] { clients.compactMap(\.self) }

    subscript(_ id: ExchangeID) -> ClientSocket? {
        guard id.slot < clients.count, let client = clients[id.slot] else { return nil }
        return client.id.generation == id.generation ? client : nil
    }

    func holds(_ client: ClientSocket) -> Bool { clients[client.id.slot] === client }

    func insert(
        _ descriptor: consuming Descriptor, _ peer: Endpoint, limits: Limits, now: Instant
    ) -> ClientSocket {
        generation = (generation &+ 1) & PollToken.generationMask
        let slot = free.popLast() ?? clients.count
        let client = ClientSocket(
            descriptor, peer, ExchangeID(slot: slot, generation: generation), limits: limits,
            now: now)
        set(client, at: slot)
        countByAddress[peer.address, default: 0] += 1
        return client
    }

    /// Removes the socket, which closes it; a closed socket leaves the poller by itself.
    func remove(_ client: ClientSocket) {
        guard holds(client) else { return }
        set(nil, at: client.id.slot)
        free.append(client.id.slot)
        let rest = countByAddress[client.peer.address, default: 1] - 1
        countByAddress[client.peer.address] = rest == 0 ? nil : rest
    }

    /// Changes the list whole. Nothing else can run meanwhile then, and the compiler drops the check
    /// for exclusive access from each look at a connection, of which a request takes seven.
    private func set(_ client: ClientSocket?, at slot: Int) {
        var changed = clients
        clients = []  // Else it is copied.
        if slot == changed.count { changed.append(nil) }
        changed[slot] = client
        clients = changed
    }

    /// Whether content of this length may be read now. Content of ordinary length always may; all
    /// longer content together has a limit.
    ///
    /// The sum is worked out anew each time, so that no room is released twice or never.
    func hasRoom(forBodyBytes bytes: Int, _ limits: Limits) -> Bool {
        guard bytes > limits.bodyBytes else { return true }
        let large = all.map(\.connection.admittedBytes).filter { $0 > limits.bodyBytes }
        return bytes <= limits.largeBodyBytesInAll - large.reduce(0, +)
    }

    /// The connection to close first: its peer has been silent longest. An address that has more
    /// than half of all connections gives way first, so that one client cannot drive out all others.
    /// A connection accepted in this turn is skipped: it could not send yet.
    func quietest(now: Instant) -> ClientSocket? {
        let silent = all.filter { $0.lastActive < now }.compactMap { client in
            client.connection.evictionGrace.map { grace in
                (client: client, since: client.lastActive.advanced(bySeconds: grace))
            }
        }
        let crowd = countByAddress.first { $0.value > count / 2 }?.key
        let ofCrowd = silent.filter { $0.client.peer.address == crowd }
        return (ofCrowd.isEmpty ? silent : ofCrowd).min { $0.since < $1.since }?.client
    }

    /// An unsent answer that is long, in bytes: longer than what a client's socket takes at once.
    static let longAnswer = 65_536

    /// The connection with the longest unsent answer while all of them are more than so many bytes;
    /// nil when they are not, or when no other one is long.
    func longestUnsent(above most: Int) -> ClientSocket? {
        let unsent = all.map { (client: $0, bytes: $0.connection.unsentBytes) }
        guard unsent.reduce(0, { $0 + $1.bytes }) > most,
            unsent.count(where: { $0.bytes > ClientSocketTable.longAnswer }) > 1
        else { return nil }
        return unsent.max { $0.bytes < $1.bytes }?.client
    }
}

/// The number that a descriptor is registered under: source, listener or socket, generation, slot.
enum PollToken {
    static let listenerBit: UInt64 = 1 << 55
    static let generationMask: UInt32 = 0x7F_FFFF

    static func listener(_ source: UInt64) -> UInt64 { source << 56 | listenerBit }

    static func client(_ id: ExchangeID, of source: UInt64) -> UInt64 {
        source << 56 | UInt64(id.generation) << 32 | UInt64(id.slot)
    }

    static func client(_ token: UInt64) -> ExchangeID {
        ExchangeID(
            slot: Int(token & 0xFFFF_FFFF), generation: UInt32(token >> 32) & generationMask)
    }
}

final class ClientSocket {
    let descriptor: Descriptor
    let peer: Endpoint
    /// The identity to which its request is answered.
    let id: ExchangeID
    var connection: Connection
    var interest = Interest(read: true, write: false)
    /// The wait to which the deadline belongs.
    var wait = Connection.Wait(kind: .idle, mark: -1)
    var deadline: Instant?
    private let timeouts: Timeouts
    /// When content without a length must have ended.
    private var contentEnd = Instant.distantFuture
    /// When there was last activity on this connection; the longest inactive one is closed first.
    var lastActive: Instant

    init(
        _ descriptor: consuming Descriptor, _ peer: Endpoint, _ id: ExchangeID, limits: Limits,
        now: Instant
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.id = id
        timeouts = limits.timeouts
        connection = Connection(limits: limits)
        lastActive = now
    }

    /// Sets a new deadline when the connection waits for something else.
    func rearm(_ wait: Connection.Wait, now: Instant) {
        guard wait != self.wait else { return }
        let isContinued = wait.kind == .silence && self.wait.kind == .silence
        self.wait = wait
        lastActive = now
        deadline = timeouts.seconds(of: wait.kind).map { now.advanced(bySeconds: $0) }
        guard wait.kind == .silence else { return }
        if !isContinued { contentEnd = now.advanced(bySeconds: timeouts.body) }
        deadline = deadline.map { min($0, contentEnd) }
    }
}

extension Timeouts {
    /// How long a wait may last, in seconds; nil without a limit.
    fileprivate func seconds(of kind: Connection.Wait.Kind) -> Double? {
        switch kind {
        case .idle: idle
        case .head: head
        case .body: body
        case .silence: silence
        case .write: write
        case .linger: linger
        case .answer: nil
        }
    }
}
