import BeemedDomain
import Foundation
import Testing

@testable import BeeminderSimulator
@testable import RelayHealth

/// A file of samples that is damaged never lowers a day.
struct DamagedSamplesTests {
    private static let sample =
        #"{"metric":"steps","value":5000,"start":"2026-11-22T08:00:00+01:00"}"#
    private static let other = sample.replacing("5000", with: "10").replacing("T08", with: "T09")

    @Test(arguments: ["", "[", "{}", "\u{0}\u{0}\u{0}", #"{"meaning":"x"}"#, #"{"samples":[]}"#])
    func `is set aside, and the day only rises until its whole value comes`(
        _ content: String
    ) throws {
        let bench = try HealthBench()
        _ = try bench.read(DamagedSamplesTests.sample)
        let path = "\(bench.folder.path)/health/walk-20261122.json"
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let first = try bench.read(DamagedSamplesTests.other)
        expect(first.days.map(\.total.isPartial), is: [true])
        expect(first.alarms.count == 1 && first.alarms[0].contains("2026-11-22"))
        let aside = try FileManager.default.contentsOfDirectory(
            atPath: "\(bench.folder.path)/quarantine")
        expect(aside.count == 1 && aside[0].hasPrefix("health-20261122-"))
        let kept = try Data(
            contentsOf: URL(fileURLWithPath: "\(bench.folder.path)/quarantine/\(aside[0])"))
        expect(kept, is: Data(content.utf8))
        let again = try bench.read(DamagedSamplesTests.other)
        expect(again.days.map(\.total.isPartial) == [true] && again.alarms.isEmpty)
        let whole = try bench.read(#"{"metric":"steps","value":7,"date":"2026-11-22"}"#)
        expect(whole.days.map(\.total.isPartial), is: [false])
    }

    @Test func `a damaged digit is found`() throws {
        for (from, to) in [("5000", "1000"), ("\"start\"", "\"stars\""), ("Watch", "Match")] {
            let bench = try HealthBench()
            _ = try bench.read(
                DamagedSamplesTests.sample.replacing("}", with: #","source":"Watch"}"#))
            let file = URL(fileURLWithPath: "\(bench.folder.path)/health/walk-20261122.json")
            var text = try String(contentsOf: file, encoding: .utf8)
            expect(text.contains(from))
            text = text.replacing(from, with: to)
            try Data(text.utf8).write(to: file)
            let reading = try bench.read(DamagedSamplesTests.other)
            expect(reading.days.map(\.total.isPartial), is: [true], "\(to): \(text)")
            expect(reading.days.map(\.total.value), is: [10])
        }
    }

    @Test func `the datapoint keeps its value, and an alarm says so`() async throws {
        let folder = TemporaryFolder()
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let rule = #"{"metric":"steps","goal":"water"}"#
        try expect(relay.call("PUT", "/rules/walk", rule, token: relay.owner).status, is: 200)
        let today = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400)
        func send(_ value: Int, _ hour: String) throws -> NSDictionary? {
            let body =
                #"{"metric":"steps","value":\#(value),"start":"\#(today.dashed)T\#(hour):00:00Z"}"#
            let answer = try relay.call("POST", "/health", body, token: relay.owner)
            return (try members(answer.body)["days"] as? [NSDictionary])?.first
        }
        try expect(send(5_000, "01")?["state"] as? String, is: "queued")
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        let path = "\(folder.path)/health/walk-\(today).json"
        try Data("[".utf8).write(to: URL(fileURLWithPath: path))
        let after = try send(10, "02")
        expect(after?["state"] as? String == "ignored" && after?["why"] as? String == "partial")
        expect(after?["value"] as? Double, is: 5_000)
        try expect(send(6_000, "03")?["state"] as? String, is: "queued")
        let health = try relay.call("GET", "/healthz", token: "-").body
        expect(health.contains("health data of \(today.dashed) are damaged"), "\(health)")
        expect(!health.contains("walk") && health.contains(#""status":"degraded""#))
    }
}
