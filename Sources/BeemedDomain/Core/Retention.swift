/// Selects the settled events that stay known, so that a press that is sent again is recognized.
///
/// They are limited in number and bytes. Above a limit, the device whose events have most bytes loses
/// its oldest: a device that logs a lot must not make the relay forget the presses of others. It is
/// made when a limit is exceeded by a hundredth, and looks at all events.
struct Retention {
    /// The settled events of one device.
    private struct Share {
        var bytes = 0
        /// Events that may be forgotten, the newest first.
        var candidates: [(number: SequenceNumber, bytes: Int)] = []
    }

    private var shares: [DeviceIdentity: Share] = [:]

    /// - Parameters:
    ///   - events: all events, the newest first.
    ///   - changing: those that must stay known.
    init(_ events: some Sequence<Ledger.Entry>, besides changing: Set<SequenceNumber>) {
        for entry in events where entry.progress.isAtRest {
            let (device, bytes) = (entry.event.key.identity, entry.event.lineBytes)
            shares[device, default: Share()].bytes += bytes
            if entry.isForgettable && !changing.contains(entry.number) {
                shares[device]?.candidates.append((entry.number, bytes))
            }
        }
    }

    /// The next event to forget; nil when there is none.
    mutating func next() -> SequenceNumber? {
        let device = shares.filter { !$0.value.candidates.isEmpty }
            .max { $0.value.bytes < $1.value.bytes }?.key
        guard let device, let oldest = shares[device]?.candidates.popLast() else { return nil }
        shares[device]?.bytes -= oldest.bytes
        return oldest.number
    }
}
