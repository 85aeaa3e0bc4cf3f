/// Accepting a press: is it known, may it be taken, and at last the receipt for its record.
extension RelayCore {
    /// - Parameters:
    ///   - now: when the press arrived.
    ///   - isGoalChecked: Beeminder was asked whether the goal exists, and has not denied it.
    func accept(
        _ press: Press, _ replyID: ReplyID, _ now: Moment, isGoalChecked: Bool,
        _ effects: inout Effects
    ) {
        if let id = press.id {
            switch find(id, of: press) {
            case .known(let entry): return repeated(entry, press, replyID, &effects)
            case .new(let other) where other != id:
                var press = press
                press.id = other
                return acceptNew(press, replyID, now, isGoalChecked: isGoalChecked, &effects)
            case .new: break
            }
        }
        acceptNew(press, replyID, now, isGoalChecked: isGoalChecked, &effects)
    }

    private func acceptNew(
        _ press: Press, _ replyID: ReplyID, _ now: Moment, isGoalChecked: Bool,
        _ effects: inout Effects
    ) {
        if delivery.remote == .notConnected {
            return effects.refuse(replyID, .notConnected)
        }
        // Most goals are known, and then the press is not copied.
        guard
            isGoalChecked || lookup.existence(of: press.goal, now) == .known
                || lookup.mayUse(press.goal, for: .press(press, now), replyID, now, &effects)
        else { return }
        do throws(Refusal) {
            var event = try consider(press, now) { core in
                EventID(
                    random: core.randomness.next(),
                    UInt16(truncatingIfNeeded: core.randomness.next()))
            }
            let number = commits.next
            if let options = press.presetOptions {
                let (accepted, replaced) = presetRules.evaluate(event, number, options, now)
                if let replaced { merging.scheduleLeader(replaced) }
                event = accepted
            }
            ledger.add(event, number)
            commits.wait(replyID, for: .newEvent, of: number, until: number)
            journal(.put(event), &effects)
        } catch {
            effects.refuse(replyID, error)
        }
    }

    /// Checks a new press to a usable goal, the same way for a press and for a dry run. Records
    /// nothing.
    ///
    /// - Parameter newID: returns the event's id if the device gives none.
    func consider(
        _ press: Press, _ now: Moment, newID: (RelayCore) -> EventID
    ) throws(Refusal) -> Event {
        if press.isValueImplied, areGoalsOwn, let goal = goals[goals.current(press.goal)],
            !goal.countsPresses
        {
            throw .needsValue(press.goal, why: goal.readingWords)
        }
        let time: AcceptedTime
        do throws(TimeFault) {
            let own = try PressTimes.timeOrAge(of: press, now, isSound: clock.isSound)
            // Without a day no goal matters.
            if let day = press.day {
                time = try times.accepted(own, of: press, on: day, now)
            } else {
                time = own
            }
        } catch { throw .unusableTime(error) }
        if let unit = TimeRules.unitOfTime(in: press, at: now.wall) { throw .timeAsValue(unit) }
        if let full = overflow(press.identity, press.goal) { throw full }
        // Most devices have no such press.
        if !discardQuota.isEmpty,
            let wait = discardQuota.wait(of: press.identity, at: now.monotonic)
        {
            throw .tooManyUnsent(press.identity.name, retryAfter: wait)
        }
        return press.event(
            press.id ?? newID(self), time, at: now, boot: boot, isSound: clock.isSound,
            isCompared: clock.isConfirmed)
    }

    /// The refusal if there is no free space for a new event, else nil. A device that sends more
    /// than its share, or a goal that refuses every event, must not use up the space of the others.
    @inline(__always)
    func overflow(_ device: DeviceIdentity, _ goal: GoalSlug) -> Refusal? {
        if !ledger.waitingBytes.allows(device) { return .tooManyWaiting(device.name) }
        if !hasRoom(forName: goal) { return .tooManyWaiting(device.name) }
        let goal = goals.current(goal)
        return ledger.refusedBytes.allows(goal) ? nil : .tooManyRefused(goal)
    }

    /// Whether presses to a goal can wait that is in no list, or while there is none: each name has
    /// a queue, and any may be sent.
    private func hasRoom(forName goal: GoalSlug) -> Bool {
        guard goals.isKnown else {
            return ledger.pendingByGoal.count < RelayCore.maxNames
                || ledger.pendingByGoal[goal] != nil
        }
        return questions.hasRoom(for: goal) || goals.holds(goals.current(goal))
    }

    /// The maximum number of goals with waiting presses while there is no list of goals.
    static let maxNames = 500

