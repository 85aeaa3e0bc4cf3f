@testable import BeemedDomain

/// Nothing is sent before it is durable.
extension Simulation {
    /// A receipt of the journal covers every event that is sent, except those that a full disk has
    /// kept from being rewritten at the start: they are durable, but have no receipt.
    ///
    /// A relay is excused only if an earlier process could not sync, nobody was told that the event
    /// is kept, and no later sync tells that the event is not kept. That event may be lost with the
    /// next power cut, and its number given out again.
    mutating func checkDurable(_ outgoing: OutgoingDatapoint) {
        guard outgoing.number > journal.receipt.through else { return }
        promises.require(isObstructed, "\(outgoing.number) was sent before it was durable")
        guard let event = core.ledger[outgoing.number]?.event else { return }
        let generation = event.key.generation.map { "\"gen\":\"\($0)\"," } ?? ""
        let mark = "\"src\":\"\(event.key.device)\",\(generation)\"id\":\"\(event.key.id)\","
        if disk.holdsDurably(Array(mark.utf8)) { return }
        promises.require(
            disk.hasForgotten && promises.accepted[event.key] == nil,
            "\(outgoing.number) was sent, and was never durable")
        beeminder.pardoned.insert(outgoing.requestID)
        pardonedGoals.insert(outgoing.goal.description)
    }

    /// A start gives out numbers from this one on.
    mutating func forgive(from next: SequenceNumber) {
        for goal in pardonedGoals { beeminder.expect(next, for: goal) }
        pardonedGoals = []
    }
}

extension SimulatedDisk {
    /// Whether a journal's file has those bytes, also after a power cut.
    func holdsDurably(_ mark: [UInt8]) -> Bool {
        with { state in
            state.durableNames.contains { name, id in
                name.folder == .journal && state.files[id]?.holdsDurably(mark) ?? false
            }
        }
    }

    /// Whether a sync has failed whose bytes are still in memory only, and count as written.
    var hasForgotten: Bool { with { $0.files.values.contains { $0.hasForgotten } } }
}
