import Testing

@testable import BeemedDomain

/// Requests that Beeminder applies when nobody waits for their answers any more.
struct LateRequestTests {
    @Test func `an undone press that Beeminder applies after its time-out is deleted`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("a")) }
        bench.deliver(1, .unreachable("no answer within 30 s"))
        try bench.commit { $0.undo("a") }
        // At once: mostly there is nothing.
        expect(bench.deletions.map(\.datapoint), is: [nil])
        expect(bench.deletions.map(\.requestID), is: ["button.a"])
        try bench.commit { $0.erase(.erased) }
        expect(bench.view("a")?.isBeingErased == true && bench.state("a") == .undone)
        let why = bench.view("a")?.lastError ?? ""
        expect(why.contains("an earlier request may still be applied at 'pushups'"), "\(why)")
        // It may be applied for two minutes.
        bench.pass(seconds: 119)
        expect(bench.deletions.count, is: 1)
        bench.pass(seconds: 1)
        expect(bench.deletions.map(\.datapoint), is: [nil, nil])
        try bench.commit { $0.erase(.erased) }
        expect(bench.core.erasingEvents == 0 && bench.view("a")?.lastError != why)
        expect(bench.sent.count, is: 1, "it is not sent again")
    }

    @Test func `an undone press that an overloaded server applies later is deleted`() throws {
        for (mayBeApplied, deletions) in [(true, 2), (false, 1)] {
            var bench = try CoreBench()
            bench.learn()
            try bench.commit { $0.press(.make("a")) }
            bench.deliver(1, .busy(retryAfter: 1, mayBeApplied: mayBeApplied))
            try bench.commit { $0.undo("a") }
            bench.pass(seconds: 2)
            try bench.commit { $0.erase(.erased) }
            bench.pass(seconds: 121)
            expect(bench.deletions.count, is: deletions)
        }
    }

    @Test func `an undone press whose create arrives late is deleted again`() throws {
        var bench = try CoreBench()
        bench.learn()
        try bench.commit { $0.press(.make("a")) }
        // The former leader has sent it, and nobody knows what became of it.
        expect(bench.sent.map(\.number), is: [1])
        try bench.takeOver()
        try bench.commit { $0.undo("a") }
        try bench.commit { $0.deliver(1, .delivered(.duplicate, datapoint: "d1")) }
        expect(bench.deletions.map(\.datapoint), is: ["d1"])
        try bench.commit { $0.erase(.erased) }
        expect(bench.core.erasingEvents, is: 1)
        bench.pass(seconds: 121)
        // Whatever it is called now.
        expect(bench.deletions.map(\.datapoint), is: ["d1", nil])
        try bench.commit { $0.erase(.erased) }
        expect(bench.core.erasingEvents, is: 0)
        expect(bench.state("a"), is: .undone)
    }
}
