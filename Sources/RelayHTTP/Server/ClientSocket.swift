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
