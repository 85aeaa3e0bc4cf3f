import Foundation
import Testing

@testable import BeemedDomain

/// Compaction between batches.
@Suite struct CompactionTests {
    private static let compaction = "00000002.jnl"

    /// A journal of forty settled events in one segment, whose rotation has begun a compaction.
    private func crowded(
        open: [Int] = [], _ change: (inout Journal.Limits) -> Void = { _ in }
    ) throws -> JournalRig {
        var limits = Journal.Limits.small
        limits.segmentBytes = 4_000
        change(&limits)
        var rig = try JournalRig(limits: limits)
        for index in 0..<40 {
            let number = rig.next
            try rig.put("e\(index)")
            guard !open.contains(index) else { continue }
            try rig.commit(.done(of: number, how: .created, datapoint: nil))
        }
        try rig.journal.rotateIfNeeded(
            live: LiveSize(events: 1, bytes: 0), time: UnixTime(1_760_000_000))
        #expect(rig.journal.wantsKnownEvents)
        return rig
    }

    private func known(_ numbers: [UInt64]) -> KnownEvents {
        KnownEvents(numbers.map { SequenceNumber($0) }, count: numbers.count)
    }

    @Test func `presses are written between its slices`() throws {
        var rig = try crowded()
        rig.journal.compact(keeping: known([1, 3]))
        var presses: [String] = []
        while rig.journal.isCompacting {
            try rig.journal.compactSome()
            presses.append("p\(presses.count)")
            try rig.put(presses[presses.count - 1])
        }
        #expect(presses.count > 20)
        #expect(rig.disk.names(.journal).contains(CompactionTests.compaction))
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids == ["e0", "e1"] + presses)
        #expect(Set(try rig.disk.pastIDs) == Set((2..<40).map { "e\($0)" }))
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `a day's revisions and deliveries leave one line of each`() throws {
        var limits = Journal.Limits.small
        limits.segmentBytes = 4_000
        var rig = try JournalRig(limits: limits)
        try rig.commit(.put(JournalFormatTests.total))
        for value in 1...60 {
            let revision = rig.next
            try rig.commit(.revise(of: 1, value: Double(value)))
            try rig.commit(.done(of: 1, how: .updated, datapoint: "d", through: revision))
        }
        try rig.rotate(events: 1)
        try rig.reopen(limits: limits)
        #expect(rig.recovered.kept.count == 3, "put, revise, done")
        #expect(rig.recovered.entries.map(\.recorded.value) == [60])
        #expect(rig.recovered.entries.map(\.recorded.isAtRest) == [true])
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }

    @Test func `a day's value survives whatever was recorded after it`() throws {
        let later: [Record.Fact] = [
            .tried(of: 1, attempts: 1, why: "no answer"),
            .timed(of: 1, at: UnixTime(1_760_000_001)),
            .refused(of: 1, status: 422, why: "no"), .done(of: 1, how: .updated, datapoint: "d"),
            .undo(of: 1),
        ]
        for fact in later {
            var limits = Journal.Limits.small
            limits.segmentBytes = 2_000
            var rig = try JournalRig(limits: limits)
            try rig.commit(.put(JournalFormatTests.total))
            for value in 1...60 { try rig.commit(.revise(of: 1, value: Double(value))) }
            try rig.commit(fact)
            try rig.reopen(limits: limits)
            let before = rig.recovered.entries.map(\.recorded)
            #expect(before.map(\.value) == [60])
            for index in 0..<20 { try rig.put("p\(index)") }
            try rig.rotate(events: 1)
            try rig.reopen(limits: limits)
            #expect(rig.recovered.entries.first?.recorded == before.first, "\(fact)")
        }
    }

    @Test func `a slice reads and writes no more than a slice`() throws {
        var rig = try crowded { $0.sliceBytes = 1_000 }
        rig.journal.compact(keeping: known([1]))
        var before = rig.disk.calls
        while rig.journal.isCompacting {
            try rig.journal.compactSome()
            #expect(rig.disk.calls - before <= 80, "so many calls of the disk in one slice")
            before = rig.disk.calls
        }
    }

