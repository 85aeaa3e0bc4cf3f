import Testing

@testable import BeemedDomain

/// Whose trouble it is: one goal's or everybody's.
struct BreakerTests {
    private static let created = DeliverySchedulerTests.created
    private static let silence = Outcome.unreachable("no answer")

    /// Requests of goals `h1` to `h9` stay unanswered until the breaker opens or time is up.
    private func silence(_ goals: Int, rounds: Int = 12) -> DeliveryBench {
        var bench = DeliveryBench()
        for index in 1...UInt64(goals) { bench.enqueue(index...index, for: "h\(index)") }
        for _ in 0..<rounds {
            for number in bench.start() { bench.finish(number, Self.silence) }
            if bench.delivery.remote != .open { break }
            bench.pass(seconds: bench.wait ?? 0)
        }
        return bench
    }

    private func isResting(_ bench: DeliveryBench) -> Bool {
        bench.delivery.obstacle == .outage
    }

    // MARK: The breaker

    @Test func `opens the breaker after five requests without an answer`() throws {
        var bench = silence(3)
        expect(isResting(bench))
        expect(bench.delivery.failures, is: DeliveryScheduler.breakerFailures)
        expect(bench.start().isEmpty)
        for _ in 0..<20 {
            guard let wait = bench.wait else { throw Unexpected("it never looks again") }
            expect(wait <= 30)
            bench.pass(seconds: wait)
            let probe = bench.start()
            expect(probe.count, is: 1)
            // While the probe is under way there is nothing to wake up for.
            expect(bench.wait == nil)
            for number in probe { bench.finish(number, Self.silence) }
        }
        bench.pass(seconds: 30)
        let probe = bench.start()
        for number in probe { bench.finish(number, Self.created) }
        expect(bench.delivery.remote, is: .open)
        expect(!bench.start().isEmpty)
    }

    @Test func `lets the goals take turns at probing`() {
        var bench = silence(3)
        bench.losedates = ["h1": 1]
        var seen: Set<UInt64> = []
        for _ in 0..<6 {
            bench.pass(seconds: 30)
            for number in bench.start() {
                seen.insert(number)
                bench.finish(number, Self.silence)
            }
        }
        expect(seen, is: [1, 2, 3])
    }

    @Test func `one goal that hangs opens the breaker until the user is named`() {
        var bench = silence(1)
        expect(isResting(bench))
        expect((bench.wait ?? 99) <= 30)
        let isUserAsked = bench.delivery.takeWantsUser()
        expect(isUserAsked)
        bench.delivery.processUser(at: bench.now)
        expect(bench.delivery.remote, is: .open)
        expect(bench.start(), is: [1])
        bench.enqueue(100...100, for: "fine")
        expect(bench.start(), is: [100])
        bench.finish(100, Self.created)
        bench.finish(1, Self.silence)
        // It has its own wait, and that goes on.
        expect(bench.start().isEmpty)
        expect((bench.wait ?? 0) <= Backoff.longest)
    }

    @Test func `tries a goal that has not failed at once while the breaker is open`() {
        var bench = silence(3)
        expect(bench.start().isEmpty)
        bench.enqueue(100...100, for: "fine")
        expect(bench.start(), is: [100])
        bench.finish(100, Self.created)
        expect(bench.delivery.remote, is: .open)
    }

    @Test func `gives goals that hang one request, and the others to those that do not`() {
        var bench = silence(4, rounds: 2)
        bench.delivery.flush()
        expect(bench.start().count, is: 1)
        for number in 100...104 as ClosedRange<UInt64> {
            bench.enqueue(number...number, for: "fine\(number)")
            expect(bench.start(), is: [number])
            bench.finish(number, Self.created)
        }
    }

    @Test func `does not keep a goal waiting while two others hang at their first attempt`() {
        var bench = DeliveryBench()
        bench.losedates = ["h1": 1, "h2": 2]
        bench.enqueue(1...1, for: "h1")
        bench.enqueue(2...2, for: "h2")
        expect(bench.start(), is: [1, 2])
        bench.pass(seconds: 1)
        bench.enqueue(100...101, for: "fine")
        expect(bench.start().isEmpty)
        expect(bench.wait, is: DeliveryScheduler.hangSeconds - 1)
        bench.pass(seconds: DeliveryScheduler.hangSeconds - 1)
        expect(bench.start(), is: [100])
        // Both leave room, so two goals at once go on as ever.
        bench.enqueue(102...102, for: "other")
        expect(bench.start(), is: [102])
        bench.finish(100, Self.created)
        expect(bench.start(), is: [101])
        bench.finish(1, Self.silence)
        bench.finish(2, Self.silence)
        bench.finish(101, Self.created)
        bench.finish(102, Self.created)
        expect(bench.delivery.inFlight, is: 0)
        expect(bench.delivery.remote, is: .open)
    }

