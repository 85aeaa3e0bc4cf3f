import Testing

@testable import BeemedDomain

/// The rule of the next step.
struct ReconciliationTests {
    /// The knowledge of events.
    private struct Known {
        private let core: RelayCore
        private var lastRecord: UInt64 = 100

        /// A durable event with this number.
        init(_ event: Event = .make()) throws {
            let rig = try JournalRig()
            core = RelayCore(rig.recovered, under: rig.receipt, boot: "b", seed: 1)
            ledger.add(event, 1)
            ledger.markDurable(1)
        }

        var ledger: Ledger { core.ledger }
        var windows: MergeWindows {
            get { core.windows }
            nonmutating set { core.windows = newValue }
        }
        var now: Monotonic {
            get { core.waits.now }
            nonmutating set { core.waits.now = newValue }
        }
        var reconciliation: Reconciliation { core.reconciliation }

        func entry(_ number: SequenceNumber = 1) throws -> Ledger.Entry {
            try require(ledger[number])
        }

        func step(_ number: SequenceNumber = 1) throws -> Reconciliation.NextStep {
            try reconciliation.nextStep(of: entry(number))
        }

        mutating func record(_ fact: Record.Fact) {
            lastRecord += 1
            ledger.apply(Record(SequenceNumber(lastRecord), fact))
        }

        /// A record that is not durable yet.
        func begin(_ fact: Record.Fact) {
            var effects = Effects()
            core.journal(fact, &effects)
        }

        /// There was no free space for it.
        func withdraw() { _ = core.commits.withdraw(at: now) }

        func send() { ledger[1]?.recordAttempt(at: UnixTime(0), isDeletion: false) }

        /// A request without an answer, and then one that is confirmed at once.
        mutating func ask(
            _ goal: String, _ unanswered: Placement.Content?, then confirmed: Placement.Content?
        ) {
            var placement = Placement.unknown
            placement.recordUnanswered(unanswered, at: now)
            placement.confirm(confirmed, sent: now)
            ledger[1]?.observations.placements[.known(goal)] = placement
        }
    }

    private func request(
        _ goal: String = "pushups", by record: SequenceNumber = 1, deletes: Bool = false
    ) -> Reconciliation.NextStep {
        .request(
            Reconciliation.EventRequest(
                goal: .known(goal), goalInRecord: .known(goal), namedBy: record, deletes: deletes))
    }

    private let one = Placement.Content(value: 1, comment: "")
    private let lateEnd = Monotonic(milliseconds: 120_000)

    @Test func `what is durable is sent to its goal, once`() throws {
        var known = try Known()
        known.ledger.add(.make("2"), 2)
        try expect(known.step(), is: request())
        try expect(known.step(2), is: .rest)
        known.begin(.undo(of: 1))
        try expect(known.step(), is: .rest, "a command is on its way to the disk")
        known.withdraw()
        known.record(.done(of: 1, how: .created, datapoint: nil))
        try expect(known.step(), is: .rest)
    }

    @Test func `several presses wait for their window, and for the last of them`() throws {
        let known = try Known()
        let event = Event(
            key: EventKey(device: .known("button"), id: .known("2")), goal: .known("pushups"),
            value: 2, comment: "", at: UnixTime(0), timeSource: .receipt,
            arrival: Event.Arrival(wall: UnixTime(0), monotonic: known.now, boot: "b"),
            rare: RareFields(preset: .known("glass")))
        _ = known.windows.open(
            1, event, day: UnixTime(0)..<UnixTime(86_400), until: Monotonic(milliseconds: 60_000))
        try expect(known.step(), is: .wait(.window))
        let leader = known.windows.join(event, seconds: 60, at: known.now)
        expect(leader, is: 1)
        known.ledger.add(event.accepted(as: .merged(into: 1)), 2)
        expect(known.windows.close(at: Monotonic(milliseconds: 60_000)), is: [1])
        try expect(known.step(), is: .wait(.window))
        known.ledger.markDurable(2)
        try expect(known.step(), is: request())
        try expect(known.step(2), is: .rest, "a part is sent with its leader")
        try expect(known.reconciliation.amount(of: known.entry()), is: 3)
    }

    @Test func `what was undone is deleted, and once more when no request can come late`() throws {
        var known = try Known()
        known.send()
        known.record(.undo(of: 1))
        try expect(known.step(), is: request(deletes: true))
        known.ask("pushups", one, then: nil)
        try expect(known.step(), is: .wait(.time(lateEnd)))
        try expect(known.reconciliation.recordOfDeletion(known.entry()) == nil)
        known.now = lateEnd
        try expect(known.step(), is: request(deletes: true))
        known.ask("pushups", nil, then: nil)
        try expect(known.step(), is: .rest)
        let fact = try known.reconciliation.recordOfDeletion(known.entry())
        expect(fact, is: .undone(of: 1))
    }

    @Test func `a move deletes before it sends, and does not wait for late requests`() throws {
        var known = try Known()
        known.send()
        known.record(.retry(of: 1, goal: .known("run"), leaving: .known("pushups")))
        try expect(known.step(), is: request(by: 101, deletes: true))
        known.ask("pushups", one, then: nil)
        try expect(known.step(), is: request("run", by: 101))
        try expect(known.reconciliation.recordOfDeletion(known.entry()) == nil)
        known.ask("pushups", nil, then: nil)
        let fact = try known.reconciliation.recordOfDeletion(known.entry())
        expect(fact, is: .cleared(of: 1))
    }

    @Test func `the values of a day rest between two requests`() throws {
        let known = try Known(.make(rule: .known("steps")))
        try expect(known.step(), is: request())
        known.ledger[1]?.observations.restEnd = Monotonic(milliseconds: 60_000)
        try expect(known.step(), is: .wait(.time(Monotonic(milliseconds: 60_000))))
        known.ledger[1]?.observations.restEnd = nil
        try expect(known.step(), is: request())
    }
}
