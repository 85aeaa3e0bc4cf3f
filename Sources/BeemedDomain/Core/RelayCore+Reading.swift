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

    /// The requests to Beeminder, and their answers.
    var requests: BeeminderRequests { BeeminderRequests(core: self) }

    /// The totals of days.
    package var totals: Totals { Totals(core: self) }

    /// The commands of the user for accepted events.
    var commands: Commands { Commands(core: self) }

    /// The rules of presets, and merged datapoints.
    var presetRules: PresetRules { PresetRules(core: self) }

    /// Whether a goal exists.
    package var lookup: GoalLookup { GoalLookup(core: self) }

    /// The changes of the account and of its goals.
    var accountChanges: AccountChanges { AccountChanges(core: self) }

    /// Whether the goals in the book belong to the token's user. Others are not shown.
    var areGoalsOwn: Bool { account.isVerified && account.name == goals.user }

    /// Whether the user's time zone and the goals' deadlines are known. A test server that names no
    /// user uses UTC.
    var areDaysKnown: Bool { account.isNameless || (goals.isKnown && areGoalsOwn) }

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
