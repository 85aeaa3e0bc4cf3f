import Testing

@testable import BeemedDomain

/// Events that fail again and again, and the others of their goal.
struct FailedEventTests {
    /// Lets each event of goal `a` be answered by `answer`, as often as there is something to send.
    private func run(
        _ bench: inout DeliveryBench, rounds: Int = 40, _ answer: (UInt64) -> Outcome
    ) -> [UInt64] {
        var sent: [UInt64] = []
        for _ in 0..<rounds {
            for number in bench.start() {
                sent.append(number)
                bench.finish(number, answer(number))
            }
            bench.pass(seconds: bench.wait ?? 0)
        }
        return sent
    }

    static let faults: [Outcome] = [
        .unclear("500"), .forbidden("no"), .misdirected("403, a page"), .unreachable("time-out"),
    ]

    /// The same as `run`, and the user request is answered.
    private func runWithUser(
        _ bench: inout DeliveryBench, rounds: Int = 40, _ answer: (UInt64) -> Outcome
    ) -> [UInt64] {
        (0..<rounds).flatMap { _ in
            let sent = run(&bench, rounds: 1, answer)
            if bench.delivery.takeWantsUser() { bench.delivery.processUser(at: bench.now) }
            return sent
        }
    }

    @Test(arguments: faults)
    func `an event that always fails holds up no others, after`(_ fault: Outcome) {
        var bench = DeliveryBench()
        bench.enqueue(1...4, for: "a")
        let sent = runWithUser(&bench) { $0 == 1 ? fault : DeliverySchedulerTests.created }
        expect(sent.prefix(5), is: [1, 1, 4, 2, 3], "\(sent)")
        expect(sent.dropFirst(5).allSatisfy { $0 == 1 } && sent.count > 10)
        expect(bench.queue("a")?.reportedAside, is: [SequenceNumber(1)])
        expect(bench.delivery.remote == .open && !bench.delivery.isHeld(.known("a")))
        // It delays none that come later, not even while it waits itself.
        expect(bench.start(), is: [1])
        bench.finish(1, fault)
        bench.enqueue(5...5, for: "a")
        expect(bench.start(), is: [5])
        bench.finish(5, DeliverySchedulerTests.created)
        let wait = bench.wait ?? 0
        expect(wait > 0 && wait <= 300)
        bench.pass(seconds: wait)
        expect(bench.start(), is: [1])
        bench.finish(1, DeliverySchedulerTests.created)
        expect(bench.queue("a") == nil)
    }

    @Test func `a limit of the account slows down everything, also while the user is answered`() {
        var bench = DeliveryBench()
        bench.enqueue(1...4, for: "a")
        bench.enqueue(5...8, for: "b")
        let sent = runWithUser(&bench, rounds: 20) { _ in .busy(retryAfter: 60) }
        let seconds = Double(bench.now.milliseconds) / 1_000
        expect(Double(sent.count) <= seconds / 60 + 2, "\(sent) in \(seconds) s")
        bench.pass(seconds: 300)
        let last = runWithUser(&bench, rounds: 40) { _ in DeliverySchedulerTests.created }
        expect(Set(last) == Set(1...8) && last.count == 8, "\(last)")
    }

