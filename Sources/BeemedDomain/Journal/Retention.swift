/// Selects the settled events that stay known, so that a press that is sent again is recognized.
///
/// They are limited in number and bytes. Above a limit, the device with most of them loses its
/// oldest: a device that logs a lot must not make the relay forget the presses of others.
struct Retention: Sendable {
    /// The limits of retention.
    struct Limits: Sendable, Equatable {
        /// The maximum number of events.
        var events = Recovered.rememberedEvents
        /// The maximum bytes of their lines in the journal, so that long comments do not fill the
        /// memory.
        var bytes = 48 << 20
    }

    /// The settled events of one device.
    private struct Share: Sendable {
        /// In the order of settling. Some may have been reopened or forgotten since.
        var candidates = Queue<SequenceNumber>()
        var events = 0
        var bytes = 0

        /// - Returns: whether nothing is left.
        mutating func count(_ event: Event, _ step: Int) -> Bool {
            events += step
            bytes += step * event.lineBytes
            return events == 0 && candidates.isEmpty
        }
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

    /// Counts an event that was settled by a step of 1, and stops counting it, when it is reopened
    /// or forgotten, by one of -1.
    mutating func count(_ event: Event, _ step: Int) {
        events += step
        bytes += step * event.lineBytes
        let device = event.key.identity
        if shares[device, default: Share()].count(event, step) { shares[device] = nil }
    }
}

/// The events that a start finds.
extension [Recovered.Entry] {
    /// Gives the parts of merged datapoints the outcome of their leaders. A part without a leader is
    /// settled: its leader is in the history, or was damaged, which raises its own alarm.
    mutating func settleParts() {
        for index in indices {
            guard case .merged(let leader) = self[index].event.part,
                self[index].recorded.settlement == nil, !self[index].recorded.isOnItsOwn
            else { continue }
            guard let lead = entry(leader) else {
                self[index].recorded.follow(.merged(into: leader), to: nil)
                continue
            }
            self[index].recorded.follow(
                self[index].settlement(under: lead), to: lead.recorded.goal)
        }
    }

    /// The event of that number. The entries are sorted by number.
    func entry(_ number: SequenceNumber) -> Recovered.Entry? {
        let index = partitioningIndex { $0.number >= number }
        return index < endIndex && self[index].number == number ? self[index] : nil
    }
}

extension Recovered.Entry {
    /// The final state that a leader gives to a part without a record of its own.
    fileprivate func settlement(under leader: Recovered.Entry) -> Settlement? {
        switch leader.settlement {
        case .delivered: .merged(into: leader.number)
        case .refused: leader.settlement
        case .undone, .guarded, .merged, nil: nil
        }
    }
}
