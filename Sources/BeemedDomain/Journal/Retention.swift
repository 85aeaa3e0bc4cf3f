/// Selects the settled events that stay known, so that a press that is sent again is recognized.
///
/// They are limited in number and bytes. Above a limit, the device with most of them loses its
/// oldest: a device that logs a lot must not make the relay forget the presses of others.
struct Retention: Sendable {
    /// The limits of retention.
    struct Limits: Sendable, Equatable {
        /// The maximum number of events.
        var events = Recovered.rememberedEvents
        /// The maximum bytes of their lines in the journal.
        var bytes = Recovered.rememberedBytes
    }

    /// The settled events of one device.
    private struct Share: Sendable {
        /// In the order of settling. Some may have been reopened or forgotten since.
        var candidates = Queue<SequenceNumber>()
        var events = 0
        var bytes = 0
    }

    let limits: Limits
    private var shares: [DeviceIdentity: Share] = [:]
    private var events = 0
    private var bytes = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether a limit is exceeded.
    var isOver: Bool { events > limits.events || bytes > limits.bytes }

    /// Counts an event that was settled.
    mutating func add(_ event: Event) {
        count(event, 1)
    }

    /// Stops counting an event: it was reopened or forgotten.
    mutating func remove(_ event: Event) {
        count(event, -1)
    }

    /// An event may be forgotten from now on, after those offered before.
    mutating func offer(_ number: SequenceNumber, of device: DeviceIdentity) {
        shares[device, default: Share()].candidates.append(number)
    }

    /// The next event to check when a limit is exceeded: the oldest of the device with most events.
    /// Nil when none was offered.
    mutating func next() -> SequenceNumber? {
        let isCount = events > limits.events
        let heaviest = shares.filter { !$0.value.candidates.isEmpty }
            .max { left, right in
                isCount
                    ? left.value.events < right.value.events : left.value.bytes < right.value.bytes
            }
        guard let device = heaviest?.key else { return nil }
        return shares[device]?.candidates.popFirst()
    }

    private mutating func count(_ event: Event, _ step: Int) {
        events += step
        bytes += step * event.lineBytes
        let device = event.key.identity
        shares[device, default: Share()].events += step
        shares[device, default: Share()].bytes += step * event.lineBytes
        if shares[device]?.events == 0, shares[device]?.candidates.isEmpty == true {
            shares[device] = nil
        }
    }
}