    /// The same id again. While the first press is being written, both requests wait for it.
    private func repeated(
        _ known: Ledger.Entry, _ press: Press, _ replyID: ReplyID, _ effects: inout Effects
    ) {
        guard isRepeated(known, by: press) else {
            return effects.refuse(replyID, .conflict(with: known.event))
        }
        guard let until = proof(of: known.number, &effects) else {
            return replyAccepted(known, replyID, isDuplicate: true, &effects)
        }
        commits.wait(replyID, for: .repetition, of: known.number, until: until)
    }

    /// Whether a press is a known one that comes again. A goal may have been renamed meanwhile, and
    /// an export says what is known of an event now: its newest value, repaired time and goal.
    func isRepeated(_ known: Ledger.Entry, by press: Press) -> Bool {
        var press = press
        let goal = goals.current(press.goal)
        if press.goal == known.event.goal || goals.goals(of: known).contains(goal) {
            press.goal = known.event.goal
        }
        if case .recorded(let time) = press.time {
            if press.value == known.value { press.value = known.event.value }
            if time == known.at { press.time = .recorded(known.event.at) }
        }
        return known.event.isRepeated(by: press)
    }

    /// The record whose receipt will show that this one is durable; nil when it already is.
    func proof(
        of record: SequenceNumber, _ effects: inout Effects
    ) -> SequenceNumber? {
        if record <= commits.receipt.through { return nil }
        guard record <= commits.recovered else { return record }
        // The recovered records become durable with the first record that can be written.
        defer { journal(.mark, &effects) }
        return commits.next
    }

    /// - Parameter isUrgent: false for a fact that is recorded already, and waits for the next
    ///   batch.
    func journal(
        _ fact: consuming Record.Fact, isUrgent: Bool = true, _ effects: inout Effects
    ) {
        let (record, isWaitedFor) = commits.makeRecord(of: fact)
        effects.write(record, isUrgent: isUrgent && isWaitedFor)
    }

    // MARK: Receipts from the journal

    func receive(_ receipt: Receipt, _ now: Moment, _ effects: inout Effects) {
        let wasFull = commits.isDiskFull
        guard commits.receive(receipt) else { return }
        if commits.isDiskFull != wasFull { version += 1 }
        while let step = commits.popStep() {
            switch step {
            case .written(let record): applyDurable(record, &effects)
            case .answer(let request):
                version += 1
                reply(to: request, now, &effects)
            }
        }
    }

    private func reply(
        to request: CommitTracker.Waiting, _ now: Moment, _ effects: inout Effects
    ) {
        let isNew = request.purpose == .newEvent
        guard let entry = isNew ? ledger.markDurable(request.number) : ledger[request.number] else {
            return effects.refuse(request.replyID, .unknownEvent)
        }
        if isNew {
            checkTime(of: entry, now, &effects)
            resume(entry)
            if let leader = entry.leader {
                // The datapoint may have waited for this press alone.
                discardQuota.add(entry.event, isMerged: true)
                schedule(leader)
            }
            if case .guarded = entry.progress { discardQuota.add(entry.event) }
        }
        switch request.purpose {
        case .newEvent where entry.event.isTotal:
            totals.reply(
                entry, .queued, value: entry.event.value, since: request.until, request.replyID,
                &effects)
        case .newEvent: replyAccepted(entry, request.replyID, isDuplicate: false, &effects)
        case .repetition: replyAccepted(entry, request.replyID, isDuplicate: true, &effects)
        case .command: effects.reply(request.replyID, .changed(view.shown(entry)))
        case .total(let state, let value):
            totals.reply(
                entry, state, value: value, since: request.until, request.replyID, &effects)
        }
    }

    /// A record takes effect only when it is durable.
    private func applyDurable(_ record: Record, _ effects: inout Effects) {
        switch record.fact {
        case .carried(let entry): return ledger.markStated(entry.number, at: record.number)
        case .user(let user):
            if account.applyDurable(user, at: record.number) { effects.emit(.forgetFormerUser) }
            return
        default: break
        }
        version += 1
        guard let number = record.of, let entry = ledger[number] else { return }
        let (progress, wasLeftOut) = (entry.progress, entry.recorded.isLeftOut)
        let awaitedTime = entry.awaitsTime
        ledger.apply(record)
        switch record.fact {
        case .put, .carried, .mark, .done, .user: break
        case .revise: if entry.progress != .erasing, entry.progress != .undone { schedule(entry) }
        case .evaluated:
            if entry.progress == .pending { resume(entry) }
            if entry.progress == .guarded { discardQuota.add(entry.event) }
        case .refused:
            delivery.release(number)
            guard entry.leader == nil else { return }
            windows.close(number)
            merging.followLeader(entry)
            schedule(entry)
        case .undo, .undone, .leftOut:
            commands.undoDidCommit(
                entry, after: progress, wasLeftOut: wasLeftOut, by: record.number, &effects)
        case .retry: retried(entry, &effects)
        case .cleared: schedule(entry)
        case .timed: if awaitedTime { resume(entry) }
        }
    }

