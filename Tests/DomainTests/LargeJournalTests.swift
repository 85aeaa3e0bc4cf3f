import Foundation
import Testing

@testable import BeemedDomain

/// A start with as much in custody as there may be: 64 MiB live. `LARGE=1 swift test` in a release
/// build; it writes a few hundred megabytes.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["LARGE"] != nil))
struct LargeJournalTests {
    private func fill(_ path: String, comment: String, bytes: Int) throws -> Int {
        let folder = try DataFolder(path: path, note: "")
        let disk = try SystemDisk(dataFolder: folder.path)
        var (journal, recovered, _) = try Journal.open(disk, store: "5704e", time: UnixTime(0))
        var next = recovered.next
        var written = 0
        var count = 0
        while written < bytes {
            let batch = (0..<2_000).map { _ -> Record in
                defer { next = next.next }
                count += 1
                return Record(next, .put(.make("event-\(count)", comment: comment)))
            }
            var rest = batch[...]
            while !rest.isEmpty {
                let receipt = try journal.commit(
                    rest, live: LiveSize(bytes: 0))
                rest = rest.drop { $0.number <= receipt.through }
            }
            try journal.maintain(live: LiveSize(bytes: 0), time: UnixTime(0))
            written = count * (190 + comment.utf8.count)
        }
        return count
    }

    private var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }

    @Test(arguments: [0, 300, 4_000]) func `starts quickly and small`(_ length: Int) throws {
        let path = TestProcess.folder + "beemed-large-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let comment = String(repeating: "c", count: length)
        let count = try fill(path, comment: comment, bytes: 64 << 20)
        let before = residentBytes
        let folder = try DataFolder(path: path, note: "")
        let start = ContinuousClock.now
        let (_, recovered, receipt) = try Journal.open(
            try SystemDisk(dataFolder: folder.path), store: "5704e", time: UnixTime(0))
        let core = RelayCore(recovered, under: receipt, boot: "b", seed: 1)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let bytes = residentBytes - before
        print("\(count) events: \(seconds) s, \(bytes >> 20) MiB more than before")
        expect(core.view.pendingEvents, is: count)
    }
}
