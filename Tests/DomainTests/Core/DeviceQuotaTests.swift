import Testing

@testable import BeemedDomain

/// How much a device may log that is never sent to Beeminder.
struct DeviceQuotaTests {
    private static let long = String(repeating: "x", count: Press.commentBytes)
    private static let many = 10

    /// A core in which a device has used up most of its allowance: so many presses with such a
    /// comment fit into it, and twice as many do not.
    private func bench() throws -> CoreBench {
        var bench = try CoreBench()
        bench.learn()
        let event = Event.make("0", comment: DeviceQuotaTests.long)
        let room = event.lineBytes * DeviceQuotaTests.many * 3 / 2
        for _ in 0..<(DeviceQuota.maxBytes - room) / event.lineBytes {
            bench.core.discardQuota.add(event)
        }
        return bench
    }

    private func wait(_ bench: CoreBench, _ replyID: UInt64) -> Double? {
        guard case .refused(.tooManyUnsent(_, let seconds))? = bench.replies[replyID] else {
            return nil
        }
        return seconds
    }

    private func send(
        _ ids: Range<Int>, device: String = "button", rule: PresetOptions? = nil,
        _ bench: inout CoreBench
    ) throws -> [UInt64] {
        let replyIDs = ids.map { id in
            let comment = DeviceQuotaTests.long
            return bench.press(.make("\(id)", device: device, comment: comment, rule: rule))
        }
        try bench.commit()
        return replyIDs
    }

    @Test func `only the device whose guarded presses fill its allowance waits`() throws {
        var bench = try bench()
        let (many, rule) = (
            DeviceQuotaTests.many,
            PresetOptions(preset: try require(PresetName("pill")), oncePerDay: true)
        )
        let taken =
            try send(0..<1, rule: rule, &bench) + send(1..<many, rule: rule, &bench)
            + send(many..<2 * many, rule: rule, &bench)
        expect(taken.allSatisfy { bench.acceptance($0) != nil })
        expect(bench.state("1"), is: .guarded)
        let more = 2 * many..<2 * many + 1
        let refused = try send(more, rule: rule, &bench)[0]
        let seconds = try require(wait(bench, refused))
        expect(bench.core.view.devicesOverQuota(at: bench.now).map(\.description), is: ["button"])
        let other = try send(0..<1, device: "watch", rule: rule, &bench)[0]
        expect(bench.acceptance(other) != nil)
        let known = try send(1..<2, rule: rule, &bench)[0]
        expect(bench.acceptance(known)?.isDuplicate, is: true)
        // Time gives it back, as fast as it was said.
        bench.pass(seconds: seconds - 10)
        let early = try send(more, rule: rule, &bench)[0]
        expect(wait(bench, early) != nil)
        bench.pass(seconds: 20)
        expect(bench.core.view.devicesOverQuota(at: bench.now).isEmpty)
        let late = try send(more, rule: rule, &bench)[0]
        expect(bench.acceptance(late) != nil)
    }

    @Test func `presses that are undone count, and those that are delivered do not`() throws {
        var bench = try bench()
        let many = DeviceQuotaTests.many
        for replyID in try send(0..<2 * many, &bench) {
            let number = try require(bench.acceptance(replyID)?.number)
            bench.deliver(number, .delivered(.created, datapoint: "d"))
        }
        try bench.commit()
        for ids in [2 * many..<3 * many, 3 * many..<4 * many] {
            try expect(send(ids, &bench).allSatisfy { bench.acceptance($0) != nil })
            for id in ids { bench.undo("\(id)") }
            try bench.commit()
        }
        let last = try send(4 * many..<4 * many + 1, &bench)[0]
        expect(wait(bench, last) != nil)
    }

    @Test func `presses that are merged count as a sixteenth`() throws {
        var bench = try CoreBench()
        bench.learn()
        let rule = PresetOptions(preset: .known("glass"), mergeSeconds: 60)
        _ = try send(0..<1, rule: rule, &bench)
        expect(bench.core.discardQuota.isEmpty, "the first is sent")
        _ = try send(1..<2, rule: rule, &bench)
        expect(bench.state("1"), is: .merged)
        expect(!bench.core.discardQuota.isEmpty)
        var lines = DeviceQuota()
        let event = Event.make("1", comment: DeviceQuotaTests.long)
        let now = Monotonic(milliseconds: 0)
        for _ in 0..<(16 * DeviceQuota.maxBytes / event.lineBytes) {
            lines.add(event, isMerged: true)
        }
        let before = lines.wait(of: event.key.identity, at: now)
        expect(before == nil)
        for _ in 0..<2 { lines.add(event, isMerged: true) }
        let after = lines.wait(of: event.key.identity, at: now)
        expect(after != nil)
    }
}
