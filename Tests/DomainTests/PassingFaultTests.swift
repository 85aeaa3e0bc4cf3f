import Foundation
import Testing

@testable import BeemedDomain

/// Faults that pass by themselves are no reason to end.
struct PassingFaultTests {
    private func filled() throws -> JournalRig {
        var rig = try JournalRig(limits: .small)
        try rig.put("a", "b", "c", "d", "e")
        return rig
    }

    @Test(
        arguments: [
            "publish.create", "publish.verify", "rotate.list", "retire.link", "retire.folder",
        ], [EMFILE, ENFILE, EINTR])
    func `too many open files put a new segment off, and no more`(
        _ site: String, _ code: Int32
    ) throws {
        for events in [100, 1] {
            var rig = try filled()
            for number in 1...3 as ClosedRange<UInt64> {
                try rig.commit(.done(of: SequenceNumber(number), how: .created, datapoint: nil))
            }
            rig.disk.fail(site, code, times: 100)
            for index in 0..<4 {
                try rig.rotate(events: events)
                try rig.put("f\(index)")
            }
            rig.disk.healFaults()
            try rig.put("g")
            try rig.rotate(events: events)
            expect(rig.disk.journalNames.count >= 2)
            try rig.put("h")
            rig.disk.crash(seed: 3)
            let found = try JournalRig(rig.disk, limits: .small).recovered
            expect(found.pendingIDs, is: ["d", "e", "f0", "f1", "f2", "f3", "g", "h"])
            expect(!found.recoveryReport.isDamage, "\(found.recoveryReport.sentences)")
        }
    }

    @Test func `too many open files at the start are an obstacle until they have gone`() throws {
        var rig = try filled()
        rig.disk.kill()
        rig.disk.fail("publish.create", EMFILE, times: 2)
        rig = try JournalRig(rig.disk, limits: .small)
        expect(rig.recovered.recoveryReport.obstacle?.code, is: EMFILE)
        expect(isFull(failure { () throws(CommitFailure) in try rig.put("f") }))
        try rig.put("f")
        try rig.reopen(limits: .small)
        expect(rig.recovered.ids, is: ["a", "b", "c", "d", "e", "f"])
    }
}
