import Testing

@testable import BeemedDomain

/// The order and times of sending, row by row of the delivery table, on a clock that tests move.
struct DeliverySchedulerTests {
    static let created = Outcome.delivered(.created, datapoint: "d")

    // MARK: Order

    @Test func `sends nothing without an account`() {
        var bench = DeliveryBench(connected: false)
        bench.enqueue(1...2, for: "a")
        expect(bench.start().isEmpty)
        expect(bench.wait == nil)
        bench.delivery.connect()
        expect(bench.start(), is: [1])
    }

    @Test func `sends one a goal and two over all`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        bench.enqueue(3...4, for: "b")
        bench.enqueue(5...6, for: "c")
        expect(bench.start(), is: [1, 3])
        expect(bench.start().isEmpty)
        // Only a request that hangs leaves room.
        expect(bench.wait, is: DeliveryScheduler.hangSeconds)
        expect(bench.finish(1, DeliverySchedulerTests.created), is: true)
        expect(bench.start(), is: [2])
    }

    /// The event that a person wants sent again is older than the event under way.
    @Test func `keeps the order of a goal when an older one came behind what failed`() {
        var bench = DeliveryBench()
        bench.enqueue(2...3, for: "a")
        expect(bench.start(), is: [2])
        bench.enqueue(1...1, for: "a")
        bench.finish(2, .unclear("500"))
        expect(bench.queue("a")?.count, is: 3)
        bench.enqueue(1...3, for: "a")
        expect(bench.queue("a")?.count, is: 3)
        bench.delivery.withdraw(1, from: .known("a"))
        expect(bench.queue("a")?.count, is: 2)
        bench.enqueue(1...1, for: "a")
        bench.delivery.flush()
        expect(bench.start(), is: [1])
    }

    @Test func `sends to the goal first that derails soonest`() {
        var bench = DeliveryBench()
        bench.losedates = ["c": 100, "a": 200]
        for (number, goal) in ["a", "b", "c"].enumerated() {
            let number = UInt64(number + 1)
            bench.enqueue(number...number, for: goal)
        }
        expect(bench.start(), is: [3, 1])
        bench.finish(3, DeliverySchedulerTests.created)
        expect(bench.start(), is: [2])
    }

    @Test func `ignores what is not under way`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        expect(bench.finish(1, DeliverySchedulerTests.created), is: false)
        expect(bench.start(), is: [1])
        expect(bench.finish(2, DeliverySchedulerTests.created), is: false)
        expect(bench.finish(1, DeliverySchedulerTests.created), is: true)
        expect(bench.finish(1, DeliverySchedulerTests.created), is: false)
        expect(bench.start(), is: [2])
    }

    // MARK: The table

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var outcome: Outcome
        var isSettled = false
        /// How long this goal waits, in seconds, where nothing else holds it up.
        var goalWaits: ClosedRange<Double>?
        /// How long another goal waits, in seconds.
        var otherWaits: ClosedRange<Double>? = 0...0
        var isHeld = false

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "created", outcome: created, isSettled: true, goalWaits: 0...0),
        Row(
            name: "updated", outcome: .delivered(.updated, datapoint: nil), isSettled: true,
            goalWaits: 0...0),
        Row(
            name: "duplicate", outcome: .delivered(.duplicate, datapoint: nil), isSettled: true,
            goalWaits: 0...0),
        Row(name: "unclear", outcome: .unclear("500"), goalWaits: 0.5...2),
        Row(name: "unreachable", outcome: .unreachable("reset"), goalWaits: 0.5...2),
        Row(
            name: "busy for 60 s", outcome: .busy(retryAfter: 60), goalWaits: 60...60,
            otherWaits: 60...60),
        Row(
            name: "busy for no time", outcome: .busy(retryAfter: 0), goalWaits: 1...2,
            otherWaits: 1...2),
        Row(
            name: "busy for a year", outcome: .busy(retryAfter: 31_536_000),
            goalWaits: 3_600...3_600, otherWaits: 3_600...3_600),
        Row(
            name: "busy without a time", outcome: .busy(retryAfter: nil), goalWaits: 0.5...2),
        Row(
            name: "refused", outcome: .refused(status: 422, why: "no"), isSettled: true,
            goalWaits: nil),
        Row(
            name: "forbidden", outcome: .forbidden("archived"), goalWaits: 1...2, isHeld: true),
        Row(name: "unauthorized", outcome: .unauthorized, goalWaits: 1...2, isHeld: true),
        Row(name: "no such goal", outcome: .noSuchGoal, goalWaits: 1...2, isHeld: true),
        Row(
            name: "misdirected", outcome: .misdirected("301"), goalWaits: 0.5...2, isHeld: true),
    ]

    @Test(arguments: rows) func `acts on`(_ row: Row) throws {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        expect(bench.start(), is: [1])
        expect(bench.finish(1, row.outcome), is: row.isSettled)
        expect(bench.delivery.isHeld(.known("a")), is: row.isHeld)
        try expectSending(bench, waits: row.goalWaits, thenSends: row.isSettled ? 2 : 1)
        var other = DeliveryBench()
        other.enqueue(1...1, for: "a")
        expect(other.start(), is: [1])
        other.finish(1, row.outcome)
        other.enqueue(9...9, for: "b")
        other.losedates = ["b": 1]
        try expectSending(other, waits: row.otherWaits, thenSends: 9)
    }

    private func expectSending(
        _ bench: DeliveryBench, waits: ClosedRange<Double>?, thenSends number: UInt64
    ) throws {
        var bench = bench
        guard let waits else {
            expect(bench.start().isEmpty)
            return expect(bench.wait == nil)
        }
        if waits.upperBound > 0 {
            expect(bench.start().isEmpty)
            guard let wait = bench.wait else { throw Unexpected("it never looks again") }
            expect(waits.contains(wait), "\(wait)")
            bench.pass(seconds: wait - 0.002)
            expect(bench.start().isEmpty)
            bench.pass(seconds: 0.002)
        }
        expect(bench.start().first, is: number)
    }

    @Test func `lets the next one go when the refusal of the first is on the disk`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        expect(bench.start(), is: [1])
        expect(bench.finish(1, .refused(status: 422, why: "")), is: true)
        bench.delivery.flush()
        expect(bench.start().isEmpty)
        bench.delivery.release(2)
        expect(bench.start().isEmpty)
        bench.delivery.release(1)
        expect(bench.start(), is: [2])
    }

    // MARK: Waiting

    @Test func `waits a random time below a bound that doubles up to five minutes`() {
        var chance = Randomness(seed: 3)
        for failures in 1...40 {
            let bound = min(300, 2 * Double(1 << min(failures - 1, 20)))
            let waits = (0..<200).map { _ in Backoff.seconds(after: failures, &chance) }
            expect(waits.allSatisfy { (0.5...max(0.5, bound)).contains($0) })
            expect((waits.max() ?? 0) > bound * 0.9)
            expect(Set(waits).count > 50)
        }
    }

    @Test func `keeps a wait that was asked for through a late success and a flush`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        bench.enqueue(3...4, for: "b")
        expect(bench.start(), is: [1, 3])
        bench.finish(1, .busy(retryAfter: 60))
        bench.finish(3, DeliverySchedulerTests.created)
        bench.delivery.flush()
        expect(bench.start().isEmpty)
        expect(bench.wait, is: 60)
    }

    @Test func `a wait without a time is of all goals when two are asked to wait`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        bench.enqueue(3...4, for: "b")
        expect(bench.start(), is: [1, 3])
        bench.finish(1, .busy(retryAfter: nil))
        expect(bench.delivery.remote, is: .open)
        bench.finish(3, .busy(retryAfter: nil))
        bench.enqueue(5...5, for: "c")
        expect(bench.start().isEmpty)
        expect((1...2).contains(bench.wait ?? 0))
    }

    @Test func `no wait outlasts a tenth of the time before a deadline`() {
        for asked in [nil, 3_600.0] {
            var bench = DeliveryBench()
            bench.enqueue(1...1, for: "a")
            for _ in 0..<20 {
                expect(bench.start(), is: [1])
                bench.finish(1, .busy(retryAfter: asked), left: 600)
                let wait = bench.wait ?? 0
                expect(wait <= 60, "\(wait)")
                bench.pass(seconds: wait)
            }
        }
    }

    @Test func `a wait that is longer than a new deadline allows is shortened, and once only`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        expect(bench.start(), is: [1])
        bench.finish(1, .busy(retryAfter: 3_600))
        bench.enqueue(2...2, for: "near")
        bench.delivery.shortenWait(at: bench.now, left: 200)
        expect((bench.wait ?? 0).rounded() == 20)
        bench.pass(seconds: 10)
        bench.delivery.shortenWait(at: bench.now, left: 190)
        expect((bench.wait ?? 0).rounded() == 10)
        bench.pass(seconds: 10)
        expect(bench.start(), is: [2])
    }

    @Test func `a wait that was ended by hand is not to be shortened`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        bench.delivery.waitForPerson(at: bench.now)
        bench.delivery.flush()
        bench.delivery.shortenWait(at: bench.now, left: 200)
        expect(bench.start(), is: [1])
    }

    @Test func `each wait for no time is longer`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        var waits: [Double] = []
        for _ in 0..<30 {
            expect(bench.start(), is: [1])
            bench.finish(1, .busy(retryAfter: 0))
            let wait = bench.wait ?? 0
            waits.append(wait)
            bench.pass(seconds: wait)
        }
        expect(waits.reduce(0, +) > 600, "\(waits)")
    }

    @Test(arguments: rows) func `stays disconnected whatever comes late, as`(_ row: Row) {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        expect(bench.start(), is: [1])
        bench.delivery.disconnect()
        bench.finish(1, row.outcome)
        expect(bench.delivery.remote, is: .notConnected)
        expect(bench.start().isEmpty)
    }

    @Test func `tries everything at once when somebody asks for it`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        bench.enqueue(2...2, for: "b")
        expect(bench.start(), is: [1, 2])
        bench.finish(1, .noSuchGoal)
        bench.finish(2, .unclear("500"))
        expect(bench.start().isEmpty)
        bench.delivery.flush()
        expect(bench.start(), is: [1, 2])
        expect(bench.delivery.isHeld(.known("a")))
    }

    @Test func `holds each goal until its own request succeeds`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        bench.enqueue(2...2, for: "b")
        func held() -> [String] { ["a", "b"].filter { bench.delivery.isHeld(.known($0)) } }
        expect(bench.start(), is: [1, 2])
        bench.finish(1, .noSuchGoal)
        expect(held(), is: ["a"])
        bench.finish(2, .noSuchGoal)
        expect(held(), is: ["a", "b"])
        bench.delivery.flush()
        expect(bench.start(), is: [1, 2])
        bench.finish(1, DeliverySchedulerTests.created)
        expect(held(), is: ["b"])
        bench.finish(2, DeliverySchedulerTests.created)
        expect(held(), is: [])
    }

    // MARK: Others

    @Test func `does not let one broken goal hold up nine others`() {
        for outcome in [Outcome.noSuchGoal, .unclear("500"), .refused(status: 400, why: "")] {
            var bench = DeliveryBench()
            for goal in 0..<10 as Range<UInt64> {
                bench.enqueue((goal * 100 + 1)...(goal * 100 + 5), for: "g\(goal)")
            }
            bench.losedates = ["g3": 1]
            var delivered = 0
            var rounds = 0
            while delivered < 45, rounds < 200 {
                rounds += 1
                for number in bench.start() {
                    let isBroken = number / 100 == 3
                    bench.finish(number, isBroken ? outcome : DeliverySchedulerTests.created)
                    if !isBroken { delivered += 1 }
                }
            }
            expect(delivered, is: 45)
            expect(bench.now.milliseconds, is: 0)
        }
    }

    @Test func `tries a bounded number of times in an outage, and not all at once after`() {
        let hours = Thorough.isOn ? 48 : 4
        var bench = DeliveryBench()
        for goal in 0..<50 as Range<UInt64> {
            bench.enqueue((goal * 1_000 + 1)...(goal * 1_000 + 40), for: "g\(goal)")
        }
        let end = bench.now.adding(seconds: Double(hours) * 3_600)
        var attempts = 0
        while bench.now < end {
            for number in bench.start() {
                attempts += 1
                bench.finish(number, .unreachable("no network"))
            }
            bench.pass(seconds: max(0.001, bench.wait ?? 0))
        }
        // A probe every ten to thirty seconds, and the first tries.
        expect((hours * 120...hours * 365).contains(attempts), "\(attempts)")
        // Back: two at a time, and all of it.
        var delivered = 0
        bench.pass(seconds: Backoff.resting.upperBound)
        var under: [UInt64] = bench.start()
        expect(under.count, is: 1)
        while let number = under.first {
            under.removeFirst()
            bench.finish(number, DeliverySchedulerTests.created)
            delivered += 1
            under += bench.start()
            expect(under.count <= DeliveryScheduler.maxInFlight)
        }
        expect(delivered, is: 2_000)
    }
}
