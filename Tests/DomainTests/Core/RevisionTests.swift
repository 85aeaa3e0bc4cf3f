import Testing

@testable import BeemedDomain

/// Totals of days: one datapoint each, with the newest value.
struct RevisionTests {
    private static let walk = DayTotal.make(0)

    // MARK: Sending

    @Test func `a total is sent as the day of its samples, under an id of rule and day`() throws {
        var bench = try CoreBench()
        let replyID = bench.total(.make(8_123))
        expect(bench.word(replyID) == nil, "not before it is durable")
        try bench.commit()
        expect(bench.word(replyID), is: "queued")
        expect(bench.sent.map(\.requestID), is: ["health.walk-20251009"])
        expect(bench.sent.map(\.daystamp), is: [CoreBench.today])
        expect(bench.sent.map(\.value), is: [8_123])
    }

    @Test func `a value that becomes durable sends nothing whose undo is on its way`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        bench.deliver(1, .unreachable("down"))
        bench.total(.make(200))
        bench.undo(RevisionTests.walk)
        let first = try bench.rig.journal.commit(
            bench.appended.prefix(1), live: bench.core.live)
        bench.appended.removeFirst()
        bench.process(first)
        for _ in 0..<10 { bench.pass(seconds: 100) }
        expect(bench.sent.map(\.value), is: [100])
        try bench.commit()
        bench.pass(seconds: 100)
        expect(bench.deletions.count == 1 && bench.sent.count == 1)
    }

    @Test func `a growing total is sent once a minute, and its last value arrives`() throws {
        var bench = try CoreBench.delivered()
        for value in stride(from: 110.0, through: 200, by: 10) {
            try expect(bench.said(note: value), is: "queued")
            bench.pass(seconds: 5)
        }
        expect(bench.sent.map(\.value), is: [100], "50 seconds have passed")
        bench.pass(seconds: 10)
        expect(bench.sent.map(\.value), is: [100, 200])
        try bench.commit { $0.deliver(1, Outcome.updated) }
        bench.pass(seconds: 4_000)
        expect(bench.sent.count, is: 2)
        expect(bench.view(RevisionTests.walk)?.state, is: .delivered)
        expect(bench.core.view.eventFaults(at: bench.now).overwritten, is: 0)
    }

    @Test func `a day of posts every five minutes is one datapoint with the last value`() throws {
        var bench = try CoreBench()
        var (steps, changes) = (0.0, 0)
        for post in 0..<288 {
            // From seven to eleven, in two of three posts.
            if (84..<276).contains(post), post % 3 > 0 {
                steps += 57
                changes += 1
            }
            try bench.record(steps)
            if let last = bench.sent.last, bench.core.isSending {
                let how: Delivered = bench.sent.count == 1 ? .created : .updated
                try bench.commit { $0.deliver(last.number, .delivered(how, datapoint: "d1")) }
            }
            bench.pass(seconds: 300)
        }
        expect(Set(bench.sent.map(\.requestID)), is: ["health.walk-20251009"])
        expect(bench.sent.last?.value, is: steps)
        expect(bench.sent.count, is: changes + 1, "\(changes) changes of 288 posts")
        try bench.restart()
        expect(bench.sent.isEmpty)
        expect(bench.view(RevisionTests.walk)?.value, is: steps)
    }

    @Test func `an unchanged total is neither written nor sent`() throws {
        var bench = try CoreBench.delivered()
        bench.pass(seconds: 100)
        expect(bench.said(.make(100)), is: "unchanged")
        expect(bench.appended.isEmpty)
        expect(bench.sent.count, is: 1)
    }

    @Test func `the same total again waits until the first is durable`() throws {
        var bench = try CoreBench()
        let replies = [100.0, 100, 110, 110].map { bench.total(.make($0)) }
        expect(bench.replies.isEmpty)
        try bench.commit()
        expect(replies.map(bench.word), is: ["queued", "unchanged", "queued", "unchanged"])
        expect(bench.sent.map(\.value), is: [110])
    }

    @Test func `a correction downwards arrives, and with a floor it does not`() throws {
        var bench = try CoreBench.delivered()
        bench.pass(seconds: 100)
        expect(bench.said(.make(40, hasFloor: true)), is: "floor")
        expect(bench.appended.isEmpty)
        try expect(bench.said(note: 40), is: "queued")
        expect(bench.sent.map(\.value), is: [100, 40])
    }

    @Test func `a value that comes while the former is on its way follows it`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        try bench.record(120)
        bench.deliver(1, Outcome.created)
        expect(bench.view(RevisionTests.walk)?.state, is: .queued)
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `a datapoint without an answer is sent again with the newest value`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        bench.deliver(1, .unreachable("lost"))
        try bench.record(120)
        bench.pass(seconds: 30)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `before its goal derails a value waits ten seconds only`() throws {
        var bench = try CoreBench()
        let losedate = bench.now.wall.seconds + 800
        try bench.commit { $0.learn([Goal(slug: .known("pushups"), losedate: losedate)]) }
        try bench.record(100)
        bench.deliver(1, Outcome.created)
        try bench.record(120)
        bench.pass(seconds: 11)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `a flush sends the newest value at once`() throws {
        var bench = try CoreBench.delivered()
        try bench.record(120)
        expect(bench.sent.map(\.value), is: [100])
        bench.apply(.flushRequested)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `today shows the newest value`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.learn() }
        try bench.record(100)
        try bench.record(120)
        expect(bench.core.view.snapshot(at: bench.now).goals.map(\.today), is: [120])
        expect(bench.core.view.dailyValues(days: 1, at: bench.now)[.known("pushups")], is: [120])
        expect(bench.view(RevisionTests.walk)?.value, is: 120)
    }

    // MARK: Restarts

    @Test func `a revision that was not sent is sent after a restart, once`() throws {
        var bench = try CoreBench.delivered()
        try bench.record(120)
        try bench.restart()
        expect(bench.sent.map(\.value), is: [120])
        bench.deliver(1, Outcome.updated)
        bench.pass(seconds: 121)
        // Once more: a request of the earlier process may have come after it.
        expect(bench.sent.map(\.value), is: [120, 120])
        try bench.commit { $0.deliver(1, Outcome.updated) }
        try bench.restart()
        expect(bench.sent.isEmpty)
        expect(bench.view(RevisionTests.walk)?.value, is: 120)
        expect(bench.said(.make(120)), is: "unchanged")
    }

    @Test func `a day whose newest value was not sent is not forgotten`() throws {
        var bench = try CoreBench.delivered()
        try bench.record(120)
        try bench.restart(remembered: 0)
        expect(bench.view(RevisionTests.walk) != nil)
        bench.deliver(1, Outcome.updated)
        bench.pass(seconds: 121)
        expect(bench.view(RevisionTests.walk) != nil)
        bench.deliver(1, Outcome.updated)
        bench.pass(seconds: 1)
        expect(bench.view(RevisionTests.walk) == nil)
    }

    // MARK: Undo

    @Test func `an undone day stays undone until a retry, and then counts again`() throws {
        var bench = try CoreBench.delivered()
        bench.undo(RevisionTests.walk)
        expect(bench.said(.make(120)), is: "undone", "also before it is durable")
        try bench.commit()
        try bench.commit { $0.erase(.erased) }
        expect(bench.said(.make(130)), is: "undone")
        expect(bench.appended.isEmpty)
        try bench.commit { $0.retry(RevisionTests.walk) }
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 100])
        try bench.commit { $0.deliver(1, Outcome.created) }
        try expect(bench.said(note: 130), is: "queued")
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 100, 130])
    }

    @Test func `an undo is kept over a restart`() throws {
        var bench = try CoreBench.delivered()
        try bench.commit { $0.undo(RevisionTests.walk) }
        try bench.restart()
        expect(bench.deletions.count, is: 1)
        expect(bench.said(.make(120)), is: "undone")
    }

    // MARK: Refusals

    @Test func `a refused value is shown, and the next one is tried`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        expect(bench.view(RevisionTests.walk)?.state, is: .refused)
        try bench.record(120)
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 120])
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.view(RevisionTests.walk)?.state, is: .delivered)
    }

    @Test(arguments: [true, false])
    func `a refusal of an earlier value does not refuse the newest`(_ isDurable: Bool) throws {
        var bench = try CoreBench()
        try bench.record(100)
        bench.total(.make(120))
        if isDurable { try bench.commit() }
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        expect(bench.view(RevisionTests.walk)?.state, is: .queued)
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `a refused revision of a delivered day does not hold up its goal`() throws {
        var bench = try CoreBench.refused()
        try bench.commit { $0.press(.make("1")) }
        expect(bench.sent.map(\.value), is: [100, 120, 1])
        let view = try require(bench.view(RevisionTests.walk))
        expect(view.settlement, is: .refused(status: 422, why: "no"))
        expect(view.arrival?.datapoint, is: "d1", "the earlier value is there")
        expect(bench.core.view.refusedEvents, is: 1)
        try bench.record(130)
        expect(bench.core.view.refusedEvents == 0 && bench.core.view.pendingEvents == 2)
        bench.deliver(bench.number("1"), Outcome.created)
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 120, 1, 130])
    }

    @Test func `an undo of a refused value deletes the one that may have arrived before`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        bench.deliver(1, .unreachable("lost"))
        try bench.record(120)
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        try bench.commit { $0.undo(RevisionTests.walk) }
        expect(bench.deletions.count, is: 1)
    }

    @Test func `a refused new value is so after a restart, and a retry sends it`() throws {
        var bench = try CoreBench.refused()
        func counts() throws -> Bool? {
            let at = try require(bench.core.ledger[RevisionTests.walk.key]?.at)
            let logged = bench.core.days.logged([.known("pushups"): [at, at.adding(1)]])
            return logged[.known("pushups")]?.days.first?.isDone
        }
        try expect(counts(), is: true)
        try bench.restart()
        try expect(counts(), is: true)
        expect(bench.view(RevisionTests.walk)?.settlement, is: .refused(status: 422, why: "no"))
        expect(bench.sent.isEmpty)
        try bench.commit { $0.retry(RevisionTests.walk) }
        expect(bench.view(RevisionTests.walk)?.arrival?.datapoint, is: "d1")
        bench.pass(seconds: 1)
        expect(bench.sent.map(\.value), is: [120])
    }

    @Test func `a refused new value that is moved is deleted where its day was`() throws {
        var bench = try CoreBench.refused()
        try bench.commit { $0.retry(RevisionTests.walk, to: "run") }
        expect(bench.deletions.map(\.goal.description), is: ["pushups"])
        try bench.commit { $0.erase(.erased) }
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value).last, is: 120)
        expect(bench.sent.map(\.goal.description).last, is: "run")
    }

    // MARK: Totals that are not accepted

    @Test(arguments: [-36, -35, 0, 1, 2] as [Int64])
    func `days from 35 back to one ahead count`(_ offset: Int64) throws {
        var bench = try CoreBench()
        let replyID = bench.total(.make(1, day: CoreBench.today.adding(days: offset)))
        try bench.commit()
        expect(bench.word(replyID), is: ((-35...1).contains(offset) ? "queued" : "day"))
    }

    @Test func `a press with the id of a day is a conflict`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        let press = bench.press(
            .make("walk-20251009", device: "health", value: 120))
        expect(bench.refusal(press), is: "conflict")
    }

    @Test func `a full disk takes no revision, and the same total counts later`() throws {
        var bench = try CoreBench.delivered()
        let replyID = bench.total(.make(120))
        bench.reject()
        expect(bench.isFull(replyID))
        expect(bench.view(RevisionTests.walk)?.value, is: 100)
        try expect(bench.said(note: 120), is: "queued")
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [100, 120])
    }

    @Test func `a total needs an account and a known goal`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.learn() }
        expect(bench.said(.make(1, goal: "nope")), is: "unknown_goal")
        bench.apply(.disconnected)
        let replyID = bench.total(.make(1))
        expect(bench.refusal(replyID), is: "notConnected")
    }

    @Test func `a rehearsed total says what a real one would, and records nothing`() throws {
        var bench = try CoreBench.delivered()
        for (value, word) in [(100, "unchanged"), (120, "queued")] as [(Double, String)] {
            guard case .total(let answer) = bench.core.totals.rehearse(.make(value), at: bench.now)
            else { throw Unexpected("a refusal") }
            expect(answer.state.word, is: word)
            expect(answer.value, is: value)
        }
        expect(bench.said(.make(120)) == nil, "it still has to be written")
    }

    // MARK: Older copies

    @Test func `an older copy of the folder lowers no total that is done`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.record(5_000)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        let older = bench.rig.disk.copy()
        try bench.record(9_000)
        bench.pass(seconds: 1_000)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.sent.last?.value, is: 9_000)
        var restored = try CoreBench(disk: older)
        restored.learn()
        try restored.record(5_200)
        restored.pass(seconds: 1_000)
        expect(restored.sent.map { $0.greatest != nil }, is: [true])
        restored.deliver(1, .delivered(.greater, datapoint: "d1"))
        // Once more: a request of the earlier process may have come after it.
        expect(restored.sent.map { $0.greatest != nil }, is: [true, true])
        try restored.commit { $0.deliver(1, .delivered(.greater, datapoint: "d1")) }
        expect(restored.core.view.eventFaults(at: restored.now).greater, is: 1)
        // Beeminder's value is known from here on.
        try restored.record(9_500)
        restored.pass(seconds: 100)
        expect(restored.sent.map { $0.greatest != nil }, is: [true, true, false])
    }

    @Test func `an older copy in which a total falls lowers none that it does not know`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.record(300)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        try bench.record(250)
        var restored = try CoreBench(disk: bench.rig.disk.copy())
        restored.learn()
        restored.pass(seconds: 1_000)
        expect(restored.sent.last?.greatest == 300 && restored.sent.last?.value == 250)
    }

    @Test func `a value that was lowered before a restart is lowered after it`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.record(5_000)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        try bench.record(40)
        try bench.record(60)
        try bench.restart()
        bench.learn()
        // A greater value than those at Beeminder would be one that nobody here knows.
        expect(bench.sent.map(\.value) == [60] && bench.sent.map(\.greatest) == [5_000])
    }

    @Test func `a delivery whose record comes behind that of a later one changes nothing`() throws {
        var bench = try CoreBench()
        try bench.record(40)
        try bench.commit { $0.total(.make(50)) }
        bench.deliver(1, Outcome.created)
        bench.reject()
        bench.pass(seconds: 61)
        bench.reject()
        try bench.commit { $0.deliver(1, Outcome.updated) }
        try bench.commit { $0.pass(seconds: 6) }
        expect(bench.sent.map(\.value), is: [40, 50])
        expect(bench.view(.make(0))?.state == .delivered && bench.core.view.pendingEvents == 0)
    }

    @Test func `a newer value on its way to the disk is answered also when its day is surplus`()
        throws
    {
        var bench = try CoreBench(remembered: 1)
        try bench.record(40)
        try bench.commit { $0.deliver(1, Outcome.created) }
        let other = DayTotal.make(7, rule: "sleep")
        try bench.commit { $0.total(other) }
        let reply = bench.total(.make(50))
        let number = try require(bench.core.ledger[other.key]?.number)
        try bench.commit { $0.deliver(number, Outcome.created) }
        expect(bench.word(reply), is: "queued")
    }

    @Test func `a dry run judges by the clock of its moment`() throws {
        var bench = try CoreBench(
            now: Moment(wall: UnixTime(1_000), monotonic: Monotonic(milliseconds: 0)))
        bench.now.wall = UnixTime(1_760_000_000)  // Nothing has come since it was set.
        let old = DayTotal.make(1, day: Daystamp(number: 19_800))
        let dry = bench.core.totals.rehearse(old, at: bench.now)
        let reply = bench.total(old)
        var word = ""
        if case .total(let answer) = dry { word = answer.state.word }
        expect(word == "ignored" && bench.word(reply) == "day")
    }
}
