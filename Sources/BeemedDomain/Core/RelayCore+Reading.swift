/// The core's parts, copied for those who ask.
extension RelayCore {
    /// The relay as people and devices see it now.
    package var view: CoreView {
        CoreView(
            ledger: ledger, goals: goals, pins: pins, days: days, reconciliation: reconciliation,
            delivery: delivery, waits: waits, refresh: refresh, clock: clock, account: account,
            discardQuota: discardQuota, status: status, isDiskFull: commits.isDiskFull,
            maySend: !mustNotSend && account.maySend, version: version)
    }

    /// The values logged on each day.
    var days: Days {
        Days(
            ledger: ledger, merging: merging, listings: listings,
            recovered: commits.recovered, goals: goals, areGoalsOwn: areGoalsOwn,
            isTimeSure: isTimeSure, areDaysSure: areDaysSure)
    }

    /// The event's state, as the API reports it. Most are new, and for these nothing is copied.
    @inline(__always)
    func state(of entry: Ledger.Entry) -> EventState {
        guard entry.isPlain, !delivery.isInFlight(entry.number), !account.isOther,
            waits[entry.number] == nil, !delivery.isHeld(queue(of: entry))
        else { return view.state(of: entry) }
        assert(view.state(of: entry) == .queued)
        return .queued
    }

    /// Whether a request to Beeminder is under way.
    package var isSending: Bool { delivery.isSending }

    /// The size that the journal must hold.
    package var live: LiveSize {
        LiveSize(
            bytes: ledger.bytes,
            unsettledBytes: ledger.waitingBytes.total + ledger.refusedBytes.total,
            stated: ledger.statements.first ?? commits.receipt.through.next)
    }
}
