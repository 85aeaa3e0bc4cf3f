/// Which settled events stay known, so that a device that sends one of them again is told so.
///
/// They are bounded in number and in bytes. When there are too many, the device that has most of
/// them gives up its oldest: a device that logs a great deal must not make the relay forget what
/// another one has sent.
struct Retention: Sendable {
    /// How much stays known.
    struct Limits: Sendable, Equatable {
        /// So many events.
        var events = Recovered.rememberedEvents
        /// So many bytes of their lines in the journal.
        var bytes = Recovered.rememberedBytes
    }

    /// The settled events of one device.
    private struct Share: Sendable {
        /// In the order they came to rest. Some may have been taken up again or forgotten since.
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

    /// Whether more is known than should be.
    var isOver: Bool { events > limits.events || bytes > limits.bytes }

    /// Counts an event that has come to rest.
    mutating func add(_ event: Event) {
        count(event, 1)
    }

    /// Counts an event no longer: it was taken up again, or is forgotten.
    mutating func remove(_ event: Event) {
        count(event, -1)
    }

    /// An event may be forgotten from now on, after those that were offered before.
    mutating func offer(_ number: SequenceNumber, of device: DeviceIdentity) {
        shares[device, default: Share()].candidates.append(number)
    }

    /// The event to look at next when there are too many: the oldest of the device that has most.
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
