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

    private var shares: [Share] = []
    private var indices: [DeviceIdentity: Int] = [:]
    /// The device of the last event: mostly that of the next one, too.
    private var last: (device: DeviceIdentity, index: Int)?

    /// - Parameters:
    ///   - events: all events.
    ///   - changing: those that must stay known.
    init(_ events: NumberedList<Ledger.Entry>, besides changing: Set<SequenceNumber>) {
        events.readNewestFirst { entry in
            guard entry.progress.isAtRest else { return }
            let (index, bytes) = (index(of: entry.event.key.identity), entry.event.lineBytes)
            shares[index].bytes += bytes
            if entry.isForgettable && !changing.contains(entry.number) {
                shares[index].candidates.append((entry.number, bytes))
            }
        }
    }

    private mutating func index(of device: DeviceIdentity) -> Int {
        if let last, last.device == device { return last.index }
        let index = indices[device] ?? shares.count
        if index == shares.count {
            shares.append(Share())
            indices[device] = index
        }
        last = (device, index)
        return index
    }

    /// The next event to forget; nil when there is none.
    mutating func next() -> SequenceNumber? {
        let index = shares.indices.filter { !shares[$0].candidates.isEmpty }
            .max { shares[$0].bytes < shares[$1].bytes }
        guard let index, let oldest = shares[index].candidates.popLast() else { return nil }
        shares[index].bytes -= oldest.bytes
        return oldest.number
    }
}
