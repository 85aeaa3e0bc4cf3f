/// Comparison of the relay's clock with Beeminder's.
extension RelayCore {
    /// Names this boot of the machine.
    package var boot: String { clock.boot }

    /// The state of the relay's clock.
    package func clockState(at reading: Moment) -> ClockState {
        clock.trust.state(reading, isSound: clock.isSound)
    }

    /// Applies the time in an input.
    ///
    /// - Returns: whether the time differs from the time known before.
    func applyTime(of input: Input, at reading: Moment) -> Bool {
        switch input {
        case .receivedTime(let time):
            let isDifferent = clock.trust.evaluate(time, at: reading)
            // Another answer tells which time is right.
            if clock.trust.isContested { refresh.doubt(at: reading.monotonic) }
            return isDifferent
        case .fetched(let answer):
            clock.trust.recordAnswer(to: answer)
            return false
        default: return false
        }
    }

    /// Checks the clock again, which may have been set.
    ///
    /// - Parameter hasOtherTime: whether the input has changed the time.
    /// - Returns: the same moment by the best known time.
    func evaluateClock(
        _ reading: Moment, hasOtherTime: Bool = false, _ effects: inout Effects
    ) -> Moment {
        waits.now = reading.monotonic
        let before = (clock.isSound, clock.isWrong)
        let (wasCompared, wasKnown) = (clock.isCompared, clock.isKnown)
        let now = clock.evaluate(reading)
        if wasCompared, !clock.isCompared { refresh.askNow() }
        if before != (clock.isSound, clock.isWrong) { version += 1 }
        // The clock may have been set wrong and then right again, with presses in between.
        if hasOtherTime || clock.isKnown && !wasKnown {
            let durable = max(commits.receipt.through, commits.recovered)
            clock.learn(
                at: now.monotonic, ledger.numbers.filter { $0 <= durable })
            repairSome(now, &effects)
        }
        return now
    }

    /// Whether sending must wait: the clock has not been compared with Beeminder's, or not all
    /// repaired times are durable.
    var mustNotSend: Bool {
        !clock.isSound || !clock.isCompared || clock.review != nil || commits.unwrittenTimes > 0
    }

    /// Beeminder's time differs from the relay's clock: waiting events that were never sent get the
    /// right time of their press, computed with the monotonic clock, which counts from the boot of
    /// the machine. This looks at a slice of the events, at once and in each turn that follows.
    func repairSome(_ now: Moment, _ effects: inout Effects) {
        let repairs = clock.takeSlice().compactMap { number in
            ledger[number].flatMap { repaired($0, now) }.map { (number: number, at: $0) }
        }
        for repair in repairs.sorted(by: { $0.number < $1.number }) {
            journal(.timed(of: repair.number, at: repair.at), &effects)
        }
    }

    /// The same for events that were being written when the time was learned and are durable now.
    func repairOvertaken(_ now: Moment, _ effects: inout Effects) {
        for number in clock.takeOvertaken() {
            guard let entry = ledger[number], let at = repaired(entry, now) else { continue }
            journal(.timed(of: number, at: at), &effects)
        }
    }

    /// The changed time of an event; nil when unchanged.
    private func repaired(_ entry: Ledger.Entry, _ now: Moment) -> UnixTime? {
        let event = entry.event
        guard entry.progress == .pending, !entry.awaitsTime, entry.recorded.at == nil,
            entry.attempts == 0
        else { return nil }
        guard event.arrival.boot == clock.boot else { return notInFuture(event, now) }
        if clock.trust.wasRight(event.arrival) { return nil }
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
