import Testing

@testable import BeemedDomain

/// Reports to people about attempts, replaced datapoints and stalled queues.
struct DeliveryAlarmTests {
    // MARK: Attempts

    @Test func `an outage without end writes nothing down, and a restart counts anew`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        for attempt in 1...3_000 {
            bench.deliver(1, attempt % 2 == 0 ? .unclear("status 502") : .unreachable("no answer"))
            expect(bench.appended.count, is: 0)
            bench.pass(seconds: 400)
        }
        expect(bench.view("1")?.attempts ?? 0 > 3_000)
        expect(bench.view("1")?.lastError, is: "status 502")
        try bench.restart()
        // The first attempt of the new process is under way.
        expect(bench.view("1")?.attempts, is: 1)
        // The datapoint may have arrived, so an undo has to ask Beeminder.
        expect(bench.core.ledger[1]?.mayBeThere, is: true)
    }

    @Test func `tells of errors when presses have waited for half a minute`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        func error() -> String? { bench.core.view.deliveryError(at: bench.now) }
        bench.deliver(1, .unclear("status 503"))
        expect(error() == nil && bench.core.view.snapshot(at: bench.now).deliveryError == nil)
        bench.pass(seconds: 31)
        expect(error(), is: "status 503")
        expect(bench.core.view.snapshot(at: bench.now).deliveryError, is: "status 503")
        expect(bench.core.view.sync, is: .online)
        bench.pass(seconds: 400)
        bench.deliver(1, .busy(retryAfter: nil))
        expect(error(), is: "it asks to wait")
        bench.pass(seconds: 400)
        bench.deliver(1, .unreachable("no route"))
        expect(error() == nil && bench.core.view.sync == .offline)
        bench.pass(seconds: 400)
        bench.deliver(1, .delivered(.created, datapoint: "d1"))
        expect(error() == nil)
    }

    @Test func `a press that is sent again says nothing of the errors before`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1", goal: "nosuch")) }
        try bench.commit { $0.deliver(1, .noSuchGoal) }
        expect(bench.view("1")?.lastError != nil)
        try bench.commit { $0.retry("1", to: "water") }
        expect(bench.view("1")?.lastError == nil)
    }

    @Test func `counts what waits for a person, and what is to be deleted`() throws {
        var bench = try CoreBench()
        bench.press(.make("1", goal: "nosuch"))
        try bench.commit { $0.press(.make("2")) }
        expect(bench.core.view.heldEvents, is: 0)
        bench.deliver(1, .noSuchGoal)
        try bench.commit { $0.deliver(2, .delivered(.created, datapoint: "d1")) }
        expect(bench.core.view.heldEvents == 1 && bench.core.view.waitingDeletions == 0)
        expect(bench.core.view.snapshot(at: bench.now).held, is: 1)
        try bench.commit { $0.undo("2") }
        expect(bench.core.view.waitingDeletions == 1 && bench.core.view.pendingEvents == 1)
        bench.connect(.named("alice"))
        expect(bench.core.view.heldEvents, is: 1)
    }

    @Test func `is offline when Beeminder was out of reach since the start`() throws {
        var bench = try CoreBench(asksUpstreamTime: true)
        try bench.commit { $0.press(.make("1")) }
        bench.apply(.fetched(.unreachable("no route", isTimeout: false)))
        expect(bench.core.view.sync, is: .offline)
        bench.pass(seconds: 700)
        expect(!bench.core.view.isStalled(at: bench.now), "a restart would not help")
    }

    @Test func `is not stalled when a press comes after long quiet, before its request begins`()
        throws
    {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        bench.now.monotonic = bench.now.monotonic.adding(seconds: 1_200)
        bench.now.wall = bench.now.wall.adding(1_200)
        bench.press(.make("2"))
        // The context is told to those who wait for it, in between.
        try bench.commitBeforeFollowUp()
        expect(!bench.core.view.isStalled(at: bench.now))
    }

    // MARK: Replaced datapoints

    @Test func `takes "updated" at the first attempt for somebody else's datapoint`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.deliver(1, Outcome.updated) }
        expect(bench.view("1")?.settlement, is: .delivered(.overwritten, datapoint: "d1"))
        expect(bench.core.view.eventFaults(at: bench.now).overwritten, is: 1)
        try bench.restart()
        expect(bench.view("1")?.settlement, is: .delivered(.overwritten, datapoint: "d1"))
        expect(bench.core.view.eventFaults(at: bench.now).overwritten, is: 1)
        bench.pass(seconds: 8 * 86_400)
        expect(bench.core.view.eventFaults(at: bench.now).overwritten, is: 0)
    }

    @Test func `believes "updated" after an attempt that may have arrived`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        try bench.commit { $0.press(.make("2", goal: "water")) }
        bench.deliver(1, .unreachable("no answer"))
        bench.pass(seconds: 10)
        try bench.commit { $0.deliver(1, Outcome.updated) }
        expect(bench.view("1")?.settlement, is: .delivered(.updated, datapoint: "d1"))
        // It may have been sent before the restart.
        try bench.restart()
        try bench.commit { $0.deliver(2, Outcome.updated) }
        expect(bench.view("2")?.settlement, is: .delivered(.updated, datapoint: "d1"))
        expect(bench.core.view.eventFaults(at: bench.now).overwritten, is: 0)
    }

    @Test func `does not take the word for its own finding from Beeminder`() {
        expect(Delivered(said: "overwritten") == nil)
        expect(Delivered(said: "updated"), is: .updated)
    }

    @Test func `reports a press that always fails alone while Beeminder answers others`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("1")) }
        for attempt in 1...7 {
            expect(bench.core.view.failingEvents, is: (attempt > 6 ? 1 : 0), "\(attempt)")
            bench.deliver(1, .unclear("status 500"))
            if attempt == 5 { expect(bench.fetches > 1, "does Beeminder answer at all?") }
            try bench.commit { $0.learn() }
            bench.pass(seconds: 301)
        }
        bench.apply(.fetched(.unclear("status 500")))
        expect(bench.core.view.failingEvents, is: 0, "Beeminder answers nothing")
        bench.learn()
        expect(bench.core.view.failingEvents, is: 1)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.core.view.failingEvents, is: 0)
    }

    // MARK: A queue that stands

    @Test func `calls a queue stalled that could move and has not for ten minutes`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        expect(!bench.core.view.isStalled(at: bench.now))
        // Its request is never answered and never given up.
        bench.now.monotonic = bench.now.monotonic.adding(seconds: 599)
        expect(!bench.core.view.isStalled(at: bench.now))
        bench.now.monotonic = bench.now.monotonic.adding(seconds: 2)
        expect(bench.core.view.isStalled(at: bench.now))
        bench.deliver(1, .delivered(.created, datapoint: "d1"))
        expect(!bench.core.view.isStalled(at: bench.now))
    }

    @Test func `does not call stalled what has become durable a moment ago`() throws {
        var bench = try CoreBench()
        bench.apply(.woke)
        bench.now.monotonic = bench.now.monotonic.adding(seconds: 3_000)
        bench.press(.make("1"))
        try bench.commitBeforeFollowUp()
        expect(!bench.core.view.isStalled(at: bench.now))
    }

    @Test(arguments: [
        Outcome.unauthorized, .noSuchGoal, .misdirected("302"), .unclear("status 500"),
        .busy(retryAfter: 3_600),
    ])
    func `calls nothing stalled that waits for a reason`(_ outcome: Outcome) throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, outcome)
        bench.now.monotonic = bench.now.monotonic.adding(seconds: 3_000)
        expect(!bench.core.view.isStalled(at: bench.now))
    }

    @Test func `a repaired time without room on the disk is no stall`() throws {
        var bench = try CoreBench(asksUpstreamTime: true)
        try bench.commit { $0.press(.make("a")) }
        let time = UnixTime(bench.now.wall.seconds + 3_600)
        for _ in 0..<2 {
            bench.apply(.receivedTime(UpstreamTime(time, at: bench.now.monotonic)))
        }
        for _ in 0..<70 {
            bench.reject()
            bench.pass(seconds: 10)
        }
        expect(bench.core.view.isDiskFull && !bench.core.view.isStalled(at: bench.now))
    }
}
