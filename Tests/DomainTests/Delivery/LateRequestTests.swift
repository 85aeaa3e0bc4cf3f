import Testing

@testable import BeemedDomain

/// Requests that Beeminder applies when nobody waits for their answers any more.
@Suite struct LateRequestTests {
    @Test func `an undone press that Beeminder applies after its time-out is deleted`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("a"))
        try bench.commit()
        bench.deliver(1, .unreachable("no answer within 30 s"))
        bench.undo("a")
        try bench.commit()
        // At once: mostly there is nothing.
        #expect(bench.deletions.map(\.datapoint) == [nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.view("a")?.isBeingErased == true && bench.state("a") == .undone)
        // It may be applied for two minutes.
        bench.pass(seconds: 119)
        #expect(bench.deletions.count == 1)
        bench.pass(seconds: 1)
        #expect(bench.deletions.map(\.datapoint) == [nil, nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 0)
    }

    @Test func `an undone press that an overloaded server applies later is deleted`() throws {
        for (mayBeApplied, deletions) in [(true, 2), (false, 1)] {
            var bench = try CoreBench()
            bench.learn()
            bench.press(.make("a"))
            try bench.commit()
            bench.deliver(1, .busy(retryAfter: 1, mayBeApplied: mayBeApplied))
            bench.undo("a")
            try bench.commit()
            bench.pass(seconds: 2)
            bench.erase(.erased)
            try bench.commit()
            bench.pass(seconds: 121)
            #expect(bench.deletions.count == deletions)
        }
    }

    @Test func `an undone press whose create arrives late is deleted again`() throws {
        var bench = try CoreBench()
        bench.learn()
        bench.press(.make("a"))
        try bench.commit()
        // The former leader has sent it, and nobody knows what became of it.
        #expect(bench.sent.map(\.number) == [1])
        try bench.takeOver()
        bench.undo("a")
        try bench.commit()
        bench.deliver(1, .delivered(.duplicate, datapoint: "d1"))
        try bench.commit()
        #expect(bench.deletions.map(\.datapoint) == ["d1"])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 1)
        bench.pass(seconds: 121)
        // Whatever it is called now.
        #expect(bench.deletions.map(\.datapoint) == ["d1", nil])
        bench.erase(.erased)
        try bench.commit()
        #expect(bench.core.erasingEvents == 0)
        #expect(bench.state("a") == .undone)
    }
}
