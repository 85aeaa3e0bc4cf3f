import BeemedDomain
import Foundation
import Synchronization
import Testing

@testable import BeemedRelay

/// The engine without a loop, a network and a clock of its own.
@Suite struct RelayEngineTests {
    private let folder = TemporaryFolder()
    private let clock = HandClock()
    private let beeminder = SilentBeeminder()

    private func engine() throws -> RelayEngine {
        let store = try RelayFolder(folder.path).store
        let (_, recovered, receipt) = try Journal.open(
            try SystemDisk(dataFolder: folder.path), store: UUID().uuidString,
            time: clock.moment.wall)
        let core = RelayCore(recovered, under: receipt, boot: "boot", seed: 1)
        let engine = RelayEngine(
            core, recovered.recoveryReport, beeminder, SettingsFiles(store, .silent),
            .silent, clock: { [clock] in clock.moment })
        let writer = JournalWriter(wallClock: { [clock] in clock.moment.wall }) {}
        engine.start(writer) { _ in }
        return engine
    }

    @Test func `a time that has come does not wake the loop again`() throws {
        let engine = try engine()
        engine.hear(.connected(as: nil, user: nil))
        engine.hear(.fetched(.goals([], user: UpstreamUser(name: "alice", timezone: "UTC"))))
        let due = try #require(engine.wakeAt)
        clock.pass(to: due)
        let asked = beeminder.fetches
        engine.wake()
        #expect(beeminder.fetches == asked + 1)
        // Nothing else is due before Beeminder answers or the time-out ends.
        #expect(engine.wakeAt.map { $0 > due } ?? true)
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

/// A Beeminder that counts the requests and answers none.
private final class SilentBeeminder: AccountUpstream {
    private let count = Atomic(0)

    var fetches: Int { count.load(ordering: .relaxed) }

    let isConnected = true

    func send(
        _ batch: DatapointBatch, report: @escaping @Sendable (BeemedDomain.BatchResult) -> Void
    ) {}
    func erase(_ deletion: DatapointDeletion, report: @escaping @Sendable (Outcome) -> Void) {}
    func fetchGoals(since: Int64?, report: @escaping @Sendable (GoalAnswer) -> Void) {
        count.add(1, ordering: .relaxed)
    }
    func onTime(_ listener: @escaping @Sendable (UpstreamTime) -> Void) {}
    func use(_ account: Account?) {}
    func identify(_ account: Account, report: @escaping @Sendable (Identity) -> Void) {}
}
