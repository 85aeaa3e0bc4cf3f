import Testing

@testable import BeemedDomain

/// When a press is sent next, as people are told.
struct NextAttemptTests {
    @Test func `a moved press is sent at once, and looked for at its former goal again`() throws {
        var bench = try CoreBench()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(1, .unreachable("reset"))
        try bench.commit { $0.retry("1", to: "water") }
        bench.pass(seconds: 10)
        expect(bench.deletions.map(\.goal), is: [.known("pushups")])
        bench.erase(.erased)
        expect(bench.sent.last?.goal, is: .known("water"))
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        let why = bench.view("1")?.lastError ?? ""
        expect(bench.state("1") == .delivered && why.contains("at 'pushups'"), "\(why)")
        bench.pass(seconds: 111)
        expect(bench.deletions.map(\.goal), is: [.known("pushups"), .known("pushups")])
        try bench.commit { $0.erase(.erased) }
        expect(bench.view("1")?.lastError == nil)
        bench.pass(seconds: 1_000)
        expect(bench.deletions.count, is: 2)
    }

    @Test func `an event says when it was sent last`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        expect(bench.view("1")?.lastAttempt == nil)
        try bench.commit()
        let first = bench.now.wall
        expect(bench.view("1")?.lastAttempt, is: first)
        bench.deliver(1, .unclear("status 502"))
        bench.pass(seconds: 400)
        expect(bench.sent.count, is: 2)
        expect(bench.view("1")?.lastAttempt == bench.now.wall && bench.now.wall > first)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        let last = bench.now.wall
        bench.pass(seconds: 400)
        expect(bench.view("1")?.lastAttempt, is: last)
        try bench.commit { $0.undo("1") }
        expect(bench.view("1")?.lastAttempt, is: bench.now.wall, "a deletion counts, too")
    }
}
