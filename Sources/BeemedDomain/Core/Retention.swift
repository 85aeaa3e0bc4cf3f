/// Selects the settled events that stay known, so that a press that is sent again is recognized.
///
/// They are limited in number and bytes. Above a limit, the device with most of them loses its
/// oldest: a device that logs a lot must not make the relay forget the presses of others. It is
/// made when a limit is exceeded by a hundredth, and looks at all events.
struct Retention {
    /// The settled events of one device.
    private struct Share {
        var events = 0
        var bytes = 0
        /// Those that may be forgotten, the newest first.
        var candidates: [(number: SequenceNumber, bytes: Int)] = []

        mutating func add(_ candidate: SequenceNumber?, _ bytes: Int) {
            self.events += 1
            self.bytes += bytes
            if let candidate { candidates.append((candidate, bytes)) }
        }

        mutating func popOldest() -> SequenceNumber? {
            guard let (number, bytes) = candidates.popLast() else { return nil }
            self.events -= 1
            self.bytes -= bytes
            return number
        }
    }

    private var shares: [DeviceIdentity: Share] = [:]
    private let isCount: Bool

    /// - Parameters:
    ///   - events: all events, the newest first.
    ///   - isCount: whether there are too many of them, and not too many bytes.
    ///   - changing: those about which a record is not durable yet.
    init(
        _ events: some Sequence<Ledger.Entry>, isCount: Bool, besides changing: Set<SequenceNumber>
    ) {
        self.isCount = isCount
        for entry in events where entry.progress.isAtRest {
            let bytes = entry.event.lineBytes
            let isCandidate = entry.isForgettable && !changing.contains(entry.number)
            shares[entry.event.key.identity, default: Share()]
                .add(isCandidate ? entry.number : nil, bytes)
        }
    }

    /// The next event to forget: the oldest of the device with most of them. Nil when there is none.
    mutating func next() -> SequenceNumber? {
        let heaviest = shares.filter { !$0.value.candidates.isEmpty }
            .max { left, right in
                isCount
                    ? left.value.events < right.value.events : left.value.bytes < right.value.bytes
            }
        guard let device = heaviest?.key else { return nil }
        return shares[device]?.popOldest()
    }
}