    /// An event is sent again, possibly to another goal.
    private func retried(_ entry: Ledger.Entry, _ effects: inout Effects) {
        if !entry.recorded.leaving.isEmpty, reconciliation.formerGoals(of: entry).isEmpty {
            journal(.cleared(of: entry.number), &effects)
        }
        resume(entry)
        merging.followLeader(entry)
    }

    func replyAccepted(
        _ entry: Ledger.Entry, _ replyID: ReplyID, isDuplicate: Bool, _ effects: inout Effects
    ) {
        let acceptance = Acceptance(
            entry, state: view.state(of: entry), isDuplicate: isDuplicate,
            under: commits.receipt)
        effects.reply(replyID, .accepted(acceptance))
    }

    // MARK: No free space

    /// There was no free space: forgets records that were not confirmed to a client, keeps facts
    /// that have happened for later, and reuses the numbers.
    func withdraw(_ now: Moment, _ effects: inout Effects) {
        effects.dropRecords()
        let requests = commits.withdraw(at: now.monotonic)
        ledger.stopCarrying()
        version += 1
        for request in requests {
            if request.purpose == .repetition, request.number <= commits.receipt.through,
                let entry = ledger[request.number]
            {
                replyAccepted(entry, request.replyID, isDuplicate: true, &effects)
            } else {
                refuse(request)
                effects.refuse(request.replyID, .diskFull)
            }
        }
    }

    private func refuse(_ request: CommitTracker.Waiting) {
        switch request.purpose {
        case .repetition, .total: break
        case .newEvent:
            let leader = ledger[request.number]?.leader
            windows.close(request.number)
            ledger.withdraw(request.number)
            // The datapoint may have waited for this press alone.
            if let leader { schedule(leader) }
        case .command: schedule(request.number)
        }
    }

    /// Writes the facts that found no free space before.
    func writeDeferred(_ effects: inout Effects) {
        for fact in commits.takeDeferred() { journal(fact, &effects) }
    }
}

/// Ids that a device uses for several goals: each goal has its own press of that id, as at
/// Beeminder, whose request ids count within a goal.
extension RelayCore {
    /// The meaning of the id in a press.
    enum FoundID {
        /// This id of this device is in use for the press's goal.
        case known(Ledger.Entry)
        /// The press is a new one, and this is its id.
        case new(EventID)
    }

    /// Finds the event that a press's id names. A device's ids count within the goals that it
    /// names: an event that a person has moved to this press's goal is another press, but for an
    /// import, which names the goal where the event is.
    func find(_ id: EventID, of press: Press) -> FoundID {
        let plain = ledger[press.key(id)]
        if let plain, isOf(press, plain) { return .known(plain) }
        if let entry = sharing(id, of: press.identity, press.goal) { return .known(entry) }
        return .new(plain == nil ? id : id.within(press.goal))
    }

    /// The event whose id has this goal behind it, under any name of the goal.
    private func sharing(
        _ id: EventID, of device: DeviceIdentity, _ goal: GoalSlug
    ) -> Ledger.Entry? {
        for name in [goal] + goals.names(of: goal).compactMap(GoalSlug.init) {
            guard let entry = ledger[EventKey(device, id.within(name))] else { continue }
            if isTo(goal, entry) { return entry }
        }
        return nil
    }

    private func isOf(_ press: Press, _ entry: Ledger.Entry) -> Bool {
        if case .recorded = press.time { return isTo(press.goal, entry) }
        return press.goal == entry.event.goal
            || goals.current(entry.event.goal, in: entry.number) == goals.current(press.goal)
    }

    /// Whether an event was sent to that goal, or is now.
    private func isTo(_ goal: GoalSlug, _ entry: Ledger.Entry) -> Bool {
        goal == entry.event.goal || goals.goals(of: entry).contains(goals.current(goal))
    }

    /// The event of a device's id at a goal; nil if there is none.
    package func event(
        _ id: EventID, of device: DeviceIdentity, at goal: GoalSlug
    ) -> EventView? {
        let plain = ledger[EventKey(device, id)].flatMap { isTo(goal, $0) ? $0 : nil }
        guard let entry = plain ?? sharing(id, of: device, goal), entry.progress != .uncommitted
        else { return nil }
        return view.shown(entry)
    }
}
