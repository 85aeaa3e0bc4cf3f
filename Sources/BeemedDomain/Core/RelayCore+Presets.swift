/// What presets ask for: guards against one press too many, and presses that become one datapoint.
extension RelayCore {
    /// Decides as what a new event is accepted.
    mutating func judge(_ event: inout Event, _ rule: PressRule, _ now: Moment) {
        if let guarded = guarded(event, rule) {
            event = guarded
            if guarded.isProvisional {
                uses.add(next, of: rule.preset, at: event.at, isProvisional: true)
            }
            return
        }
        uses.add(next, of: rule.preset, at: event.at)
        let day = day(of: event.goal, around: event.at)
        guard let seconds = rule.mergeSeconds else { return }
        if let leader = merging.leader(for: event, rule, at: now.monotonic) {
            event = event.accepted(as: .merged(into: leader))
            merging.join(next, leader)
        } else if let before = merging.open(
            next, event, seconds: seconds, day: day, at: now.monotonic)
        {
            closeWindow(before)
        }
    }

    /// What was noted of an event is forgotten: it did not reach the disk, or was taken back.
    mutating func forget(_ event: Event, _ number: SequenceNumber) {
        if let preset = event.preset { uses.remove(number, of: preset) }
        if case .merged(let leader) = event.part {
            merging.leave(number, leader)
        } else if ledger[number]?.progress == .uncommitted {
            merging.dissolve(number)
        }
    }

    /// Takes over what the journal held of a preset's use.
    mutating func restoreUse(_ entry: Ledger.Entry) {
        guard let preset = entry.event.preset else { return }
        if !entry.fate.isLeftOut {
            let isProvisional = entry.awaitsJudgement
            uses.add(entry.number, of: preset, at: entry.at, isProvisional: isProvisional)
        }
        guard case .merged(let leader) = entry.event.part else { return }
        merging.join(entry.number, leader)
    }

    // MARK: One datapoint of many presses

    mutating func closeWindows(_ now: Moment) {
        for leader in merging.close(at: now.monotonic) { closeWindow(leader) }
    }

    private mutating func closeWindow(_ leader: SequenceNumber) {
        if let entry = ledger[leader], entry.isOpen { enqueue(entry) }
    }

    /// The presses of a leader's datapoint that count, its own among them.
    func members(of leader: Ledger.Entry) -> [Ledger.Entry] {
        let parts = merging.parts(of: leader.number).compactMap { ledger[$0] }.filter { part in
            if case .settled(.merged) = part.progress { true } else { false }
        }
        return (leader.fate.isLeftOut ? [] : [leader]) + parts
    }

    /// What Beeminder is told for an event: its own value, and those of its parts.
    func amount(of leader: Ledger.Entry) -> Double {
        members(of: leader).reduce(0) { $0 + $1.event.value }
    }

    /// A part may reach the disk when its leader is on its way already.
    mutating func joinLate(_ part: Ledger.Entry, _ effects: inout [Effect]) {
        guard case .merged(let leader) = part.event.part else { return }
        amend(leader, &effects)
    }

    /// The parts of a datapoint have changed. If Beeminder has it, it is sent again: under the same
    /// request id that replaces the value (Beeminder API reference, "requestid").
    mutating func amend(_ number: SequenceNumber, _ effects: inout [Effect]) {
        guard let leader = ledger[number] else { return }
        guard !members(of: leader).isEmpty else {
            merging.dissolve(number)
            guard leader.progress == .pending || leader.datapoint != nil || leader.mayBeThere else {
                return
            }
            return append(leader.mayBeThere ? .undo(of: number) : .undone(of: number), &effects)
        }
        guard leader.mayBeThere else { return }
        amended.insert(number)
        if !delivery.isInFlight(number, for: lane(of: leader)) { enqueue(leader) }
    }
}
