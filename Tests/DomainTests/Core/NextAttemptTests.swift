import Testing

@testable import BeemedDomain

/// When a press is sent next, as people are told.
@Suite struct NextAttemptTests {
    @Test func `a moved press that waits for its second deletion says until when`() throws {
        var bench = try CoreBench()
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(1, .unreachable("reset"))
        bench.retry("1", to: "water")
        try bench.commit()
        bench.pass(seconds: 10)
        #expect(bench.deletions.count == 1)
        bench.erase(.erased)
        let due = bench.now.monotonic.adding(seconds: LateRequests.againSeconds)
        #expect(bench.view("1")?.nextAttempt == due)
        bench.pass(seconds: 61)
        #expect(bench.deletions.count == 2)
    }
}