    // MARK: The token, and who answers

    static let bars: [Outcome] = [.unauthorized, .forbidden("archived")]

    @Test(arguments: bars)
    func `holds one goal and asks for the user when it alone is turned away, as`(
        _ outcome: Outcome
    ) {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        expect(bench.start(), is: [1])
        bench.finish(1, outcome)
        let asked = [bench.delivery.takeWantsUser(), bench.delivery.takeWantsUser()]
        expect(asked, is: [true, false])
        expect(bench.delivery.isHeld(.known("a")))
        expect(!bench.delivery.isHeld(.known("b")))
        bench.enqueue(2...9, for: "b")
        for number in 2...9 as ClosedRange<UInt64> {
            expect(bench.start(), is: [number])
            bench.finish(number, Self.created)
        }
        // The user is all right: it stays that goal's trouble, looked at less and less often.
        var longest = 0.0
        for _ in 0..<20 {
            bench.delivery.processUser(at: bench.now)
            expect(bench.start().isEmpty)
            let wait = bench.wait ?? .infinity
            longest = max(longest, wait)
            bench.pass(seconds: wait)
            expect(bench.start(), is: [1])
            bench.finish(1, outcome)
        }
        expect((450...900).contains(longest))
    }

    @Test func `is signed out when the user is refused too, until the user is named`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        bench.enqueue(2...2, for: "b")
        expect(bench.start(), is: [1, 2])
        bench.finish(1, .unauthorized)
        bench.delivery.waitForPerson(at: bench.now)
        bench.finish(2, .unauthorized)
        var waits: [Double] = []
        for _ in 0..<8 {
            expect(bench.start().isEmpty)
            expect(bench.delivery.isHeld(.known("c")))
            waits.append(bench.wait ?? .infinity)
            bench.pass(seconds: waits.last ?? 0)
            let probe = bench.start()
            expect(probe.count, is: 1)
            for number in probe { bench.finish(number, .unauthorized) }
        }
        expect(waits.first, is: 30)
        expect(waits.last, is: 900)
        expect(waits, is: waits.sorted())
        bench.delivery.processUser(at: bench.now)
        expect(bench.delivery.remote, is: .open)
        expect(bench.start(), is: [1, 2])
    }

    @Test func `tries at once after somebody has signed in`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        bench.enqueue(2...2, for: "b")
        expect(bench.start(), is: [1, 2])
        bench.finish(1, .unauthorized)
        bench.finish(2, .unauthorized)
        bench.delivery.waitForPerson(at: bench.now)
        bench.delivery.connect()
        expect(bench.start(), is: [1, 2])
    }

    // MARK: Deadlines

    @Test(arguments: [
        Outcome.unauthorized, .misdirected("302"), .noSuchGoal, .unclear("500"),
        .unreachable("no answer"),
    ])
    func `looks sooner the nearer the deadline is, after`(_ outcome: Outcome) {
        for (left, longest) in [(3_600, 360.0), (600, 60), (60, 6), (20, 5), (1, 5)] {
            var bench = DeliveryBench()
            bench.enqueue(1...1, for: "a")
            for _ in 0..<30 {
                let probe = bench.start()
                expect(probe, is: [1])
                bench.finish(1, outcome, left: Int64(left))
                let wait = bench.wait ?? .infinity
                expect(wait > 0 && wait <= longest, "\(left): \(wait)")
                bench.pass(seconds: wait)
            }
        }
    }

    @Test func `does not hurry after the deadline`() {
        expect(Backoff.wait(900, left: 0), is: 900)
        expect(Backoff.wait(900, left: -5), is: 900)
        expect(Backoff.wait(900, left: nil), is: 900)
        expect(Backoff.wait(2, left: 3_600), is: 2)
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        expect(bench.start(), is: [1])
        bench.finish(1, .unauthorized)
        let seconds = bench.delivery.waitForPerson(at: bench.now, left: 100)
        expect(seconds, is: 10)
        expect(bench.wait, is: 10)
    }

    @Test func `a probe that is told to wait, without a time, is not repeated at once`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        expect(bench.start(), is: [1])
        bench.finish(1, .unauthorized)
        bench.delivery.waitForPerson(at: bench.now)
        bench.pass(seconds: 1_000)
        expect(bench.start(), is: [1])
        bench.finish(1, .busy(retryAfter: nil))
        expect(bench.start().isEmpty)
        expect((bench.wait ?? 0) >= 10)
    }
}
