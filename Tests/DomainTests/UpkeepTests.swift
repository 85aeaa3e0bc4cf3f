import Foundation
import Synchronization
import Testing

@testable import BeemedDomain

/// What follows a rotation goes on beside the presses, in other files than theirs.
@Suite struct UpkeepTests {
    /// A journal that a slice and presses share, as threads of a relay do.
    private final class Shared: Sendable {
        let disk: SimulatedDisk
        private let rig: Mutex<JournalRig>
        /// The presses that were acknowledged.
        let presses = Mutex<[String]>([])

        /// Forty settled events but that one, and a rotation that has begun a compaction.
        init(open: Int) throws {
            var limits = Journal.Limits.small
            limits.segmentBytes = 4_000
            var rig = try JournalRig(limits: limits)
            for index in 0..<40 {
                let number = rig.next
                try rig.put("e\(index)")
                guard index != open else { continue }
                try rig.commit(.done(of: number, how: .created, datapoint: nil))
            }
            try rig.journal.rotateIfNeeded(
                live: LiveSize(events: 1, bytes: 0), time: UnixTime(1_760_000_000))
            rig.journal.compact(keeping: KnownEvents([1, 3], count: 2))
            disk = rig.disk
            self.rig = Mutex(rig)
        }

        func press() {
            let id = presses.withLock { "p\($0.count)" }
            let failed = rig.withLock { rig in
                failure { () throws(CommitFailure) in try rig.put(id) }
            }
            if failed == nil { presses.withLock { $0.append(id) } }
        }

        /// - Returns: whether there was one.
        func doSlice() -> Bool {
            guard let slice = rig.withLock({ $0.journal.slice }) else { return false }
            _ = slice()
            return rig.withLock { rig in
                failure { () throws(CommitFailure) in try rig.journal.checkCompaction() }
            } == nil
        }

        func close() -> CommitFailure? {
            rig.withLock { rig in
                failure { () throws(CommitFailure) in try rig.journal.close() }
            }
        }
    }

    /// Whether a call of the disk belongs to the upkeep.
    private static func isUpkeep(_ operation: String) -> Bool {
        ["compact.", "history.", "rotate.seal"].contains { operation.hasPrefix($0) }
    }

    @Test func `presses are written inside of each slice`() throws {
        let shared = try Shared(open: 7)
        shared.disk.with { state in
            state.before = { if UpkeepTests.isUpkeep($0) { shared.press() } }
        }
        while shared.doSlice() {}
        let presses = shared.presses.withLock { $0 }
        #expect(presses.count > 20)
        #expect(shared.disk.names(.journal).contains("00000002.jnl"))
        shared.disk.with { $0.before = nil }
        shared.disk.kill()
        let rig = try JournalRig(shared.disk)
        #expect(rig.recovered.ids == ["e0", "e1", "e7"] + presses)
        #expect(Set(try rig.disk.pastIDs).count == 37)
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a power cut inside of any slice loses no press and doubles no event`(
        _ isAfter: Bool
    ) throws {
        var (call, isOver) = (0, false)
        while !isOver {
            call += 1
            let shared = try Shared(open: 7)
            shared.disk.with { state in
                state.before = { if UpkeepTests.isUpkeep($0) { shared.press() } }
            }
            shared.disk.cutPower(atCall: call, after: isAfter)
            while shared.doSlice() {}
            isOver = !shared.disk.isOff
            shared.disk.with { $0.before = nil }
            shared.disk.crash(seed: UInt64(call))
            let rig = try JournalRig(shared.disk)
            let known = rig.recovered.ids
            let presses = shared.presses.withLock { $0 }
            #expect(Set(presses).isSubset(of: known), "call \(call)")
            let events = (known + (try rig.disk.pastIDs)).filter { $0.hasPrefix("e") }
            #expect(events.count == 40, "call \(call)")
            #expect(Set(events).count == 40, "call \(call)")
            #expect(!rig.recovered.recoveryReport.isDamage, "call \(call)")
        }
        #expect(call > 40)
    }

    @Test(arguments: ["rotate.seal.sync", "compact.append", "compact.verify", "compact.folder"])
    func `closing waits for the slice under way, and leaves no unfinished file`(
        _ operation: String
    ) throws {
        let shared = try Shared(open: 7)
        let closed = DispatchSemaphore(value: 0)
        let begun = Once()
        shared.disk.with { state in
            state.before = { now in
                guard now == operation, begun.happens() else { return }
                Thread {
                    if let failure = shared.close() { Issue.record("\(failure)") }
                    closed.signal()
                }.start()
            }
        }
        while shared.doSlice() {}
        #expect(closed.awaitSignal())
        #expect(!shared.disk.names(.journal).contains { $0.hasSuffix(".tmp") })
        shared.disk.with { $0.before = nil }
        shared.disk.kill()
        let rig = try JournalRig(shared.disk)
        #expect(Set(rig.recovered.ids + (try rig.disk.pastIDs)).count == 40)
        #expect(rig.recovered.recoveryReport.wasClosed)
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `a failed sync of the seal ends the journal`() throws {
        let shared = try Shared(open: 7)
        shared.disk.fail("rotate.seal.sync", 5)
        #expect(!shared.doSlice())
        shared.press()
        #expect(shared.presses.withLock { $0.isEmpty })
    }

    @Test func `a set of events holds what was put in, in any order`() {
        var chance = Randomness(seed: 7)
        let all = (0..<5_000 as Range<UInt64>).map { SequenceNumber($0 * $0 % 9_973) }
        let known = KnownEvents(all.shuffled(using: &chance), count: all.count)
        let expected = Set(all)
        for number in 0..<10_000 as Range<UInt64> {
            let number = SequenceNumber(number)
            #expect(known.contains(number) == expected.contains(number))
        }
    }
}
