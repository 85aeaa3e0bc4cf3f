/// Requests that may be applied late: what must wait for them, and what is repeated.
extension RelayCore {
    /// Whether the next request about an event is a deletion, or may change its datapoint.
    private func isAmendment(_ entry: Ledger.Entry) -> Bool {
        isToBeErased(entry) || isRevisable(entry)
    }

    private func isRevisable(_ entry: Ledger.Entry) -> Bool {
        entry.event.isTotal || counting.groups[entry.number] != nil
    }

    /// Whether a request about an event must wait, because of one that may be applied late.
    func mustWaitForLateRequest(_ entry: Ledger.Entry) -> Bool {
        guard delivery.late.mayHoldUp else { return false }
        let isAmendment = isAmendment(entry)
        return delivery.late.mustWait(entry.number, isAmendment: isAmendment)
    }

    /// Whether a deletion must be repeated before it counts. An event that is only moved is to
    /// arrive at its new goal before that one derails.
    ///
    /// - Parameter sent: when it was sent.
    func mustDeleteAgain(
        _ number: SequenceNumber, sent: Monotonic, _ now: Moment
    ) -> Bool {
        var seconds = LateRequests.againSeconds
        if let entry = ledger[number], entry.progress == .pending {
            seconds = Backoff.wait(seconds, left: secondsLeft(entry.goal, now))
        }
        return delivery.late.mustLookAgain(
            for: number, sent: sent, at: now.monotonic, after: seconds)
    }

    /// A request about datapoints has ended.
    ///
    /// - Returns: what was delivered and must be sent again before that counts.
    func recordEnd(
        of batch: DatapointBatch, _ outcomes: [(number: SequenceNumber, outcome: Outcome)],
        _ now: Moment
    ) -> Set<SequenceNumber> {
        var unsure: Set<SequenceNumber> = []
        let sent = delivery.lastStart(for: batch.goal) ?? now.monotonic
        for (outgoing, (number, outcome)) in zip(batch.datapoints, outcomes) {
            switch outcome {
            case .unclear, .unreachable, .busy(_, mayBeApplied: true):
                ledger.recordDoubt(number)
                delivery.late.record(outgoing, at: now.monotonic)
            case .delivered:
                guard let entry = ledger[number], isRevisable(entry),
                    delivery.late.mustSendAgain(outgoing, sent: sent, at: now.monotonic)
                else { continue }
                unsure.insert(number)
            case .erased, .busy, .refused, .unchangeable, .unauthorized, .forbidden, .noSuchGoal,
                .misdirected:
                break
            }
        }
        return unsure
    }

    /// Queues the events that have waited long enough.
    func endWaits(_ now: Moment) {
        for number in delivery.late.takeDue(at: now.monotonic) {
            guard let entry = ledger[number], entry.isOpen || needsResending(entry) else {
                continue
            }
            enqueue(entry)
        }
    }

    /// Whether its datapoint was deleted: if it is back, it has another id.
    func wasDeletedOnce(_ entry: Ledger.Entry) -> Bool {
        delivery.late.wasDeleted(entry.number)
    }
}
