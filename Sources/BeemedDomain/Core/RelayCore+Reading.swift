/// The core for those who ask.
extension RelayCore {
    /// The relay as people and devices see it now.
    package var view: CoreView { CoreView(core: self) }

    /// The values logged on each day.
    var days: Days { Days(core: self) }

    /// The rule of the next step.
    var reconciliation: Reconciliation { Reconciliation(core: self) }

    /// The rules for the times of presses and totals, as of now.
    var times: PressTimes { PressTimes(core: self) }

    /// Whether a request to Beeminder is under way.
    package var isSending: Bool { delivery.isSending }

    /// The size that the journal must hold.
    package var live: LiveSize {
        LiveSize(
            bytes: ledger.bytes,
            unsettledBytes: ledger.waitingBytes.total + ledger.refusedBytes.total,
            stated: min(ledger.statedFrom, account.statedAt ?? ledger.statedFrom))
    }
}
