#if os(Linux)
    import Foundation
    import Testing

    @testable import BeemedDomain

    /// In a process of its own, whose memory is nobody else's.
    @Suite struct FreedMemoryTests {
        @Test func `a compaction gives back the memory that it used`() async {
            await #expect(processExitsWith: .success) {
                let path = TestProcess.folder + "beemed-memory-" + UUID().uuidString
                defer { try? FileManager.default.removeItem(atPath: path) }
                let folder = try DataFolder(path: path, note: "")
                var limits = Journal.Limits.plain
                limits.segmentBytes = 1 << 20
                var (journal, _, _) = try Journal.open(
                    try SystemDisk(dataFolder: folder.path), store: "5704e", time: UnixTime(0),
                    limits: limits)
                let live = LiveSize(events: 15_000, bytes: 0)
                var records = (1...15_000 as ClosedRange<UInt64>).map {
                    Record(SequenceNumber($0), .put(.make("event-\($0)")))
                }
                records += (15_001...66_000 as ClosedRange<UInt64>).map {
                    Record(SequenceNumber($0), .mark)
                }
                var rest = records[...]
                while !rest.isEmpty {
                    let receipt = try journal.commitAndMark(rest, live: live)
                    rest = rest.drop { $0.number <= receipt.through }
                }
                records = []
                rest = []
                FreedMemory.giveBack()
                let before = residentBytes()
                try journal.rotateIfNeeded(live: live, time: UnixTime(0))
                let known = KnownEvents(
                    (1...15_000 as ClosedRange<UInt64>).map { SequenceNumber($0) }, count: 15_000)
                journal.compact(keeping: known)
                var most = 0
                while journal.isCompacting {
                    try journal.compactSome()
                    most = max(most, residentBytes() - before)
                }
                // All of it read at once would take more than 20 MB.
                #expect(most < 12 << 20, "\(most) bytes at most during the compaction")
                let more = residentBytes() - before
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: "\(folder.path)/journal")
                #expect(names.contains("00000002.jnl"))
                // Measured without giving back: more than 20 MB.
                #expect(more < 6 << 20, "\(more) bytes more than before")
            }
        }
    }

    /// What the process holds in memory, in bytes (proc_pid_statm(5)).
    private func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
#endif
