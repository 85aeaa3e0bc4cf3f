import Foundation
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

struct SignalsTests {
    @Test func `takes a limit on file sizes for a full disk, and lives`() async {
        await #expect(processExitsWith: .success) {
            // Whoever runs the tests may ignore it, and their threads block it: ours do neither.
            signal(SIGXFSZ, SIG_DFL)
            var set = sigset_t()
            unsafe _ = sigemptyset(&set)
            unsafe _ = sigaddset(&set, SIGXFSZ)
            unsafe _ = pthread_sigmask(SIG_UNBLOCK, &set, nil)
            Signals.prepare()
            let path = TestProcess.folder + "beemed-signals-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: path) }
            let folder = try DataFolder(path: path, note: "")
            var (journal, _, _) = try Journal.open(
                try SystemDisk(dataFolder: folder.path), store: "5704e", time: UnixTime(0))
            try require(FileSizeLimit.set(to: 3_000))
            let live = LiveSize(bytes: 0)
            let long = String(repeating: "x", count: 4_000)
            #expect(throws: CommitFailure.full(DiskError("commit.append", code: EFBIG))) {
                try journal.commit(
                    [Record(SequenceNumber(1), .put(try event("long", long)))], live: live)
            }
            let kept = try journal.commit(
                [Record(SequenceNumber(1), .put(try event("short", "")))], live: live)
            expect(kept.through, is: SequenceNumber(1))
        }
    }
}

private func event(_ id: String, _ comment: String) throws -> Event {
    Event(
        key: EventKey(
            DeviceIdentity(name: try require(DeviceName("button")), generation: nil),
            try require(EventID(id))),
        goal: try require(GoalSlug("water")), value: 1, comment: comment, at: UnixTime(0),
        timeSource: .receipt,
        arrival: Event.Arrival(
            wall: UnixTime(0), monotonic: Monotonic(milliseconds: 0), boot: "b"))
}
