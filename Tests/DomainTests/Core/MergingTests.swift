import Foundation
import Testing

@testable import BeemedDomain

/// Presses that become one datapoint: what they add up to, over undo, refusals and restarts.
struct MergingTests {
    private func rule(_ seconds: Int64 = 60) -> PresetOptions {
        PresetOptions(preset: .known("glass"), mergeSeconds: seconds)
    }

    /// A bench with presses of value 1 that share a window, durable.
    private func merged(_ ids: [String], seconds: Int64 = 60) throws -> CoreBench {
        var bench = try CoreBench()
        for id in ids { bench.press(.make(id, rule: rule(seconds))) }
        try bench.commit()
        return bench
    }

    // MARK: States

    @Test func `a part is held as long as the first press of its datapoint`() throws {
        var bench = try merged(["1", "2"])
        expect(bench.state("2"), is: .merged)
        bench.pass(seconds: 61)
        expect((bench.state("1"), bench.state("2")) == (.sending, .merged))
        bench.deliver(1, .noSuchGoal)
        expect((bench.state("1"), bench.state("2")) == (.held, .held))
    }

    // MARK: Amounts

    @Test func `keeps an undo of one of three presses over a restart`() throws {
        var bench = try merged(["1", "2", "3"])
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.created) }
        try bench.commit { $0.undo("2") }
        expect(bench.sent.map(\.value), is: [3, 2])
        expect(bench.view("2")?.isBeingErased, is: true)
        bench.deliver(1, .unreachable("down"))
        expect(bench.view("2")?.isBeingErased, is: true)
        try bench.restart()
        expect(bench.sent.map(\.value), is: [2])
        expect(bench.sent.map { $0.greatest != nil }, is: [false], "a press was taken back")
        expect(bench.view("2")?.isBeingErased, is: true)
        bench.deliver(1, Outcome.updated)
        bench.pass(seconds: 121)
        // Once more: a request of the earlier process may have come after it.
        try bench.commit { $0.deliver(1, Outcome.updated) }
        expect(bench.view("2")?.isBeingErased, is: false)
        try bench.restart()
        expect(bench.sent.isEmpty)
    }

    @Test func `an earlier process's datapoint is not lowered where presses joined`() throws {
        for (values, mustNotLower) in [([1, 2], true), ([1, -2], false)] as [([Double], Bool)] {
            var first = try CoreBench()
            for (index, value) in values.enumerated() {
                first.press(.make("\(index)", value: value, rule: rule()))
            }
            try first.commit()
            first.pass(seconds: 61)
            expect(
                first.sent.map { $0.greatest != nil }, is: [false],
                "this process knows what it sent")
            try first.restart()
            expect(first.sent.map { $0.greatest != nil }, is: [mustNotLower])
        }
    }

    @Test func `sends a datapoint once all that joined it is durable, or found no room`() throws {
        // Whether its first press is undone, and what is sent.
        for (isUndone, hasRoom, value) in [
            (false, true, 6), (false, false, 1), (true, true, 5), (true, false, 1),
        ] as [(Bool, Bool, Double)] {
            var bench = try merged(["1"])
            for id in 2...6 { bench.press(.make("\(id)", rule: rule())) }
            if isUndone { bench.undo("1") }
            bench.pass(seconds: 61)
            bench.apply(.flushRequested)
            expect(bench.sent.isEmpty)
            if hasRoom { try bench.commit() } else { bench.reject() }
            expect(bench.sent.map(\.value), is: [value])
            try bench.commit { $0.deliver(1, Outcome.created) }
            bench.pass(seconds: 400)
            for _ in 0..<2 {
                expect(bench.core.view.pendingEvents, is: 0)
                try bench.restart()
                expect(bench.sent.count, is: 0)
            }
        }
    }

    @Test func `does not let a press join a datapoint whose first press is taken back`() throws {
        var bench = try merged(["1"])
        bench.undo("1")
        let late = try bench.commit { $0.press(.make("2", rule: rule())) }
        expect(bench.acceptance(late)?.state, is: .queued)
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.requestID), is: ["button.2"])
        expect(bench.state("1"), is: .undone)
    }

    @Test func `goes on with a press that joined before the first was taken back`() throws {
        var bench = try merged(["1"])
        bench.press(.make("2", rule: rule()))
        try bench.commit { $0.undo("1") }
        expect(bench.sent.map(\.value), is: [1])
        expect(bench.state("1"), is: .undone)
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.core.view.pendingEvents, is: 0)
        expect(bench.view("2")?.settlement, is: .merged(into: 1))
    }

    @Test func `parts that were undone before anything was sent are not at Beeminder`() throws {
        var bench = try CoreBench()
        for id in ["1", "2"] { bench.press(.make(id, rule: rule())) }
        try bench.commit()
        try bench.commit { $0.undo("2") }
        // The rest may be sent without an answer, and nobody knows then what arrives.
        expect(bench.view("2")?.isBeingErased, is: true)
        try bench.commit { $0.undo("1") }
        expect(bench.view("2")?.isBeingErased, is: false)
        for _ in 0..<2 {
            try bench.restart()
            bench.learn()
            for id in ["1", "2"] {
                expect(bench.state(id) == .undone && bench.view(id)?.isBeingErased == false)
            }
            bench.pass(seconds: 100)
            expect(bench.sent.isEmpty && bench.deletions.isEmpty)
        }
    }

    @Test func `a part is not said to be erased before Beeminder has confirmed the rest`() throws {
        var bench = try merged(["1", "2"])
        try bench.commit { $0.undo("2") }
        expect(bench.view("2")?.isBeingErased, is: true)
        bench.pass(seconds: 61)
        bench.deliver(1, .unreachable("down"))
        expect(bench.view("2")?.isBeingErased, is: true)
        bench.pass(seconds: 300)
        try bench.commit { $0.deliver(1, Outcome.created) }
        bench.pass(seconds: 300)
        try bench.commit { $0.deliver(1, .delivered(.duplicate, datapoint: "d1")) }
        expect(bench.view("2")?.isBeingErased, is: false)
    }

    @Test func `deletes a datapoint of which every press is taken back`() throws {
        var bench = try merged(["1", "2"])
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.created) }
        try bench.commit { $0.undo("1") }
        expect(bench.state("1"), is: .undone)
        expect(bench.sent.map(\.value), is: [2, 1])
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.1"])
        bench.deliver(1, .unreachable("down"))
        try bench.commit { $0.undo("2") }
        try bench.restart()
        expect(bench.deletions.map(\.datapoint), is: ["d1"])
        bench.erase(.erased)
        bench.pass(seconds: 121)
        // The process before may have sent it shortly before it ended.
        expect(bench.deletions.map(\.datapoint), is: ["d1", nil])
        try bench.commit { $0.erase(.erased) }
        expect(bench.state("1") == .undone && bench.state("2") == .undone)
        expect(bench.view("2")?.isBeingErased, is: false)
        try bench.restart()
        expect(bench.sent.isEmpty && bench.deletions.isEmpty)
    }

    @Test func `adds up decimal values as people do`() throws {
        var bench = try CoreBench()
        for id in 1...30 { bench.press(.make("\(id)", value: 0.1, rule: rule())) }
        try bench.commit()
        for id in 11...30 { bench.undo("\(id)") }
        try bench.commit()
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.value), is: [1])
    }

    @Test func `keeps the comments of all its presses, each once`() throws {
        var bench = try CoreBench()
        for (id, comment) in [("1", ""), ("2", "tea"), ("3", "water"), ("4", "tea")] {
            bench.press(.make(id, comment: comment, rule: rule()))
        }
        try bench.commit()
        bench.undo("3")
        bench.pass(seconds: 61)
        expect(bench.sent.map(\.comment), is: ["tea; water"])
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.sent.map(\.comment), is: ["tea; water", "tea"])
    }

    // MARK: Refusals

    @Test func `refuses the parts of a refused datapoint, and retries them with it`() throws {
        var bench = try merged(["1", "2", "3"])
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        expect(["1", "2", "3"].map { bench.state($0) }, is: [.refused, .refused, .refused])
        expect(bench.core.view.refusedEvents == 3 && bench.core.view.pendingEvents == 0)
        try bench.restart()
        expect(bench.core.view.refusedEvents, is: 3)
        bench.undo("3")
        try bench.commit { $0.retry("2", to: "water") }
        expect(bench.core.view.refusedEvents == 0 && bench.core.view.pendingEvents == 2)
        expect(bench.sent.map(\.value), is: [2])
        expect(bench.sent.map(\.goal.description), is: ["water"])
        bench.deliver(1, Outcome.created)
        bench.pass(seconds: 121)
        try bench.commit { $0.deliver(1, Outcome.updated) }
        expect(bench.core.view.pendingEvents, is: 0)
        expect(bench.view("2")?.goal.description, is: "water")
    }

    @Test func `keeps the rest of a refused datapoint when its first press is discarded`() throws {
        var bench = try merged(["1", "2"])
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        try bench.commit { $0.undo("1") }
        expect(bench.state("1") == .undone && bench.state("2") == .refused)
        try bench.commit { $0.retry("2") }
        expect(bench.sent.last?.value, is: 1)
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.view("2")?.settlement, is: .merged(into: 1))
    }

    // MARK: Windows

    @Test func `counts presses that wait in a window`() throws {
        var bench = try CoreBench()
        bench.apply(.fetched(.goals([Goal(slug: .known("pushups"))], user: "alice")))
        for id in ["1", "2", "3"] { bench.press(.make(id, rule: rule())) }
        try bench.commit()
        expect(bench.core.view.pendingEvents, is: 3)
        expect(bench.core.view.snapshot(at: bench.now).goals.first?.queued, is: 3)
        expect(bench.core.view.oldestPendingSeconds(at: bench.now), is: 0)
    }

    @Test func `closes windows on flush, on retry and when the program is about to end`() throws {
        for close in ["flush", "retry", "stop"] {
            var bench = try merged(["1", "2"], seconds: 86_400)
            expect(bench.sent.isEmpty)
            switch close {
            case "flush": bench.apply(.flushRequested)
            case "retry": bench.retry("2")
            default: bench.apply(.stopping)
            }
            expect(bench.sent.map(\.value), is: [2], "\(close)")
        }
    }

    @Test func `closes a window in time for its goal's deadline`() throws {
        var bench = try CoreBench()
        let derails = bench.now.wall.seconds + 7_200
        bench.learn([Goal(slug: .known("pushups"), losedate: derails)])
        try bench.commit { $0.press(.make("1", rule: rule(86_400))) }
        bench.pass(seconds: 3_600)
        expect(bench.sent.isEmpty)
        bench.pass(seconds: 2_701)
        expect(bench.sent.map(\.requestID), is: ["button.1"])
        // Too near the deadline, a press does not wait for others at all.
        bench.deliver(1, Outcome.created)
        try bench.commit { $0.press(.make("2", rule: rule(86_400))) }
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
    }

    @Test func `closes a window earlier when its goal derails earlier`() throws {
        var bench = try merged(["1"], seconds: 86_400)
        let derails = bench.now.wall.seconds + 900
        bench.learn([Goal(slug: .known("pushups"), losedate: derails)])
        expect(bench.sent.map(\.requestID), is: ["button.1"])
    }

    // MARK: Memory

    @Test func `forgets no part whose datapoint is not delivered`() throws {
        var bench = try CoreBench(remembered: 20)
        for id in 1...50 { bench.press(.make("m\(id)", rule: rule(86_400))) }
        try bench.commit()
        for id in 1...60 {
            try bench.commit { $0.press(.make("\(id)", device: "other", goal: "water")) }
            if let number = bench.sent.last?.number { bench.deliver(number, Outcome.created) }
            try bench.commit()
        }
        bench.apply(.flushRequested)
        expect(bench.sent.last?.value, is: 50)
        try bench.commit { $0.deliver(1, Outcome.created) }
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `joins a datapoint as quickly when thousands have joined it before`() throws {
        var bench = try CoreBench()
        var times: [Int64] = []
        for batch in 0..<9 {
            times.append(
                try ThreadTime.nanoseconds {
                    for id in 0..<500 { bench.press(.make("\(batch)-\(id)", rule: rule(86_400))) }
                    try bench.commit()
                })
        }
        // A sum over all parts for each of them makes this ratio 13 to 17. The least of three is
        // taken, as a page fault or a table that grows may come at any time.
        let last = times.suffix(3).min() ?? .max
        expect(last < 5 * max(times[0], times[1]), "\(times)")
        bench.apply(.flushRequested)
        expect(bench.sent.last?.value, is: 4_500)
    }
}

extension PresetName {
    static func known(_ text: String) -> PresetName {
        guard let name = PresetName(text) else { preconditionFailure("no preset: \(text)") }
        return name
    }
}
