/// The connections of a server, by slot. A generation distinguishes successive users of one slot,
/// so that a late event or a late answer never reaches the wrong connection.
struct ClientSocketTable {
    private var clients: [ClientSocket?] = []
    private var free: [Int] = []
    private var generation: UInt32 = 0
    private var countByAddress: [Address: Int] = [:]
    private(set) var count = 0
    /// The budget for incomplete content.
    private var budget: BodyBudget
    /// Connections that wait for a reservation, in order of arrival.
    private var waiting: [(slot: Int, generation: UInt32)] = []

    init(_ limits: Limits) {
        budget = BodyBudget(limits)
    }

    /// All slots, including the empty ones.
    var slots: Range<Int> { clients.indices }

    subscript(_ slot: Int) -> ClientSocket? { clients[slot] }

    subscript(_ slot: Int, _ generation: UInt32) -> ClientSocket? {
        guard slot < clients.count, let client = clients[slot] else { return nil }
        return client.generation == generation ? client : nil
    }

    func holds(_ client: ClientSocket, at slot: Int) -> Bool { clients[slot] === client }

    func count(of address: Address) -> Int { countByAddress[address, default: 0] }

    /// The address that has more than half of all connections; nil if none has.
    var crowdedAddress: Address? { countByAddress.first { $0.value > count / 2 }?.key }

    mutating func insert(
        _ descriptor: consuming Descriptor, _ peer: Endpoint, limits: Limits, now: Instant
    ) -> (slot: Int, client: ClientSocket) {
        generation &+= 1
        let client = ClientSocket(
            descriptor, peer, generation: generation & PollToken.generationMask, limits: limits,
            now: now)
        count += 1
        countByAddress[peer.address, default: 0] += 1
        if let slot = free.popLast() {
            clients[slot] = client
            return (slot, client)
        }
        clients.append(client)
        return (clients.count - 1, client)
    }

    /// Removes the socket, which closes it; a closed socket leaves the poller by itself.
    mutating func remove(_ slot: Int) {
        guard let client = clients[slot] else { return }
        release(client)
        clients[slot] = nil
        free.append(slot)
        count -= 1
        let rest = countByAddress[client.peer.address, default: 1] - 1
        countByAddress[client.peer.address] = rest == 0 ? nil : rest
    }

    /// Requests a reservation for the content of this socket's request, now or when possible.
    ///
    /// - Parameter mayWait: whether to wait.
    /// - Returns: whether the reservation was made at once.
    mutating func reservation(
        _ slot: Int, _ client: ClientSocket, _ reservation: BodyBudget.Reservation, mayWait: Bool
    ) -> Bool {
        if budget.reserve(reservation) {
            client.reservation = reservation
            return true
        }
        guard mayWait else { return false }
        client.awaitedReservation = reservation
        waiting.append((slot, client.generation))
        return false
    }

    /// Releases a socket's reservation when its content is complete or void.
    mutating func release(_ client: ClientSocket) {
        client.awaitedReservation = nil
        guard let reservation = client.reservation else { return }
        budget.release(reservation)
        client.reservation = nil
    }

    /// Whether a connection waits for room.
    var isCrowded: Bool { !waiting.isEmpty }

    /// Gives reservations to the waiting connections that the budget allows now.
    mutating func reserveWaiting() -> [(slot: Int, client: ClientSocket)] {
        var reserved: [(slot: Int, client: ClientSocket)] = []
        waiting = waiting.filter { slot, generation in
            guard let client = self[slot, generation], let reservation = client.awaitedReservation
            else {
                return false
            }
            guard budget.reserve(reservation) else { return true }
            client.awaitedReservation = nil
            client.reservation = reservation
            reserved.append((slot, client))
            return false
        }
        return reserved
    }

    /// The connection to close first: its peer has been silent longest
    /// (`Connection.evictionGrace`). A connection accepted in this turn is skipped: it could not
    /// send yet.
    func quietest(of address: Address?, now: Instant) -> Int? {
        var quietest: (slot: Int, since: Instant)?
        for (slot, client) in clients.enumerated() {
            guard let client, client.lastActive < now,
                address == nil || client.peer.address == address,
                let grace = client.connection.evictionGrace
            else { continue }
            let since = client.lastActive.advanced(bySeconds: grace)
            if since < quietest?.since ?? .distantFuture { quietest = (slot, since) }
        }
        return quietest?.slot
    }

    /// An unsent answer that is long, in bytes: longer than what a client's socket takes at once.
    static let longAnswer = 65_536

    /// The connection with the longest unsent answer while all of them are more than so many bytes;
    /// nil when they are not, or when no other one is long.
    func longestUnsent(above most: Int) -> Int? {
        var longest: (slot: Int, bytes: Int)?
        var (sum, count) = (0, 0)
        for (slot, client) in clients.enumerated() {
            guard let bytes = client?.connection.unsentBytes, bytes > 0 else { continue }
            sum += bytes
            if bytes > ClientSocketTable.longAnswer { count += 1 }
            if bytes > longest?.bytes ?? 0 { longest = (slot, bytes) }
        }
        return sum > most && count > 1 ? longest?.slot : nil
    }

