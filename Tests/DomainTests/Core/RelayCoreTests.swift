import Testing

@testable import BeemedDomain

/// The relay's decisions, press by press, without a disk: receipts are from a journal in memory.
struct RelayCoreTests {
    private static let created = Outcome.delivered(.created, datapoint: "d")

    // MARK: Custody

    @Test func `tells and sends nothing before the receipt`() throws {
        var bench = try CoreBench()
        let replyID = bench.press(.make("1"))
        expect(bench.replies.isEmpty)
        expect(bench.sent.isEmpty)
        expect(bench.state("1") == nil)
        try bench.commit()
        expect(bench.acceptance(replyID)?.isDuplicate, is: false)
        expect(bench.sent.map(\.requestID), is: ["button.1"])
        expect(bench.state("1"), is: .sending)
    }

    @Test func `answers the same event sent five times with one`() throws {
        var bench = try CoreBench()
        var tickets = (0..<3).map { _ in bench.press(.make("1")) }
        expect(bench.appended.count, is: 1)
        try bench.commit()
        tickets += (0..<2).map { _ in bench.press(.make("1")) }
        let answers = tickets.compactMap { bench.acceptance($0) }
        expect(answers.map(\.isDuplicate), is: [false, true, true, true, true])
        expect(Set(answers.map(\.number)), is: [1])
        expect(bench.sent.count, is: 1)
    }

    @Test func `answers a thousand devices with one id a thousand events`() throws {
        var bench = try CoreBench()
        for index in 0..<1_000 { bench.press(.make("1", device: "d\(index)")) }
        try bench.commit()
        expect(bench.core.knownEvents, is: 1_000)
        expect(bench.replies.count, is: 1_000)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var name: String
        var press: Press
        var isSame: Bool
        var testDescription: String { name }
    }

    static let changes: [Change] = [
        Change(name: "nothing", press: .make("1", value: 2, comment: "c"), isSame: true),
        Change(
            name: "its age", press: .make("1", value: 2, comment: "c", time: .age(seconds: 9)),
            isSame: true),
        Change(name: "its value", press: .make("1", value: 3, comment: "c"), isSame: false),
        Change(name: "its comment", press: .make("1", value: 2), isSame: false),
    ]

    @Test(arguments: changes)
    func `knows a press again that has changed`(_ change: Change) throws {
        for isCommitted in [true, false] {
            var bench = try CoreBench()
            bench.press(.make("1", value: 2, comment: "c"))
            if isCommitted { try bench.commit() }
            let replyID = bench.press(change.press)
            if !isCommitted { try bench.commit() }
            expect((bench.acceptance(replyID)?.isDuplicate == true) == change.isSame)
            if !change.isSame {
                guard case .refused(.conflict(let event))? = bench.replies[replyID]
                else { throw Unexpected("no conflict") }
                expect(event.value, is: 2)
            }
            expect(bench.sent.map(\.value), is: [2])
        }
    }

