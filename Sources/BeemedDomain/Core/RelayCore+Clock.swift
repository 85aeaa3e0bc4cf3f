/// Beeminder's time against the relay's own.
extension RelayCore {
    /// What is known of the relay's clock.
    package func clockState(at reading: Moment) -> ClockState {
        clock.state(reading, isSound: isClockSound)
    }

    /// Takes what an input says of the time.
    ///
    /// - Returns: whether it is another time than the one that was known.
    mutating func hear(_ input: Input, at reading: Moment) -> Bool {
        switch input {
        case .heardTime(let time): return clock.hear(time, at: reading)
        case .fetched(let answer):
            clock.noteAnswer(to: answer)
            return false
        case .pressed(let press, _):
            guard case .timestamp(let time) = press.time else { return false }
            return clock.hear(press.device, said: time, at: reading)
        default: return false
        }
    }

    /// Judges the clock anew, which may have been set.
    ///
    /// - Returns: the same moment by the time that is right as far as anybody knows.
    mutating func judgeClock(_ reading: Moment) -> Moment {
        let wasClockSound = isClockSound
        isClockSound = clock.isSound(reading)
        isTimeKnown = clock.isKnown(reading)
        let mayBeSent = clock.mayBeSentBy(reading)
        if isClockChecked, !mayBeSent { refresh.askNow() }
        isClockChecked = mayBeSent
        let isWrong = clock.error(reading) != 0
        if isClockSound != wasClockSound || isWrong != isClockWrong { version += 1 }
        isClockWrong = isWrong
        return clock.corrected(reading)
    }

    /// Whether nothing may be sent yet: its time has not been compared with Beeminder's, or a
    /// repaired time is not on the disk.
    var mustNotSend: Bool {
        !isClockSound || !isClockChecked || unwrittenTimes > 0
            || deferred.contains { if case .timed = $0 { true } else { false } }
    }

    /// Beeminder has told the time, and it is another one than the relay's clock had said: what
    /// waits, and was never sent, gets the time at which it was made. The monotonic clock, which
    /// counts from the boot of the machine, tells that.
    mutating func repairPending(_ now: Moment, _ effects: inout [Effect]) {
        let numbers = ledger.all.filter { repaired($0, now) != nil }.map(\.number).sorted()
        for number in numbers { repair(number, now, &effects) }
    }

    /// The same for what was on its way to the disk when the time was learned, and is there now.
    mutating func repairOvertaken(_ now: Moment, _ effects: inout [Effect]) {
        guard !overtaken.isEmpty, isTimeKnown else { return }
        let numbers = overtaken
        overtaken = []
        for number in numbers { repair(number, now, &effects) }
    }

    private mutating func repair(
        _ number: SequenceNumber, _ now: Moment, _ effects: inout [Effect]
    ) {
        guard let entry = ledger[number], let at = repaired(entry, now) else { return }
        append(.timed(of: number, at: at), &effects)
    }

    /// The time of an event that has another one now; nil when it keeps its own.
    private func repaired(_ entry: Ledger.Entry, _ now: Moment) -> UnixTime? {
        let event = entry.event
        guard entry.progress == .pending, !entry.awaitsTime, entry.recorded.at == nil,
            entry.attempts == 0
        else { return nil }
        guard event.arrival.boot == boot else { return notInFuture(event, now) }
        let passed = now.monotonic.milliseconds - event.arrival.monotonic.milliseconds
        let received = now.wall.adding(-max(0, passed) / 1_000)
        let shift = received.seconds - event.arrival.wall.seconds
        let isOff = abs(shift) > ClockTrust.toleranceSeconds
        guard isOff || event.timeSource == .device else { return nil }
        let at = event.repairedTime(at: now, boot: boot)
        return at == entry.at ? nil : at
    }

    /// The same for what was accepted under an earlier boot. Its clock, or its device's, was wrong
    /// if that was in the future.
    private func notInFuture(_ event: Event, _ now: Moment) -> UnixTime? {
        if event.arrival.wall > now.wall.adding(ClockTrust.toleranceSeconds) {
            let at = event.repairedTime(at: now, boot: boot)
            return at == event.at ? nil : at
        }
        guard event.timeSource == .device, event.daystamp == nil,
            event.at > now.wall.adding(TimeRules.aheadSeconds)
        else { return nil }
        return event.arrival.wall
    }
}
