import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// The engine without a loop, a network and a clock of its own.
struct RelayEngineTests {
    private let folder = TemporaryFolder()
    private let clock = HandClock()
    private let written = DispatchSemaphore(value: 0)

    private func engine() throws -> RelayEngine {
        let store = try RelayFolder(folder.path).store
        let (journal, recovered, receipt) = try Journal.open(
            try SystemDisk(dataFolder: folder.path), store: UUID().uuidString,
            time: clock.moment.wall)
        // Nothing answers there.
        let beeminder = try BeeminderClient(
            base: "http://127.0.0.1:9", account: .personalToken("s3cret"),
            wallClock: { [clock] in clock.moment.wall })
        let core = RelayCore(recovered, under: receipt, boot: "boot", seed: 1)
        let engine = RelayEngine(
            core, recovered.recoveryReport, beeminder, SettingsFiles(store, .silent),
            .silent, clock: { [clock] in clock.moment })
        let writer = JournalWriter(wallClock: { [clock] in clock.moment.wall }) {
            [written] in written.signal()
        }
        writer.start(journal)
        engine.start(writer) { _ in }
        let now = clock.moment
        engine.handle(.receivedTime(UpstreamTime(now.wall, at: now.monotonic)))
        return engine
    }

    private func press(_ number: Int) throws -> Press {
        Press(
            device: try require(DeviceName("button")), id: EventID("e\(number)"),
            goal: try require(GoalSlug("water")))
    }

    /// Submits a press and commits until its reply is there.
    private func answer(_ number: Int, by engine: RelayEngine) throws {
        engine.submit(try press(number), at: clock.moment, for: .function { _ in })
        while engine.endTurn().replies.isEmpty {
            try require(written.awaitSignal())
        }
    }

    @Test func `a time that has come does not wake the loop again`() throws {
        let engine = try engine()
        engine.handle(.connected(.unknown))
        engine.handle(.fetched(.noUser))
        let due = try require(engine.wakeAt)
        clock.pass(to: due)
        expect(!engine.core.refresh.isAsking)
        engine.wake()
        expect(engine.core.refresh.isAsking)
        // Nothing else is due before Beeminder answers or the time-out ends.
        expect(engine.wakeAt.map { $0 > due } ?? true)
    }

    @Test func `deliveries begin behind the answers`() throws {
        let engine = try engine()
        engine.handle(.connected(.unknown))
        engine.handle(.fetched(.noUser))
        try answer(0, by: engine)
        expect(!engine.core.isSending && engine.isSending)
        _ = engine.followUp()
        expect(engine.core.isSending && engine.isSending)
        expect(!engine.followUp())
    }
}

/// A clock that a test sets.
private final class HandClock: Sendable {
    private let now = Mutex(
        Moment(wall: UnixTime(1_795_000_000), monotonic: Monotonic(milliseconds: 1_000)))

    var moment: Moment { now.withLock { $0 } }

    func pass(to time: Monotonic) {
        now.withLock { now in
            let seconds = (time.milliseconds - now.monotonic.milliseconds) / 1_000
            now = Moment(wall: now.wall.adding(seconds), monotonic: time)
        }
    }
}