    @Test func `an event that only the segments show as waiting stays`() throws {
        var rig = try crowded(open: [5, 17])
        rig.journal.compact(keeping: known([]))
        try rig.compact()
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids == ["e5", "e17"])
        #expect(rig.recovered.pendingIDs == ["e5", "e17"])
        #expect(try rig.disk.pastIDs.count == 38)
    }

    @Test func `a kill between any two slices loses and doubles nothing`() throws {
        var slices = 0
        while true {
            var rig = try crowded(open: [7])
            rig.journal.compact(keeping: known([1, 3, 5]))
            for _ in 0..<slices where rig.journal.isCompacting { try rig.journal.compactSome() }
            let isOver = !rig.journal.isCompacting
            try rig.put("late")
            try rig.reopen(limits: .plain)
            #expect(rig.recovered.recoveryReport.sentences.isEmpty, "after slice \(slices)")
            let all = rig.recovered.ids + (try rig.disk.pastIDs)
            #expect(all.count == 41, "after slice \(slices)")
            #expect(Set(all).count == 41, "after slice \(slices)")
            if isOver { break }
            slices += 1
        }
        #expect(slices > 20)
    }

    @Test func `without room it ends, leaves no file, and is tried again later`() throws {
        for site in ["compact.create", "compact.append", "history.append", "history.create"] {
            var rig = try crowded()
            rig.journal.compact(keeping: known([1]))
            rig.disk.fail(site, 28)
            try rig.compact()
            #expect(!rig.disk.names(.journal).contains(CompactionTests.compaction), "\(site)")
            #expect(!rig.disk.names(.journal).contains { $0.hasSuffix(".tmp") }, "\(site)")
            #expect(rig.disk.names(.history).isEmpty, "\(site)")
            let compactions = try (0..<300).filter { index in
                try rig.put("p\(index)")
                try rig.journal.rotateIfNeeded(
                    live: LiveSize(events: 1, bytes: 0), time: UnixTime(1_760_000_000))
                if rig.journal.wantsKnownEvents { return true }
                try rig.compact()
                return false
            }
            // From twice as many lines on; nobody says which events are known, so it waits.
            #expect(try #require(compactions.first) > 60, "\(site)")
            try rig.reopen(limits: .plain)
            #expect(rig.recovered.ids.count == 340, "\(site)")
            #expect(rig.recovered.recoveryReport.sentences.isEmpty, "\(site)")
        }
    }

    @Test func `segments that were changed are left for a start to report`() throws {
        var rig = try crowded()
        let name = StoredFile.segment(1)
        let bytes = try #require(rig.disk.bytes(name))
        let lines = bytes.split(separator: 0x0A).map { Array($0) + [0x0A] }
        // A line is gone, and the others are whole.
        rig.disk.put(name, Array((lines[..<20] + lines[21...]).joined()))
        rig.journal.compact(keeping: known([1]))
        try rig.compact()
        #expect(!rig.disk.names(.journal).contains(CompactionTests.compaction))
        try rig.put("late")
        try rig.reopen(limits: .plain)
        #expect(rig.recovered.recoveryReport.missing.count == 1)
    }

    @Test func `the next one removes what the first has replaced`() throws {
        var rig = try crowded()
        rig.journal.compact(keeping: known([1]))
        try rig.compact()
        #expect(rig.disk.journalNames.filter { $0.hasSuffix(".jnl") }.count == 3)
        while !rig.journal.wantsKnownEvents {
            let number = rig.next
            try rig.put("n\(number)")
            try rig.commit(.done(of: number, how: .created, datapoint: nil))
            try rig.journal.rotateIfNeeded(
                live: LiveSize(events: 1, bytes: 0), time: UnixTime(1_760_000_000))
        }
        rig.journal.compact(keeping: known([1]))
        try rig.compact()
        let names = ["00000002.jnl", "00000003.jnl", "00000004.jnl", "00000005.jnl", "reserve"]
        #expect(rig.disk.journalNames == names)
        try rig.reopen(limits: .small)
        #expect(rig.recovered.ids == ["e0"])
        #expect(rig.recovered.recoveryReport.sentences.isEmpty)
    }
}
