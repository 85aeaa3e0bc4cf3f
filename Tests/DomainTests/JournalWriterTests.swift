import Foundation
import Synchronization
import Testing

@testable import BeemedDomain

/// The writer with its thread, over a disk in memory.
struct JournalWriterTests {
    /// The writer said nothing more, though not all was answered.
    private struct Silence: Error {}

    /// A writer, and everything that it has said.
    private final class Bench: Sendable {
        let writer: JournalWriter
        private let spoken: DispatchSemaphore
        private let next = Mutex(SequenceNumber(1))
        /// How often events should have been stated again.
        private let requests = Mutex(0)

        /// The `stated` of each submission's `LiveSize`; nil for the submission's first record.
        private let stated: SequenceNumber?

        init(
            _ disk: SimulatedDisk, _ limits: Journal.Limits = .plain, stated: SequenceNumber? = nil
        ) throws {
            self.stated = stated
            let spoken = DispatchSemaphore(value: 0)
            self.spoken = spoken
            writer = JournalWriter(wallClock: { UnixTime(1_760_000_000) }) { spoken.signal() }
            let (journal, _, _) = try Journal.open(
                disk, store: "5704e", time: UnixTime(1_760_000_000), limits: limits)
            writer.start(journal)
        }

        func submit(_ count: Int) {
            let records = next.withLock { next in
                (0..<count).map { _ in
                    defer { next = next.next }
                    return Record(next, .put(.make("e\(next.value)")))
                }
            }
            writer.submit(
                records, isUrgent: true,
                live: LiveSize(bytes: 0, stated: stated ?? records[0].number))
        }

        /// The number of the last record that was submitted.
        var last: SequenceNumber { SequenceNumber(next.withLock { $0.value } - 1) }

        /// Waits for the receipt that covers all that was submitted.
        func awaitAll() throws {
            while true {
                var isDone = false
                for outcome in writer.takeOutcomes() {
                    switch outcome {
                    case .committed(let receipt): isDone = isDone || receipt.through >= last
                    case .wantsCarrying: requests.withLock { $0 += 1 }
                    case .rejected, .failed, .closed: Issue.record("\(outcome)")
                    }
                }
                if isDone { return writer.writeMark() }
                try awaitWord()
            }
        }

        /// Single records, one after the other: more than it takes until they are written in place.
        func submitOneByOne() throws {
            for _ in 0..<200 {
                submit(1)
                try awaitAll()
            }
        }

        /// How often events should have been stated again.
        var asked: Int { requests.withLock { $0 } }

        /// - Returns: whether the journal was closed in good order.
        func close() throws -> Bool {
            writer.close()
            while true {
                for case .closed(let error) in writer.takeOutcomes() { return error == nil }
                try awaitWord()
            }
        }

        /// - Returns: whether the journal's disk has failed.
        func awaitFailure() throws -> Bool {
            while true {
                for case .failed in writer.takeOutcomes() { return true }
                try awaitWord()
            }
        }

        private func awaitWord() throws {
            guard spoken.awaitSignal() else { throw Silence() }
        }
    }

    @Test func `a disk that fails takes no mark with it`() throws {
        let disk = SimulatedDisk()
        let bench = try Bench(disk)
        try bench.submitOneByOne()
        let next = bench.last.next
        disk.fail("commit.sync", EIO)
        bench.submit(1)
        try expect(bench.awaitFailure())
        expect(StorePosition(markOn: disk)?.next, is: next)
    }

    @Test(arguments: [4_097, 5_000])
    func `a large submission after single ones is written whole, with none to follow`(
        _ count: Int
    ) throws {
        let disk = SimulatedDisk()
        let bench = try Bench(disk)
        try bench.submitOneByOne()
        bench.submit(count)
        try bench.awaitAll()
        try expect(bench.close())
        disk.kill()
        let known = try JournalRig(disk).recovered.entries.count
        expect(known, is: Int(bench.last.value))
    }

    @Test func `presses go on while segments are retired`() throws {
        let disk = SimulatedDisk()
        var limits = Journal.Limits.small
        limits.segmentBytes = 40_000
        limits.freeBytes = 0
        let bench = try Bench(disk, limits)
        var rounds = 0
        // The thread may get its turn late on a busy machine.
        while disk.names(.history).count < 3 || rounds < 400 {
            rounds += 1
            try require(rounds < 100_000, "nothing is retired")
            bench.submit(3)
            try bench.awaitAll()
        }
        try expect(bench.close())
        disk.kill()
        try expect(Set(disk.allIDs).count, is: 3 * rounds)
        let known = try JournalRig(disk, limits: .plain).recovered
        expect(known.recoveryReport.sentences.isEmpty)
    }

    @Test func `asks for what is stated in the oldest segment to be stated again`() throws {
        let disk = SimulatedDisk()
        var limits = Journal.Limits.small
        limits.segmentBytes = 4_000
        limits.freeBytes = 0
        let bench = try Bench(disk, limits, stated: 1)
        var rounds = 0
        while bench.asked == 0 {
            rounds += 1
            try require(rounds < 100_000, "nothing is asked for")
            bench.submit(40)
            try bench.awaitAll()
        }
        try expect(bench.close())
    }

    @Test func `closing writes what is left of a large submission`() throws {
        let disk = SimulatedDisk()
        let bench = try Bench(disk)
        try bench.submitOneByOne()
        bench.submit(5_000)
        try expect(bench.close())
        disk.kill()
        let rig = try JournalRig(disk)
        expect(rig.recovered.entries.count, is: Int(bench.last.value))
        expect(rig.recovered.recoveryReport.wasClosed)
    }
}
