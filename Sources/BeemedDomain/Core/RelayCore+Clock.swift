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

    /// What decides the times of presses and totals.
    var times: PressTimes {
        PressTimes(
            goals: goals, isSound: clock.isSound, isCompared: clock.isCompared,
            areDaysKnown: areDaysKnown)
    }

    /// Applies the time in an input.
    func applyTime(of input: Input, at reading: Moment) {
        switch input {
        case .receivedTime(let time):
            clock.trust.evaluate(time, at: reading)
            // Another answer tells which time is right.
            if clock.trust.isContested { refresh.doubt(at: reading.monotonic) }
        case .fetched(let answer): clock.trust.recordAnswer(to: answer)
        default: break
        }
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
            let unchecked = ledger.all.filter(\.awaitsTimeCheck)
            for entry in unchecked { checkTime(of: entry, now, &effects) }
        }
        return now
    }

    /// Whether sending must wait: the clock has not been compared with Beeminder's, or not all
    /// repaired times are durable.
    var mustNotSend: Bool {
        !clock.isSound || !clock.isCompared || commits.unwrittenTimes > 0
    }

    /// A press taken before the time was confirmed gets the right time of its press, if that
    /// differs and it was never sent. It is computed with the monotonic clock, which counts from
    /// the boot of the machine, and only once: that clock may stop while the machine sleeps.
    func checkTime(of entry: Ledger.Entry, _ now: Moment, _ effects: inout Effects) {
        guard clock.isConfirmed, entry.awaitsTimeCheck else { return }
        ledger.recordTimeCheck(entry.number)
        guard let at = repaired(entry, now) else { return }
        journal(.timed(of: entry.number, at: at), &effects)
    }

    /// The changed time of an event; nil when unchanged.
    private func repaired(_ entry: Ledger.Entry, _ now: Moment) -> UnixTime? {
        let event = entry.event
        guard !entry.awaitsTime, entry.recorded.at == nil, entry.attempts == 0 else { return nil }
        guard event.arrival.boot == clock.boot else { return notInFuture(event, now) }
        let received = event.receivedTime(at: now, boot: clock.boot)
        let shift = received.seconds - event.arrival.wall.seconds
        let isOff = abs(shift) > ClockTrust.toleranceSeconds
        guard isOff || event.timeSource == .device else { return nil }
        let at = event.repairedTime(at: now, boot: clock.boot)
        return at == entry.at ? nil : at
    }

    /// The same for an event of an earlier boot. The clock of that boot, or the device's, was wrong
    /// if the time is in the future.
    private func notInFuture(_ event: Event, _ now: Moment) -> UnixTime? {
        if event.arrival.wall > now.wall.adding(ClockTrust.toleranceSeconds) {
            let at = event.repairedTime(at: now, boot: clock.boot)
            return at == event.at ? nil : at
        }
        guard event.timeSource == .device, event.daystamp == nil,
            event.at > now.wall.adding(TimeRules.aheadSeconds)
        else { return nil }
        return event.arrival.wall
    }
}