    /// The connection to close second: its request has waited longest for an event.
    func longestWaiting(of address: Address?) -> Int? {
        var longest: (slot: Int, since: Instant)?
        for (slot, client) in clients.enumerated() {
            guard let client, client.connection.isWaiting,
                address == nil || client.peer.address == address
            else { continue }
            if client.waitingSince < longest?.since ?? .distantFuture {
                longest = (slot, client.waitingSince)
            }
        }
        return longest?.slot
    }
}

/// The number that a descriptor is registered under: source, listener or socket, generation, slot.
enum PollToken {
    static let listenerBit: UInt64 = 1 << 55
    static let generationMask: UInt32 = 0x7F_FFFF

    static func listener(_ source: UInt64) -> UInt64 { source << 56 | listenerBit }

    static func client(_ source: UInt64, _ slot: Int, _ generation: UInt32) -> UInt64 {
        source << 56 | UInt64(generation) << 32 | UInt64(slot)
    }

    static func slot(_ token: UInt64) -> Int { Int(token & 0xFFFF_FFFF) }

    static func generation(_ token: UInt64) -> UInt32 {
        UInt32(token >> 32) & generationMask
    }
}

/// A connection's socket and its state.
final class ClientSocket {
    let descriptor: Descriptor
    let peer: Endpoint
    let generation: UInt32
    var connection: Connection
    var interest = Interest(read: true, write: false)
    /// The part of the body budget that is reserved for this connection's incomplete content.
    var reservation: BodyBudget.Reservation?
    /// The reservation that this connection waits for.
    var awaitedReservation: BodyBudget.Reservation?
    /// Whether its content is read without a reservation, and only as far as that needs none.
    var lacksReservation = false
    /// Whether a reservation is held or requested.
    var mayHoldReservation: Bool { reservation != nil || awaitedReservation != nil }
    /// The wait to which the deadline belongs.
    var wait = Connection.Wait(kind: .idle, mark: -1)
    /// When the current wait times out.
    var deadline: Instant?
    /// When content without a length must have ended.
    private var contentEnd = Instant.distantFuture
    /// When there was last activity on this connection; the longest inactive one is closed first.
    var lastActive: Instant
    /// When its request began to wait for an event; the longest wait is ended first.
    var waitingSince = Instant.distantFuture

    init(
        _ descriptor: consuming Descriptor, _ peer: Endpoint, generation: UInt32,
        limits: Limits, now: Instant
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.generation = generation
        connection = Connection(limits: limits)
        lastActive = now
    }

    /// Whether the reservation, held or requested, is for an unknown client.
    private var isStrangers: Bool {
        guard case .stranger = (reservation ?? awaitedReservation)?.account else { return false }
        return true
    }

    /// Sets a new deadline when the wait has changed.
    ///
    /// - Parameter timeouts: read only then.
    func rearm(_ timeouts: @autoclosure () -> Timeouts, now: Instant) {
        let wait = connection.wait
        guard wait != self.wait else { return }
        let isContinued = wait.kind == .silence && self.wait.kind == .silence
        self.wait = wait
        lastActive = now
        let timeouts = timeouts()
        deadline = seconds(of: wait.kind, timeouts).map { now.advanced(bySeconds: $0) }
        guard wait.kind == .silence else { return }
        if !isContinued { contentEnd = now.advanced(bySeconds: timeouts.body) }
        deadline = deadline.map { min($0, contentEnd) }
    }

    /// How long that wait may last; nil without a limit.
    private func seconds(of kind: Connection.Wait.Kind, _ timeouts: Timeouts) -> Double? {
        switch kind {
        case .idle where connection.isUnprocessed: min(timeouts.silent, timeouts.idle)
        case .idle: timeouts.idle
        case .head: timeouts.head
        case .body where isStrangers: min(timeouts.strangerBody, timeouts.body)
        case .body: timeouts.body
        case .silence: timeouts.silence
        case .write: timeouts.write
        case .linger: timeouts.linger
        case .answer: nil
        }
    }

    /// Extends the deadline of a connection that has sent no request, while no other connection
    /// needs its slot, up to the idle time of every connection.
    ///
    /// - Returns: whether any of that time was left.
    func extendSilence(_ limits: Limits, now: Instant) -> Bool {
        let end = lastActive.advanced(bySeconds: limits.timeouts.idle)
        guard connection.isUnprocessed, now < end else { return false }
        deadline = min(end, now.advanced(bySeconds: ClientSocket.silenceCheckSeconds))
        return true
    }

    /// Seconds between two checks of a silent connection.
    private static let silenceCheckSeconds = 3.0
}
