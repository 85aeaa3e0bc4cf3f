/// Selects the events that a start keeps.
extension [Recovered.Entry] {
    /// Gives the parts of merged datapoints the outcome of their leaders: delivered when the
    /// datapoint includes them, refused with it, pending otherwise. A part without a leader is
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
            if lead.settlement == .undone {
                // Earlier versions let presses join a datapoint that was being undone.
                self[index].recorded.standAlone()
            } else {
                self[index].recorded.follow(
                    self[index].settlement(under: lead), to: lead.recorded.goal)
            }
        }
    }

    /// The settled events beyond the limits. Leaders of datapoints leave together with all of their
    /// parts, and stay while Beeminder has not received all changes.
    func surplus(beyond limits: Retention.Limits) -> Set<SequenceNumber> {
        var retention = Retention(limits)
        for entry in self where entry.recorded.isAtRest { retention.add(entry.event) }
        guard retention.isOver else { return [] }
        let groups = parts()
        for entry in self where entry.recorded.isAtRest && !entry.isPart {
            let isStale = (groups[entry.number] ?? []).contains { isUnshown(self[$0], entry) }
            if !isStale, !entry.hasUnshownLeaving {
                retention.offer(entry.number, of: entry.event.key.identity)
            }
        }
        var surplus: Set<SequenceNumber> = []
        while retention.isOver, let number = retention.next(), let entry = entry(number) {
            for gone in [entry] + (groups[number] ?? []).map({ self[$0] }) {
                surplus.insert(gone.number)
                retention.remove(gone.event)
            }
        }
        return surplus
    }

    /// The positions of the parts of each datapoint, by leader.
    private func parts() -> [SequenceNumber: [Int]] {
        var parts: [SequenceNumber: [Int]] = [:]
        for (place, entry) in enumerated() {
            guard case .merged(let leader) = entry.event.part, entry.isPart else { continue }
            parts[leader, default: []].append(place)
        }
        return parts
    }

    private func isUnshown(_ part: Recovered.Entry, _ leader: Recovered.Entry) -> Bool {
        !part.recorded.isAtRest || part.recorded.last > leader.recorded.shown
    }

    /// The event of that number. The entries are sorted by number.
    private func entry(_ number: SequenceNumber) -> Recovered.Entry? {
        let place = partitioningIndex { $0.number >= number }
        return place < endIndex && self[place].number == number ? self[place] : nil
    }
}

extension Recovered.Entry {
    /// Whether it is part of another event's datapoint.
    fileprivate var isPart: Bool {
        guard case .merged = event.part else { return false }
        return !recorded.isOnItsOwn
    }

    /// Whether its own press was removed from its datapoint, but not yet at Beeminder.
    fileprivate var hasUnshownLeaving: Bool {
        recorded.leftOut.map { $0 > recorded.shown } ?? false
    }

    /// The final state that a leader gives to a part without a record of its own.
    fileprivate func settlement(under leader: Recovered.Entry) -> Settlement? {
        switch leader.settlement {
        case .delivered:
            max(number, recorded.last) <= leader.recorded.shown ? .merged(into: leader.number) : nil
        case .refused: leader.settlement
        case .undone, .guarded, .merged, nil: nil
        }
    }
}
