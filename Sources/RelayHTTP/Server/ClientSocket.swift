/// One connection's socket beside its state.
final class ClientSocket {
    let descriptor: Descriptor
    let peer: Endpoint
    let generation: UInt32
    var connection: Connection
    var interest = Interest(read: true, write: false)
    /// What was promised to it of the room for content that has not all come.
    var reservation: BodyBudget.Reservation?
    /// What it waits to be promised.
    var awaitedReservation: BodyBudget.Reservation?
    /// Whether anything of that was promised or asked for.
    var mayHoldReservation: Bool { reservation != nil || awaitedReservation != nil }
    /// What the deadline stands for.
    var wait = Connection.Wait(kind: .idle, mark: -1)
    /// When the peer has waited or been waited for long enough.
    var deadline: Instant?
    /// When the last thing happened here, to tell who has been quiet longest.
    var lastActive: Instant
    /// When its request began to wait for something to happen, to tell who has waited longest.
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

    /// Whether room for content is promised to a stranger here, or asked for by one.
    private var isStrangers: Bool {
        guard case .stranger = (reservation ?? awaitedReservation)?.account else { return false }
        return true
    }

    /// Sets a new deadline when something new is waited for.
    func rearm(_ limits: Limits, now: Instant) {
        let wait = connection.wait
        guard wait != self.wait else { return }
        self.wait = wait
        lastActive = now
        let seconds: Double? =
            switch wait.kind {
            case .idle where connection.isUnheard: min(limits.silentSeconds, limits.idleSeconds)
            case .idle: limits.idleSeconds
            case .head: limits.headSeconds
            case .body where isStrangers: min(limits.strangerBodySeconds, limits.bodySeconds)
            case .body: limits.bodySeconds
            case .write: limits.writeSeconds
            case .linger: limits.lingerSeconds
            case .answer: nil
            }
        deadline = seconds.map { now.advanced(bySeconds: $0) }
    }

    /// Grants a connection that has never asked for anything, and takes nobody's place, some more
    /// of the time that every connection may rest.
    ///
    /// - Returns: whether there was any left.
    func extendSilence(_ limits: Limits, now: Instant) -> Bool {
        let end = lastActive.advanced(bySeconds: limits.idleSeconds)
        guard connection.isUnheard, now < end else { return false }
        deadline = min(end, now.advanced(bySeconds: ClientSocket.silenceCheckSeconds))
        return true
    }

    /// How soon a silent connection goes, in seconds, when others begin to need its place.
    private static let silenceCheckSeconds = 3.0
}
