import Foundation
import Testing

@testable import BeemedDomain

/// Seeded lives of a whole relay, 24 in CI and 8 elsewhere. `SEED=42 swift test --filter SimulationTests` replays one,
/// `SEEDS=10000` runs so many, and `SEED_FILE` names a file that holds the one that is running.
struct SimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The seeds of this run.
    static var seeds: Range<UInt64> {
        if let seed = number("SEED") { return seed..<(seed + 1) }
        let first = number("FIRST") ?? 0
        return first..<(first + (number("SEEDS") ?? (Thorough.isEveryPlace ? 24 : 8)))
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

    @Test func `lives the same life again from the same seed`() throws {
        for seed in 0..<5 as Range<UInt64> {
            let lives = try (0..<2).map { _ in
                var life = try Simulation(seed: seed)
                for _ in 0..<120 { try life.step() }
                return "\(life.disk.calls) \(life.wall) \(life.beeminder.count)"
            }
            expect(lives[0], is: lives[1])
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
        expect(starts > 60)
        expect(accepted > 150)
        expect(delivered > 50)
        expect(requests > 100)
        expect(late > 10)
    }

    @Test func `lives through everything that a cluster is meant to`() throws {
        var (starts, accepted, calls, late, zombies) = (0, 0, 0, 0, 0)
        for seed in 0..<12 as Range<UInt64> {
            var life = try Simulation(seed: seed, isCluster: true)
            for _ in 0..<150 { try life.step() }
            starts += life.starts
            accepted += life.promises.accepted.count
            calls += life.cluster?.etcd.with { $0.calls } ?? 0
            late += life.cluster?.etcd.with { $0.lateArrivals } ?? 0
            zombies += life.cluster?.fencedBatches ?? 0
        }
        expect(starts > 24)
        expect(accepted > 60)
        expect(calls > 400)
        expect(late > 4)
        expect(zombies > 4)
    }
}
