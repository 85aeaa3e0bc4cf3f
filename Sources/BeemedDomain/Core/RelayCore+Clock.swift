/// Comparison of the relay's clock with Beeminder's.
extension RelayCore {
    /// Whether the time of a press that comes now is known for good: the clock was compared with
    /// Beeminder's.
    package var isTimeSure: Bool { clock.isSound && clock.isCompared }

    /// Whether a press can be assigned to a day for good: the days are known, and the clock was
    /// compared with Beeminder's.
    var areDaysSure: Bool { areDaysKnown && isTimeSure }

    /// Whether the user's present day is known, by the last known time zone.
    package var isPresentDayKnown: Bool {
        isTimeSure && (goals.zone != nil || account.isNameless)
    }

    /// Checks the clock again, which may have been set.
    ///
    /// - Returns: the same moment by the best known time.
    func evaluateClock(_ reading: Moment, _ effects: inout Effects) -> Moment {
        waits.now = reading.monotonic
        let before = (clock.isSound, clock.isWrong)
        let (wasCompared, wasConfirmed) = (clock.isCompared, clock.isConfirmed)
        let now = clock.evaluate(reading)
        if wasCompared, !clock.isCompared { refresh.askNow() }
        if before != (clock.isSound, clock.isWrong) { version += 1 }
        if clock.isConfirmed, !wasConfirmed {
            for entry in ledger.all { checkTime(of: entry, now, &effects) }
        }
        return now
    }

    /// Whether sending must wait: the clock has not been compared with Beeminder's, or not all
    /// repaired times are durable.
    var mustNotSend: Bool {
        !clock.isSound || !clock.isCompared || commits.hasUnwrittenTimes
    }

    /// Whether anything may be sent now.
    var maySend: Bool { !mustNotSend && account.maySend }

    /// A press taken before the time was confirmed gets the right time of its press, if that
    /// differs and it was never sent. It is computed with the monotonic clock, which counts from
    /// the boot of the machine, and only once: that clock may stop while the machine sleeps.
    func checkTime(of entry: Ledger.Entry, _ now: Moment, _ effects: inout Effects) {
        guard clock.isConfirmed, entry.awaitsTimeCheck else { return }
        entry.isTimeChecked = true
        guard let at = entry.checkedTime(at: now, boot: boot) else { return }
        journal(.timed(of: entry.number, at: at), &effects)
    }
}
