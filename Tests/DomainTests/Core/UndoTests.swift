import Testing

@testable import BeemedDomain

/// Taking presses back and sending them again.
struct UndoTests {
    @Test func `never sends what was taken back before it was sent`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        let replyID = bench.undo("1")
        expect(bench.change(replyID) == nil)
        try bench.commit()
        expect(bench.change(replyID)?.state, is: .undone)
        expect(bench.sent.isEmpty)
        bench.pass(seconds: 60)
        expect(bench.sent.isEmpty && bench.deletions.isEmpty)
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `knows the id of what was taken back`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        try bench.commit { $0.undo("1") }
        let again = bench.press(.make("1"))
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        expect(bench.acceptance(again)?.state, is: .undone)
    }

    @Test func `deletes what Beeminder has`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, Outcome.created)
        bench.undo("1")
        expect(bench.deletions.isEmpty)
        try bench.commit()
        expect(bench.deletions.map(\.datapoint), is: ["d1"])
        expect(bench.view("1")?.isBeingErased, is: true)
        bench.erase(.unclear("status 500"))
        bench.pass(seconds: 10)
        expect(bench.deletions.count, is: 2)
        try bench.commit { $0.erase(.erased) }
        expect(bench.view("1")?.isBeingErased, is: false)
        expect(bench.core.erasingEvents, is: 0)
        expect(bench.sent.count, is: 1)
    }

    @Test func `a refused deletion holds up no other press, and is tried again`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.undo("1") }
        try bench.commit { $0.press(.make("2")) }
        bench.erase(.refused(status: 422, why: "no"))
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
        try bench.commit { $0.deliver($0.number("2"), Outcome.created) }
        for attempt in 2...4 {
            bench.pass(seconds: 1_000)
            expect(bench.deletions.count, is: attempt)
            bench.erase(.unchangeable("not found"))
        }
        expect(bench.core.view.eventFaults(at: bench.now).unchangeable, is: 0, "not yet")
        for _ in 0..<3 {
            bench.pass(seconds: 1_000)
            expect(bench.core.erasingEvents, is: 1)
            bench.erase(.unchangeable("not found"))
        }
        expect(bench.core.view.eventFaults(at: bench.now).unchangeable, is: 1)
        bench.apply(.flushRequested)
        try bench.commit { $0.erase(.erased) }
        expect(bench.core.erasingEvents, is: 0)
    }

    @Test(arguments: [Outcome.forbidden("Frozen"), .refused(status: 422, why: "Frozen")])
    func `a deletion that Beeminder refuses puts nothing else in doubt`(_ outcome: Outcome) throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.undo("1") }
        let fetches = bench.fetches
        bench.erase(outcome)
        expect(bench.core.view.barredGoals.isEmpty && bench.core.view.heldEvents == 0)
        expect(bench.fetches, is: fetches, "the account is not in doubt")
        expect(bench.view("1")?.lastError?.contains("Frozen"), is: true)
        try bench.commit { $0.press(.make("2")) }
        expect(bench.state("2"), is: .sending, "presses are taken")
        bench.deliver(bench.number("2"), Outcome.created)
        bench.pass(seconds: 1_000)
        expect(bench.deletions.count, is: 2)
        bench.erase(.unreachable("no answer"))
        expect(bench.core.view.eventFaults(at: bench.now).unchangeable, is: 0)
        bench.pass(seconds: 1_000)
        bench.erase(outcome)
        bench.pass(seconds: 1_000)
        try bench.commit { $0.erase(.erased) }
        bench.pass(seconds: 61)
        try bench.commit { $0.erase(.erased) }
        expect(
            bench.core.view.eventFaults(at: bench.now).unchangeable == 0
                && bench.core.erasingEvents == 0)
    }

    @Test func `a value that Beeminder refuses to lower holds up no other press`() throws {
        var bench = try CoreBench()
        let rule = PresetOptions(preset: try require(PresetName("glass")), mergeSeconds: 60)
        for id in ["1", "2"] { bench.press(.make(id, rule: rule)) }
        try bench.commit()
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.created) }
        try bench.commit { $0.undo("2") }
        try bench.commit { $0.press(.make("3")) }
        expect(bench.sent.map(\.value), is: [2, 1])
        bench.deliver(1, .refused(status: 422, why: "no"))
        expect(bench.sent.last?.requestID, is: "button.3")
    }

    @Test func `deletes what was on its way`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.isEmpty)
        bench.deliver(1, Outcome.created)
        expect(bench.deletions.map(\.datapoint), is: ["d1"])
    }

    @Test func `leaves an event as it is when its undoing finds no room`() throws {
        var bench = try CoreBench()
        bench.apply(.disconnected)
        bench.connect(.named("alice"))
        bench.press(.make("1"))
        try bench.commit { $0.press(.make("2")) }
        let replyID = bench.undo("2")
        bench.reject()
        expect(bench.isFull(replyID))
        bench.deliver(1, Outcome.created)
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
    }

    @Test func `does not send a refused event again because its undoing finds no room`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .refused(status: 422, why: "no"))
        let replyID = bench.undo("1")
        bench.reject()
        expect(bench.isFull(replyID))
        try bench.commit { $0.pass(seconds: 10) }
        expect(bench.state("1"), is: .refused)
        bench.pass(seconds: 10)
        try bench.commit { $0.undo("1") }
        expect(bench.state("1"), is: .undone)
        bench.pass(seconds: 10)
        expect(bench.sent.count, is: 1)
    }

    /// If not, the refusal would be of what was sent to the other goal, and the first one would
    /// wait for its record for ever.
    @Test func `writes what had no room before what a person wants of it now`() throws {
        var bench = try CoreBench()
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        bench.deliver(1, .refused(status: 422, why: "no"))
        bench.reject()
        try bench.commit { $0.retry("1", to: "water") }
        try bench.commit { $0.pass(seconds: 10) }
        expect(bench.sent.dropFirst().map(\.requestID).sorted(), is: ["button.1", "button.2"])
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.state("1"), is: .delivered)
    }

    @Test func `discards a refused event, and sends one again when asked`() throws {
        var bench = try CoreBench()
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        for number in [1, 2] as [SequenceNumber] {
            try bench.commit { $0.deliver(number, .refused(status: 422, why: "no")) }
        }
        expect(bench.core.view.refusedEvents, is: 2)
        bench.undo("1")
        let retry = try bench.commit { $0.retry("2", to: "water") }
        expect(bench.core.view.refusedEvents, is: 0)
        expect(bench.view("1")?.state, is: .undone)
        expect(bench.change(retry)?.goal.description, is: "water")
        expect(bench.sent.last?.goal.description, is: "water")
        expect(bench.sent.last?.requestID, is: "button.2")
        try bench.commit { $0.deliver(2, Outcome.created) }
        let late = bench.retry("2")
        guard case .refused(.notPossible(.delivered))? = bench.replies[late]
        else { throw Unexpected("a delivered event was sent again") }
    }

    @Test func `moves what was sent again, and does not leave it where it was as well`() throws {
        var bench = try CoreBench()
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        try bench.commit { $0.deliver(1, .refused(status: 422, why: "no")) }
        try bench.commit { $0.retry("1") }
        bench.deliver(2, .unclear("status 500"))
        try bench.commit { $0.retry("1", to: "water") }
        bench.pass(seconds: 600)
        for number in [1, 2] as [SequenceNumber] { bench.deliver(number, Outcome.created) }
        let goals = bench.sent.filter { $0.number == 1 }.map(\.goal.description)
        expect(goals, is: ["pushups", "water"])
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `the 404 of a goal that may have another name undoes nothing`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.undo("1") }
        try bench.commit { $0.erase(.noSuchGoal) }
        expect(bench.core.erasingEvents, is: 1, "there is no list")
        bench.learn([Goal(slug: .known("other"))])
        bench.pass(seconds: 1_000)
        try bench.commit { $0.erase(.noSuchGoal) }
        expect(bench.core.erasingEvents, is: 0)
    }

    @Test func `a changed datapoint is sent again when its undo finds no room`() throws {
        var bench = try CoreBench()
        bench.learn()
        let rule = PresetOptions(preset: .known("sips"), mergeSeconds: 60)
        for id in ["1", "2"] { bench.press(.make(id, rule: rule)) }
        try bench.commit()
        bench.pass(seconds: 61)
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.undo("2") }
        bench.deliver(1, .unreachable("down"))
        bench.undo("1")
        bench.pass(seconds: 400)
        expect(bench.sent.map(\.value), is: [2, 1], "nothing is sent before the undo is durable")
        bench.reject()
        bench.pass(seconds: 400)
        expect(bench.sent.map(\.value), is: [2, 1, 1])
    }

    /// A press without an answer is moved; the record of that is not durable yet.
    private func moveUnanswered(_ bench: inout CoreBench) throws {
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("reset"))
        bench.retry("1", to: "water")
    }

    @Test func `deletes what may have arrived before it is sent to another goal`() throws {
        var bench = try CoreBench()
        try moveUnanswered(&bench)
        try bench.commit()
        bench.pass(seconds: 10)
        expect(bench.deletions.map(\.goal.description), is: ["pushups"])
        bench.erase(.unclear("status 500"))
        // A restart knows what is left behind.
        try bench.restart()
        expect(bench.sent.isEmpty)
        expect(bench.deletions.map(\.goal.description), is: ["pushups"])
        expect(bench.deletions.map(\.requestID), is: ["button.1"])
        bench.erase(.erased)
        expect(bench.sent.map(\.goal.description), is: ["water"])
        try bench.commit { $0.deliver(1, Outcome.created) }
        bench.pass(seconds: 121)
        // Once more, for a request that Beeminder may have applied meanwhile.
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "pushups"])
        try bench.commit { $0.erase(.erased) }
        // The earlier process may have sent it there, too, and deleted it.
        expect(bench.sent.map(\.goal.description), is: ["water", "water"])
        try bench.commit { $0.deliver(1, .delivered(.duplicate, datapoint: "d1")) }
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "pushups", "water"])
    }

    @Test func `deletes what may have arrived at the first goal when it is moved twice`() throws {
        var bench = try CoreBench()
        try moveUnanswered(&bench)
        try bench.commit()
        bench.erase(.unclear("status 500"))
        try bench.commit { $0.retry("1", to: "read") }
        bench.pass(seconds: 10)
        expect(bench.deletions.map(\.goal.description), is: ["pushups", "pushups"])
        expect(bench.sent.count, is: 1)
    }

    @Test func `a moved press does not wait until its new goal derails`() throws {
        var bench = try CoreBench()
        let losedate = bench.now.wall.seconds + 100
        bench.learn([
            Goal(slug: .known("pushups")), Goal(slug: .known("water"), losedate: losedate),
        ])
        try moveUnanswered(&bench)
        try bench.commit()
        bench.pass(seconds: 5)
        bench.erase(.erased)
        expect(bench.sent.last?.goal.description, is: "water")
    }

    @Test func `deletes at the first goal what is taken back on the way`() throws {
        var bench = try CoreBench()
        try moveUnanswered(&bench)
        try bench.commit { $0.undo("1") }
        bench.retry("1", to: "water")
        try bench.commit { $0.undo("1") }
        bench.pass(seconds: 10)
        expect(bench.deletions.map(\.goal.description), is: ["pushups"])
        try bench.commit { $0.erase(.erased) }
        bench.pass(seconds: 10)
        expect(bench.sent.count == 1 && bench.deletions.count == 1)
        expect(bench.state("1"), is: .undone)
    }

    @Test func `an undo on its way to the disk is answered also when its event is surplus`() throws
    {
        var bench = try CoreBench(remembered: 1)
        try bench.commit { $0.press(.make("a")) }
        try bench.commit { $0.deliver($0.number("a"), Outcome.created) }
        try bench.commit { $0.press(.make("b")) }
        let reply = bench.undo("a")
        try bench.commit { $0.deliver($0.number("b"), Outcome.created) }
        expect(bench.change(reply) != nil && bench.deletions.count == 1)
    }

    @Test func `an undone press of a datapoint is sent by no retry, nor are the others moved`()
        throws
    {
        var bench = try CoreBench()
        bench.learn(["pushups", "run"].map { Goal(slug: .known($0)) })
        let rule = PresetOptions(preset: .known("glass"), mergeSeconds: 60)
        try bench.commit { for id in ["1", "2"] { $0.press(.make(id, rule: rule)) } }
        bench.pass(seconds: 60)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        for id in ["1", "2"] {
            try bench.commit { $0.undo("2") }
            if id == "1" { try bench.commit { $0.undo("1") } }
            let reply = bench.retry("2", to: "run")
            expect(bench.refusal(reply), is: "notPossible")
            expect(bench.view("1")?.goal, is: .known("pushups"))
        }
    }
}