    @Test func `an event that failed alone for long does not hold up the one that comes then`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        expect(run(&bench, rounds: 10) { _ in .unclear("500") }, is: Array(repeating: 1, count: 10))
        expect(bench.start(), is: [1])
        bench.finish(1, .unclear("500"))
        bench.enqueue(2...2, for: "a")
        expect(bench.start(), is: [2])
        bench.finish(2, DeliverySchedulerTests.created)
        expect(bench.queue("a")?.setAside, is: [SequenceNumber(1)])
    }

    @Test func `several events that always fail hold up no others`() {
        var bench = DeliveryBench()
        bench.enqueue(1...9, for: "a")
        let sent = run(&bench, rounds: 60) {
            [1, 2, 3, 6].contains($0) ? .unclear("500") : DeliverySchedulerTests.created
        }
        expect(Set([4, 5, 7, 8, 9]).isSubset(of: sent.prefix(24)), "\(sent)")
        expect(bench.queue("a")?.asideCount == 4 && bench.queue("a")?.ordered == 0)
    }

    @Test func `a goal that always fails keeps the order of its events, and asks less and less`() {
        var bench = DeliveryBench()
        bench.enqueue(1...4, for: "a")
        let sent = run(&bench, rounds: 20) { _ in .unclear("500") }
        expect(sent, is: [1, 1, 4, 1, 2, 1, 4, 1, 3, 1, 4, 1, 2, 1, 4, 1, 3, 1, 4, 1])
        expect(bench.now >= Monotonic(milliseconds: 0).adding(seconds: 300))
        expect(bench.start(), is: [2])
        bench.finish(2, .unclear("500"))
        // Presses that come now cause no more requests.
        bench.enqueue(5...50, for: "a")
        expect(bench.start().isEmpty && bench.queue("a")?.asideCount == 0)
        bench.delivery.flush()
        let last = run(&bench, rounds: 60) { _ in DeliverySchedulerTests.created }
        expect(last, is: Array(1...50))
    }

    @Test func `nothing is set aside while Beeminder as a whole is out of reach`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        bench.enqueue(3...4, for: "b")
        _ = run(&bench, rounds: 40) { _ in .unreachable("no route") }
        expect(bench.queue("a")?.asideCount, is: 0)
        bench.delivery.flush()
        let sent = run(&bench, rounds: 40) { _ in DeliverySchedulerTests.created }
        expect(sent.filter { $0 < 3 } == [1, 2] && sent.filter { $0 > 2 } == [3, 4])
    }

    @Test func `a cause that is taken back while another one is tried is gone`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        _ = run(&bench, rounds: 2) { _ in .unclear("500") }
        expect(bench.start(), is: [2])
        bench.delivery.withdraw(1, from: .known("a"))
        bench.finish(2, DeliverySchedulerTests.created)
        expect(bench.queue("a") == nil)
    }

    @Test(arguments: [[3], [3, 4]]) func `what was set aside is tried behind others that fail`(
        _ others: [UInt64]
    ) {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        _ = run(&bench, rounds: 3) { $0 == 1 ? .unclear("500") : DeliverySchedulerTests.created }
        expect(bench.queue("a")?.setAside, is: [SequenceNumber(1)])
        bench.enqueue(3...2 + UInt64(others.count), for: "a")
        let sent = run(&bench, rounds: 12) {
            others.contains($0) ? .unclear("500") : DeliverySchedulerTests.created
        }
        expect(sent.contains(1), "\(sent)")
        guard others == [3] else { return }
        expect(
            bench.queue("a")?.setAside == [SequenceNumber(3)]
                || bench.queue("a")?.tried == SequenceNumber(3))
    }

    @Test func `of two that always fail none is lost`() {
        var bench = DeliveryBench()
        bench.enqueue(1...2, for: "a")
        _ = run(&bench, rounds: 3) { $0 == 1 ? .unclear("500") : DeliverySchedulerTests.created }
        bench.enqueue(3...3, for: "a")
        let sent = run(&bench, rounds: 30) { _ in .unclear("500") }
        expect(sent.contains(1) && sent.contains(3), "\(sent)")
        bench.delivery.flush()
        let last = run(&bench, rounds: 30) { _ in DeliverySchedulerTests.created }
        expect(Set(last) == [1, 3] && last.count == 2, "\(last)")
        expect(bench.queue("a") == nil)
    }

    @Test func `ten of one cause do not hold up the newest`() {
        var bench = DeliveryBench()
        bench.enqueue(1...11, for: "a")
        let sent = run(&bench, rounds: 4) {
            $0 < 11 ? .unclear("500") : DeliverySchedulerTests.created
        }
        expect(sent.prefix(3), is: [1, 1, 11], "\(sent)")
    }

    @Test func `another one is not tried any more when the first has arrived`() {
        var bench = DeliveryBench()
        bench.enqueue(1...1, for: "a")
        _ = run(&bench, rounds: 3) { _ in .unclear("500") }
        expect(bench.start(), is: [1])
        bench.enqueue(2...4, for: "a")
        bench.finish(1, DeliverySchedulerTests.created)
        expect(bench.start(), is: [2])
    }
}
