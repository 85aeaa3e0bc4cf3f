/// One connection's socket beside its state.
final class Channel {
    let descriptor: Descriptor
    let peer: Endpoint
    let generation: UInt32
    var connection: Connection
    var interest = Interest(read: true, write: false)
    /// What was promised to it of the room for content that has not all come.
    var seat: BodyRoom.Seat?
    /// What it waits to be promised.
    var awaitedSeat: BodyRoom.Seat?
    /// Whether anything of that was promised or asked for.
    var mayHoldSeat: Bool { seat != nil || awaitedSeat != nil }
    /// What the deadline stands for.
    var wait = Connection.Wait(kind: .idle, mark: -1)
    /// When the peer has waited or been waited for long enough.
    var deadline: Instant?
    /// When the last thing happened here, to tell who has been quiet longest.
    var lastActive: Instant

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

    /// Sets a new deadline when something new is waited for.
    func rearm(_ limits: Limits, now: Instant) {
        let wait = connection.wait
        guard wait != self.wait else { return }
        self.wait = wait
        lastActive = now
        let seconds: Double? =
            switch wait.kind {
            case .idle: limits.idleSeconds
            case .head: limits.headSeconds
            case .body: limits.bodySeconds
            case .write: limits.writeSeconds
            case .linger: limits.lingerSeconds
            case .answer: nil
            }
        deadline = seconds.map { now.advanced(bySeconds: $0) }
    }
}
