import Foundation
import Testing

@testable import BeemedDomain

/// Seeded lives of a whole relay. `SEED=42 swift test --filter SimulationTests` replays one,
/// `SEEDS=10000` runs so many, and `SEED_FILE` names a file that holds the one that is running.
@Suite struct SimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The seeds of this run.
    static var seeds: Range<UInt64> {
        if let seed = number("SEED") { return seed..<(seed + 1) }
        let first = number("FIRST") ?? 0
        return first..<(first + (number("SEEDS") ?? 60))
    }

    /// Lives a life from each seed, and records the first violation of each that fails.
    private func live(_ run: (UInt64) throws -> [String]) rethrows {
        var failed = 0
        let note = ProcessInfo.processInfo.environment["SEED_FILE"]
        for seed in SimulationTests.seeds where failed < 10 {
            // A trap leaves no time to say which seed it was.
            if let note { try? "\(seed)\n".write(toFile: note, atomically: false, encoding: .utf8) }
            if let first = try run(seed).first {
                failed += 1
                Issue.record("SEED=\(seed): \(first)")
            }
        }
    }

    @Test func `keeps every promise, whatever happens`() {
        live { Simulation.run(seed: $0) }
    }

    @Test func `keeps every promise in a cluster, whoever leads`() {
        live { Simulation.run(seed: $0, isCluster: true) }
    }

    @Test func `shows every merged press once, whatever happens`() throws {
        try live(MergingSimulation.run(seed:))
    }

    @Test func `sends every press with its own time, whatever the clock says`() throws {
        try live(ClockSimulation.run(seed:))
    }

    @Test func `reminds once, at the right time and for a reason, whatever happens`() throws {
        try live(ReminderSimulation.run(seed:))
    }

    /// Seeds that have failed once, with what they found. The lives have changed since, so what
    /// each of them showed has a test of its own beside this.
    @Test(
        arguments: [
            // What became of events while the disk was full was lost with a clean end after it.
            29, 34, 234, 681, 1_560,
            // What a full disk did not vouch for was delivered, lost with the power, and its number
            // given out again.
            5_144_605,
            // A rejection overtook the receipt of the batch before it.
            0,
            // A full disk took less of a batch than it said, and the rest was written behind the
            // gap: a start called what nobody was promised damage.
            227_208,
            // An undoing that found no room put a refused event into its queue again, and it was
            // sent after it was undone.
            475_516,
            // Other records were written in place while a rejection was heard; to be online then
            // was the truth.
            403_165, 428_393,
            // A press that was moved to another goal stayed in its old queue as well.
            1_016_790,
            // The same with a press that waited for its user, who was named meanwhile.
            145,
            // A value that was refused took the newer one of its day with it.
            25,
            // A refusal that had found no room was written behind the newer value.
            1_141,
            // A newer value was on its way when another user was connected, and went to that one.
            1_206,
            // A press that was moved twice was not deleted at the first goal, where it had arrived.
            104,
            // A value that Beeminder applied late replaced the newer one, which had arrived.
            132,
        ] as [UInt64])
    func `keeps the promises that it once broke with`(_ seed: UInt64) {
        #expect(Simulation.run(seed: seed).isEmpty)
    }

    /// The same in a cluster.
    @Test(
        arguments: [
            // A value that became durable put a day into its queue while its undo was on the way to
            // the disk: it was sent after the undo had said that nothing was.
            113,
            // A compaction put a day's value behind the record of a failed attempt, and the next
            // start took it for an older one.
            611,
            // A press was moved away from a goal that was gone, and came back with it.
            1_316,
        ] as [UInt64])
    func `keeps the promises that it once broke in a cluster with`(_ seed: UInt64) {
        #expect(Simulation.run(seed: seed, isCluster: true).isEmpty)
    }

    @Test func `lives the same life again from the same seed`() throws {
        for seed in 0..<5 as Range<UInt64> {
            let lives = try (0..<2).map { _ in
                var life = try Simulation(seed: seed)
                for _ in 0..<120 { try life.step() }
                return "\(life.disk.calls) \(life.wall) \(life.beeminder.count)"
            }
            #expect(lives[0] == lives[1])
        }
    }

    @Test func `lives through everything that it is meant to`() throws {
        var (starts, accepted, delivered, requests, late) = (0, 0, 0, 0, 0)
        for seed in 0..<30 as Range<UInt64> {
            var life = try Simulation(seed: seed)
            for _ in 0..<150 { try life.step() }
            starts += life.starts
            accepted += life.promises.accepted.count
            delivered += life.beeminder.count
            requests += life.beeminder.requests
            late += life.lateArrivals
        }
        #expect(starts > 60)
        #expect(accepted > 150)
        #expect(delivered > 50)
        #expect(requests > 100)
        #expect(late > 10)
    }

    @Test func `lives through everything that a cluster is meant to`() throws {
        var (starts, accepted, calls, late, zombies) = (0, 0, 0, 0, 0)
        for seed in 0..<30 as Range<UInt64> {
            var life = try Simulation(seed: seed, isCluster: true)
            for _ in 0..<150 { try life.step() }
            starts += life.starts
            accepted += life.promises.accepted.count
            calls += life.cluster?.etcd.with { $0.calls } ?? 0
            late += life.cluster?.etcd.with { $0.lateArrivals } ?? 0
            zombies += life.cluster?.fencedBatches ?? 0
        }
        #expect(starts > 60)
        #expect(accepted > 150)
        #expect(calls > 1_000)
        #expect(late > 10)
        #expect(zombies > 10)
    }
}
