import BeemedDomain
import Foundation
import Testing

@testable import BeeminderSimulator
@testable import RelayHealth
@testable import RelayTrunk

/// Health data that comes before it is known which day it is.
struct HeldBodyTests {
    private let folder = TemporaryFolder()

    private static func day(_ back: Int64) -> Daystamp {
        Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400 - back)
    }

    private func held(
        bytes: Data, wall: Int, monotonic: Int, isTimeSure: Bool = true
    ) throws -> HeldBody {
        let members =
            #"{"bytes":"\#(bytes.base64EncodedString())","device":"phone","wall":\#(wall),"#
            + #""generation":"x7k2p1","monotonic":\#(monotonic),"boot":"b1","#
            + #""isTimeSure":\#(isTimeSure)}"#
        return try JSONDecoder().decode(HeldBody.self, from: Data(members.utf8))
    }

    /// A relay that has never heard of Beeminder: neither the zone nor the right time is known.
    private func offline() throws -> RunningRelayProgram {
        try RunningRelayProgram(
            in: folder, beeminder: "http://127.0.0.1:\(try LoopbackPort.reserved())",
            account: .personalToken(RunningBeeminder.token))
    }

    @Test func `what names no day is kept until the day is known`() async throws {
        let yesterday = Self.day(1)
        let today: [String]
        do {
            let relay = try offline()
            let rule = #"{"metric":"steps","goal":"water"}"#
            try expect(relay.call("PUT", "/rules/walk", rule, token: relay.owner).status, is: 200)
            let before = Self.day(0)
            for body in [
                #"{"metric":"steps","value":20}"#,
                // Longer than the request log keeps.
                #"{"metric":"steps","value":9500,"date":"\#(yesterday.dashed)"}"#
                    + String(repeating: " ", count: 100_000),
            ] {
                let answer = try relay.call("POST", "/health", body, token: relay.owner)
                expect(answer.status == 200 && answer.body.contains(#""held":true"#))
            }
            today = [before, Self.day(0)].map { "health.walk-\($0)" }
            let wrong = try relay.call("POST", "/health", "{}", token: relay.owner)
            expect(wrong.status, is: 400, "\(wrong.body)")
        }
        expect(RelayStore(folder: folder.path).heldBodies.count, is: 2)
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        let posted = await beeminder.posted(to: "water")
        let values = Dictionary(posted.map { ($0.requestID ?? "", $0.value) }) { $1 }
        expect(values["health.walk-\(yesterday)"], is: 9_500)
        expect(today.contains { values[$0] == 20 }, "\(values)")
    }

    @Test func `a folder in which a body is held is not taken over`() {
        expect(HealthQueue(RuleBook(), SeenMetrics(), [7]).isBusy)
        expect(!HealthQueue(RuleBook(), SeenMetrics(), []).isBusy)
    }

    @Test func `a body whose day or disk is missing`() {
        each(
            Self.init,
            [
                Self.`a dry run before the day is known keeps nothing`,
                Self.`a disk that fails leaves a held body, and damage leaves its file`,
                Self.`by a clock that nobody has compared only a named day counts`,
                Self.`the time of a body is told by the clock of its boot`,
            ])
    }

    private func `a dry run before the day is known keeps nothing`() throws {
        let relay = try offline()
        let body = #"{"metric":"steps","value":20}"#
        let answer = try relay.call("POST", "/health?dry_run=1", body, token: relay.owner)
        expect(answer.status == 200 && !answer.body.contains("held"))
        expect(RelayStore(folder: folder.path).heldBodies.isEmpty)
    }

    private func `a disk that fails leaves a held body, and damage leaves its file`() throws {
        let bench = try HealthBench()
        let store = RelayStore(folder: bench.folder.path)
        let steps = #"{"metric":"steps","value":20}"#
        try store.save(
            try held(bytes: Data(steps.utf8), wall: 0, monotonic: 0), as: 1)
        let job = try bench.job(steps)
        let today = try bench.calendar().day(at: bench.now)
        let health = "\(bench.folder.path)/health"
        let samples = "\(health)/walk-\(today).json"
        let files = FileManager.default
        try files.createDirectory(atPath: samples, withIntermediateDirectories: true)
        try expect(store.heldBody(1).bytes, is: Data(steps.utf8))
        let failure = #expect(throws: Problem.self) { try HealthReading(job) }
        expect(failure?.mayPass, is: true)
        try files.removeItem(atPath: samples)
        try expect(HealthReading(job)?.days.map(\.total.value), is: [20])
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(health)/held.body-1.json"))
        let damage = #expect(throws: Problem.self) { try store.heldBody(1) }
        expect(damage?.mayPass, is: false)
        expect(store.heldBodies, is: [1])
    }

    private func `by a clock that nobody has compared only a named day counts`() throws {
        var bench = try HealthBench()
        let undated = #"{"metric":"steps","value":20}"#
        let dated = #"{"metric":"steps","value":20,"date":"2026-11-22"}"#
        // Two months behind: the core decides, and it takes more than the usual days then.
        bench.now = bench.now.adding(-60 * 86_400)
        try expect(bench.reading(undated, known: .named) == nil)
        let named = try bench.reading(dated, known: .named)
        expect(named?.days.map(\.ignored), is: [nil])
        try expect(bench.reading(dated, known: .none) == nil)
        try expect(bench.read(undated).days.count, is: 1)
        bench.now = UnixTime(0)
        try expect(bench.reading(undated, known: .named) == nil)
    }

    private func `the time of a body is told by the clock of its boot`() throws {
        let body = try held(bytes: Data(), wall: 1_000, monotonic: 5_000)
        let now = Moment(wall: UnixTime(100_000), monotonic: Monotonic(milliseconds: 65_000))
        expect(body.received(at: now, boot: "b1"), is: UnixTime(99_940))
        expect(body.received(at: now, boot: "b2"), is: UnixTime(1_000))
        let unsure = try held(bytes: Data(), wall: 1_000, monotonic: 5_000, isTimeSure: false)
        expect(unsure.received(at: now, boot: "b1"), is: UnixTime(99_940))
        expect(unsure.received(at: now, boot: "b2"), is: nil)
    }
}