    @Test func `takes another timestamp under one id for another press`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1", time: .timestamp(UnixTime(1_759_999_000)))) }
        let same = bench.press(.make("1", time: .timestamp(UnixTime(1_759_999_000))))
        let other = bench.press(.make("1", time: .timestamp(UnixTime(1_759_999_001))))
        expect(bench.acceptance(same) != nil)
        expect(bench.acceptance(other) == nil)
    }

    @Test func `gives every press without an id its own`() throws {
        var bench = try CoreBench()
        for _ in 0..<500 { bench.press(.make(nil)) }
        try bench.commit()
        let keys = bench.replies.keys.compactMap { bench.acceptance($0)?.event.key }
        expect(Set(keys).count, is: 500)
    }

    @Test func `takes nothing as long as it never had an account, and then queues`() throws {
        var bench = try CoreBench()
        bench.apply(.disconnected)
        let replyID = bench.press(.make("1"))
        expect(bench.refusal(replyID), is: "notConnected")
        bench.apply(.connected(.named("alice")))
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unauthorized)
        expect(bench.core.view.sync, is: .online)
        // The first answer is to the question about the former token.
        for _ in 0..<2 { bench.apply(.fetched(.unauthorized)) }
        expect(bench.core.view.sync, is: .signInAgain)
        let later = try bench.commit { $0.press(.make("2")) }
        expect(bench.acceptance(later)?.state, is: .held)
    }

    @Test func `refuses a goal that is not there, and names the nearest`() throws {
        var bench = try CoreBench()
        bench.apply(.fetched(.goals([Goal(slug: .known("pushups"))], user: "alice")))
        let replyID = bench.press(.make("1", goal: "pushup"))
        bench.apply(.fetched(.goals([Goal(slug: .known("pushups"))], user: "alice")))
        guard case .refused(.unknownGoal(_, let suggestion))? = bench.replies[replyID]
        else { throw Unexpected("taken") }
        expect(suggestion?.description, is: "pushups")
        expect(bench.appended.isEmpty)
    }

    // MARK: A full disk

    @Test func `forgets what it could not keep, and keeps what comes after`() throws {
        var bench = try CoreBench()
        let lost = bench.press(.make("1"))
        let again = bench.press(.make("1"))
        bench.reject()
        expect(bench.isFull(lost) && bench.isFull(again))
        expect(bench.core.view.sync, is: .diskFull)
        expect(bench.core.knownEvents, is: 0)
        let replyID = try bench.commit { $0.press(.make("1")) }
        expect(bench.acceptance(replyID)?.isDuplicate, is: false)
        expect(bench.core.view.sync, is: .online)
    }

    /// A turn may number presses, hear that an earlier batch found no room, and number records
    /// again from there: written together they would have a gap, which ends the program.
    @Test func `records that were numbered before a rejection are forgotten`() throws {
        let bench = try CoreBench()
        var effects = Effects()
        bench.core.accept(.make("1"), ReplyID(1), at: bench.now, &effects)
        expect(effects.records.count == 1 && effects.isUrgent)
        bench.core.apply(.rejected(bench.rig.journal.receipt), at: bench.now, &effects)
        expect(effects.records.isEmpty && !effects.isUrgent)
    }

    @Test func `keeps what was durable before a batch found no room`() throws {
        var bench = try CoreBench()
        let kept = bench.press(.make("1"))
        let first = bench.appended
        bench.appended = []
        let lost = bench.press(.make("2"))
        _ = try bench.rig.journal.commit(first, live: bench.core.live)
        // The word about the first has not come yet.
        bench.reject()
        expect(bench.acceptance(kept)?.number, is: 1)
        expect(bench.isFull(lost))
        bench.press(.make("3"))
        expect(bench.appended.map(\.number), is: [2])
        try bench.commit()
    }

    @Test func `answers a repetition as kept that only waited behind a lost one`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        let first = bench.appended
        bench.appended = []
        bench.press(.make("2"))
        let repetition = bench.press(.make("1"))
        let receipt = try bench.rig.journal.commit(first, live: bench.core.live)
        bench.process(receipt)
        bench.reject()
        expect(bench.acceptance(repetition)?.isDuplicate, is: true)
    }

    @Test func `writes later what became of events while there was no room`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, RelayCoreTests.created)
        expect(bench.appended.count, is: 1)
        bench.reject()
        expect(bench.appended.isEmpty)
        bench.pass(seconds: 6)
        expect(bench.appended.count, is: 1)
        bench.reject()
        try bench.commit { $0.press(.make("2")) }
        expect(bench.appended.map(\.number), is: [3])
        try bench.commit()
        try bench.rig.reopen()
        expect(bench.rig.recovered.pendingIDs, is: ["2"])
    }

    @Test func `writes a refusal that found no room before the undo of its event`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        let refusal = Record.Fact.refused(of: 1, status: 422, why: "no", isInDoubt: false)
        bench.deliver(1, .refused(status: 422, why: "no"))
        expect(bench.appended.map(\.fact), is: [refusal])
        bench.reject()
        bench.command(.undo(EventKey(device: .known("button"), id: .known("1"))))
        expect(bench.appended.map(\.fact).first, is: refusal)
        expect(bench.appended.count, is: 2)
    }

    @Test func `does not take what became of an event for room for another`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.press(.make("2"))
        bench.reject()
        try bench.commit { $0.deliver(1, RelayCoreTests.created) }
        expect(bench.core.view.sync, is: .diskFull)
        bench.pass(seconds: 6)
        expect(bench.appended.map(\.fact), is: [.mark])
        bench.reject()
        expect(bench.core.view.sync, is: .diskFull)
        try bench.commit { $0.pass(seconds: 6) }
        expect(bench.core.view.sync, is: .online)
        bench.pass(seconds: 60)
        expect(bench.appended.isEmpty)
    }

    @Test func `takes no more of a device than its share, but those of others`() throws {
        var bench = try CoreBench(heldBytes: 1_700)
        let tickets = (1...4).map { bench.press(.make("\($0)")) }
        // It says so exactly when it refuses.
        expect(bench.core.view.crowdingDevices.map(\.description), is: ["button"])
        let last = bench.press(.make("5"))
        let other = try bench.commit { $0.press(.make("1", device: "watch")) }
        expect(tickets.allSatisfy { bench.acceptance($0) != nil })
        let isRefused = bench.isFull(last)
        expect(isRefused)
        expect(bench.acceptance(other) != nil)
        expect(bench.core.view.sync != .diskFull)
        bench.deliver(1, RelayCoreTests.created)
        bench.deliver(2, RelayCoreTests.created)
        expect(bench.core.view.crowdingDevices.isEmpty)
        let later = try bench.commit { $0.press(.make("7")) }
        expect(bench.acceptance(later) != nil)
    }

    @Test func `does not let a device inherit the share of another one that had its name`() throws {
        var bench = try CoreBench(heldBytes: 1_700)
        var press = Press.make()
        func send(_ id: Int, of generation: String) -> UInt64 {
            press.id = .known("\(id)")
            press.generation = DeviceGeneration(rawValue: generation)
            return bench.press(press)
        }
        let first = (1...5).map { send($0, of: "aaaaaa") }
        expect(bench.core.view.crowdingDevices.map(\.description), is: ["button-aaaaaa"])
        let second = send(1, of: "bbbbbb")
        try bench.commit()
        expect(bench.isFull(first[4]))
        expect(bench.acceptance(second) != nil)
    }

    @Test func `takes presses to other goals when one goal has refused too many`() throws {
        var bench = try CoreBench(heldBytes: 6_000)
        for id in 1...4 {
            try bench.commit { $0.press(.make("\(id)")) }
            bench.deliver(SequenceNumber(UInt64(2 * id - 1)), .refused(status: 422, why: "no"))
            try bench.commit()
        }
        expect(bench.core.view.crowdingGoals.map(\.description), is: ["pushups"])
        let more = bench.press(.make("5"))
        let other = try bench.commit { $0.press(.make("6", goal: "water")) }
        expect(bench.isFull(more))
        expect(bench.acceptance(other) != nil)
        bench.undo("1")
        try bench.commit { $0.undo("2") }
        expect(bench.core.view.crowdingGoals.isEmpty)
    }

    @Test func `knows and does not vouch for what was found on a disk that is full`() throws {
        let disk = SimulatedDisk()
        do {
            var bench = try CoreBench(disk: disk)
            try bench.commit { $0.press(.make("1")) }
        }
        disk.kill()
        disk.with { $0.isReadOnly = true }
        var bench = try CoreBench(disk: disk)
        expect(bench.core.view.sync, is: .diskFull)
        // It is delivered meanwhile.
        expect(bench.sent.map(\.requestID), is: ["button.1"])
        let early = bench.press(.make("1"))
        expect(bench.replies[early] == nil)
        bench.reject()
        expect(bench.isFull(early))
        expect(bench.core.knownEvents, is: 1)
        disk.with { $0.isReadOnly = false }
        let late = try bench.commit { $0.press(.make("1")) }
        expect(bench.acceptance(late)?.isDuplicate, is: true)
        expect(bench.acceptance(late)?.number, is: 1)
        expect(bench.core.view.sync, is: .online)
    }

    // MARK: Delivery

    @Test func `records what became of an event before it is forgotten`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .delivered(.duplicate, datapoint: nil))
        expect(bench.state("1"), is: .delivered)
        expect(bench.appended.map(\.fact), is: [.done(of: 1, how: .duplicate, datapoint: nil)])
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `shows a refusal, and goes on, only when it is on the disk`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        try bench.commit { $0.press(.make("2")) }
        bench.deliver(1, .refused(status: 422, why: "no"))
        expect(bench.state("1"), is: .queued)
        expect(bench.sent.count, is: 1)
        try bench.commit()
        expect(bench.state("1"), is: .refused)
        expect(bench.core.view.refusedEvents, is: 1)
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
    }

    @Test func `ignores what is said of events that are not under way`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(77, RelayCoreTests.created)
        bench.deliver(1, RelayCoreTests.created)
        bench.deliver(1, RelayCoreTests.created)
        expect(bench.appended.count, is: 1)
    }

    @Test func `grows its version with every change and not with time`() throws {
        var bench = try CoreBench()
        bench.apply(.fetched(.goals([], user: "alice")))
        let version = bench.core.version
        bench.pass(seconds: 100)
        expect(bench.core.version, is: version)
        try bench.commit { $0.press(.make("1")) }
        expect(bench.core.version, is: version)  // The goal is not there.
        bench.apply(.fetched(.goals([Goal(slug: .known("pushups"))], user: "alice")))
        expect(bench.core.version > version)
    }
}
