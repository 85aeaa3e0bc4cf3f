/// Requests about datapoints of an earlier leader.
extension RelayCore {
    /// Whether the next request about an event is a deletion, or may change its datapoint.
    private func isAmendment(_ entry: Ledger.Entry) -> Bool {
        isToBeErased(entry) || entry.event.rule != nil || rules.groups[entry.number] != nil
    }

    /// Whether a request about an event must wait, because of a request of an earlier leader.
    mutating func mustWaitForFormerLeader(_ entry: Ledger.Entry) -> Bool {
        guard delivery.takeover != nil else { return false }
        let isAmendment = isAmendment(entry)
        return delivery.takeover?.mustWait(entry.number, isAmendment: isAmendment) ?? false
    }

    /// Queues the events that have waited long enough.
    mutating func endWaits(_ now: Moment) {
        for number in delivery.takeover?.takeDue(at: now.monotonic) ?? [] {
            guard let entry = ledger[number], entry.isOpen || needsResending(entry) else {
                continue
            }
            enqueue(entry)
        }
    }

    /// Whether its datapoint was deleted: if it is back, it has another id.
    func wasDeletedOnce(_ entry: Ledger.Entry) -> Bool {
        delivery.takeover?.wasDeleted(entry.number) ?? false
    }
}
