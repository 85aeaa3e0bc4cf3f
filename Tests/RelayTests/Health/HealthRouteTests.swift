import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeeminderSimulator
@testable import RelayHealth
@testable import RelayTrunk

/// Health data through a whole relay, to a simulated Beeminder.
struct HealthRouteTests {
    private let folder = TemporaryFolder()

    /// Today in UTC, the time zone of the simulated user's default; as the API writes it.
    private static var today: String {
        let day = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400)
        return day.dashed
    }

    private func started(
        _ beeminder: RunningBeeminder, rule: String = #"{"metric":"steps","goal":"water"}"#
    ) throws -> RunningRelayProgram {
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let put = try relay.call("PUT", "/rules/walk", rule, token: relay.owner)
        expect(put.status, is: 200, "\(put.body)")
        return relay
    }

    private func send(_ relay: RunningRelayProgram, _ body: String, _ query: String = "") throws
        -> NSDictionary
    {
        let answer = try relay.call("POST", "/health\(query)", body, token: relay.owner)
        expect(answer.status, is: 200, "\(answer.body)")
        return try members(answer.body)
    }

    private func states(_ answer: NSDictionary) -> [String] {
        (answer["days"] as? [NSDictionary] ?? []).compactMap { $0["state"] as? String }
    }

    private func steps(_ value: Int) -> String {
        #"{"metric":"steps","value":\#(value),"date":"\#(HealthRouteTests.today)"}"#
    }

    @Test func `days become datapoints`() async {
        await each(
            Self.init,
            [
                Self.`a day is one datapoint with the newest value, also a lower one`,
                Self.`a dry run and a sender's own test take nothing`,
                Self.`a rule says when its goal's days end, and keeps whose they are`,
                Self.`rules outlive a restart, and so does what the days are made of`,
                Self.`an arrival of OwnTracks is one press, however often it comes`,
            ])
    }

    private func `a day is one datapoint with the newest value, also a lower one`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try started(beeminder)
        expect(states(try send(relay, steps(100))), is: ["queued"])
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        expect(states(try send(relay, steps(100))), is: ["unchanged"])
        for value in [200, 300, 250] {
            expect(states(try send(relay, steps(value))), is: ["queued"])
        }
        try expect(relay.call("POST", "/flush", token: relay.owner).status, is: 200)
        // A value from before may have been sent, if the test took a minute until here.
        for count in 2...4 where await beeminder.posted(to: "water").map(\.value) != [250] {
            await expect(beeminder.awaitPosted(count, to: ["water"]))
        }
        let posted = await beeminder.posted(to: "water")
        let id = "health.walk-\(HealthRouteTests.today.replacing("-", with: ""))"
        expect(posted.map(\.requestID), is: [id])
        expect(posted.map(\.value), is: [250])
        let event = try members(try relay.call("GET", "/events/\(id)", token: relay.owner).body)
        expect(event["value"] as? Double, is: 250)
        expect(event["rule"] as? String, is: "walk")
    }

    @Test func `bodies and rules in order`() {
        each(
            Self.init,
            [
                Self.`a rule without a unit keeps that of its first data`,
                Self.`bodies are taken in the order in which they came, behind presses`,
                Self.`what came is named with a rule to make of it`,
                Self.`what cannot be read is told until the device's next body is read`,
                Self.`a rule that is put again keeps its samples`,
            ])
    }

    private func `a rule without a unit keeps that of its first data`() throws {
        let relay = try started(
            try RunningBeeminder(), rule: #"{"metric":"swimming_distance","goal":"water"}"#)
        let day = HealthRouteTests.today
        for (body, value) in [
            (#""value":9,"unit":"mi","dry":1"#, 9.0), (#""value":5,"unit":"km""#, 5),
            (#""value":3,"unit":"mi""#, 4.828032), (#""value":3000,"unit":"m""#, 3),
        ] {
            let body = #"{"metric":"swimming_distance","date":"\#(day)",\#(body)}"#
            let answer = try send(relay, body, body.contains("dry") ? "?dry_run=1" : "")
            let days = try require(answer["days"] as? [NSDictionary])
            expect(days.map { $0["value"] as? Double }, is: [value])
        }
        let rule = try members(try relay.call("GET", "/rules/walk", token: relay.owner).body)
        expect(rule["unit"] as? String, is: "km")
    }

    /// How many bodies are under way.
    private func underWay(_ relay: RunningRelayProgram) -> Int {
        let count = Atomic(0)
        relay.hold { relay, work in
            count.store(relay.underWay.count, ordering: .relaxed)
            Thread.detachNewThread(work)
        }()
        return count.load(ordering: .relaxed)
    }

    private func `bodies are taken in the order in which they came, behind presses`() throws {
        let relay = try started(try RunningBeeminder())
        let release = relay.hold { $0.health.work.add($1) }
        let clients = [300, 100, 200].enumerated().map { index, value in
            let client = relay.begin("POST /health", steps(value), token: relay.owner)
            while underWay(relay) <= index {}
            return client
        }
        try expect(relay.call("POST", "/log/pushups", "1").status, is: 200)
        release()
        let answers = clients.map { $0.answer() ?? "" }
        expect(answers.allSatisfy { $0.contains(#""state":"queued""#) }, "\(answers)")
        let id = "health.walk-\(HealthRouteTests.today.replacing("-", with: ""))"
        let event = try members(try relay.call("GET", "/events/\(id)", token: relay.owner).body)
        expect(event["value"] as? Double, is: 200)
    }

    private func `a dry run and a sender's own test take nothing`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try started(beeminder)
        let dry = try send(relay, steps(100), "?dry_run=1")
        expect(states(dry), is: ["queued"])
        expect(dry["dryRun"] as? Bool, is: true)
        let own = #"{"metric":"steps","value":9,"dry_run":true}"#
        try expect(send(relay, own)["dryRun"] as? Bool, is: true)
        let now = "\(HealthRouteTests.today)T00:00:00Z"
        let test =
            #"{"timestamp":"\#(now)","app_version":"1","test":true,"steps":[{"count":1,"#
            + #""start_time":"\#(now)","end_time":"\#(now)"}]}"#
        try expect(send(relay, test)["dryRun"] as? Bool, is: true)
        let list = try members(try relay.call("GET", "/events", token: relay.owner).body)
        expect((list["events"] as? [NSDictionary])?.isEmpty == true)
        let seen = try relay.call("GET", "/health/seen", token: relay.owner)
        expect(seen.body, is: #"{"metrics":[]}"#)
    }

    private func `what came is named with a rule to make of it`() throws {
        let relay = try started(try RunningBeeminder())
        let answer = try send(
            relay, #"{"metric":"vo2_max","value":48,"unit":"ml/kg/min","source":"Watch"}"#)
        expect(answer["unmapped"] as? [String], is: ["vo2_max"])
        let seen = try relay.call("GET", "/health/seen", token: relay.owner).body
        let metrics = try members(seen)["metrics"] as? [NSDictionary] ?? []
        expect(metrics.map { $0["metric"] as? String }, is: ["vo2_max"])
        expect(metrics.first?["value"] as? Double, is: 48)
        var rule = try require(metrics.first?["rule"] as? [String: Any])
        rule["goal"] = "water"
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: rule), as: UTF8.self)
        try expect(relay.call("PUT", "/rules/vo2", body, token: relay.owner).status, is: 200)
    }

    private func `what cannot be read is told until the device's next body is read`() throws {
        let relay = try started(try RunningBeeminder())
        func seen() throws -> [NSDictionary] {
            let answer = try relay.call("GET", "/health/seen", token: relay.owner)
            return try members(answer.body)["unread"] as? [NSDictionary] ?? []
        }
        let bad = HealthBench.export([("22/11/2026 2:30 م", "5")])
        let dry = try send(relay, bad, "?dry_run=1")
        expect((dry["unread"] as? [NSDictionary])?.count == 1)
        try expect(seen().isEmpty)
        let answer = try send(relay, bad)
        let element = try require((answer["unread"] as? [NSDictionary])?.first)
        expect(element["position"] as? String, is: "data.metrics[0].data[0]")
        expect((element["reason"] as? String)?.contains("22/11/2026") == true)
        expect(answer["unreadCount"] as? Int == 1 && states(answer).isEmpty)
        try expect(seen().map { $0["position"] as? String }, is: ["data.metrics[0].data[0]"])
        try expect(seen().first?["device"] is String && seen().first?["at"] is Int)
        try expect(send(relay, steps(5))["unread"] == nil)
        try expect(seen().isEmpty)
    }

    private func `a rule says when its goal's days end, and keeps whose they are`() async throws {
        let beeminder = try RunningBeeminder()
        await beeminder.change { world in
            for index in world.users[0].goals.indices {
                world.users[0].goals[index].deadline = 10_800
            }
        }
        let relay = try started(beeminder)
        func put(_ days: String?) throws -> NSDictionary {
            let member = days.map { #","days":"\#($0)""# } ?? ""
            let rule = #"{"metric":"steps","goal":"water"\#(member)}"#
            return try members(
                relay.call("PUT", "/rules/walk", rule, token: relay.owner).body)
        }
        try expect(put(nil)["deadline"] as? Int == 10_800 && put(nil)["days"] == nil)
        for days in ["goal", "civil"] {
            try expect(put(days)["days"] as? String, is: days)
            try expect(put(nil)["days"] as? String, is: days, "to say nothing changes nothing")
        }
        try expect(put("tomorrow")["code"] as? String, is: "malformed")
    }

    private func `rules outlive a restart, and so does what the days are made of`() async throws {
        let beeminder = try RunningBeeminder()
        let body = #"{"metric":"steps","value":5,"start":"\#(HealthRouteTests.today)T0"#
        let first = try started(beeminder)
        _ = try send(first, body + #"1:00:00Z"}"#)
        // Else the next process sends the day once more, and its next value a minute later.
        try waitUntil("the day is delivered") {
            try first.call("GET", "/events?state=delivered", token: first.owner).body
                .contains("walk")
        }
        first.stop()
        let second = try RunningRelayProgram(in: folder, beeminder)
        _ = try send(second, body + #"2:00:00Z"}"#)
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [10])
        let rules = try second.call("GET", "/rules", token: second.owner).body
        expect(
            rules,
            is: #"{"rules":[{"name":"walk","metric":"steps","goal":"water","aggregate":"sum","#
                + #""floor":false}]}"#)
        try expect(second.call("DELETE", "/rules/walk", token: second.owner).status, is: 200)
        try expect(second.call("DELETE", "/rules/walk", token: second.owner).status, is: 404)
    }

    private func `an arrival of OwnTracks is one press, however often it comes`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try started(beeminder, rule: #"{"metric":"Gym","goal":"pushups"}"#)
        let time = Int(Date().timeIntervalSince1970) - 60
        let body = #"{"_type":"transition","event":"enter","desc":"gym","tst":\#(time)}"#
        for _ in 0..<2 {
            let answer = try relay.call("POST", "/health", body, token: relay.owner)
            expect(answer.status, is: 200)
            expect(answer.body.hasPrefix("[]"))
        }
        await expect(beeminder.awaitPosted(1, to: ["pushups"]))
        let posted = await beeminder.posted(to: "pushups")
        expect(posted.map(\.timestamp), is: [time])
        let long = "gym" + String(repeating: "\u{301}", count: 9_000)
        let place =
            #"{"_type":"transition","event":"enter","desc":"\#(long)","tst":\#(time - 1)}"#
        let answer = try relay.call("POST", "/health", place, token: relay.owner)
        expect(answer.status, is: 200, "\(answer.body)")
        let other = #"{"_type":"location","lat":1.5,"lon":2,"tst":\#(time)}"#
        try expect(relay.call("POST", "/health", other, token: relay.owner).body.hasPrefix("[]"))
    }

    private func `a rule that is put again keeps its samples`() throws {
        let rule = #"{"metric":"dietary_water","goal":"water"}"#
        let relay = try started(try RunningBeeminder(), rule: rule)
        for (hour, sum) in [("08", 500.0), ("09", 1_000), ("10", 1_500)] {
            let start = "\(HealthRouteTests.today)T\(hour):00:00Z"
            let body = #"{"metric":"water","value":500,"unit":"mL","start":"\#(start)"}"#
            let days = try send(relay, body)["days"] as? [NSDictionary]
            expect(days?.first?["value"] as? Double, is: sum)
            try expect(relay.call("PUT", "/rules/walk", rule, token: relay.owner).status, is: 200)
        }
    }

    @Test func `what is refused`() {
        each(
            Self.init,
            [
                Self.`a token may do what its rights and goals say`, Self.`refuses with a reason`,
                Self.`a body that is too large is told how to be smaller`,
                Self.`nothing is taken without an account, and all of it later`,
            ])
    }

    private func `a token may do what its rights and goals say`() throws {
        let relay = try started(try RunningBeeminder())
        let phone = try relay.add(#"{"name":"phone","can":["health"],"goals":["pushups"]}"#)
        let answer = try relay.call("POST", "/health?key=\(phone)", steps(1), token: "-")
        expect(answer.status, is: 200)
        expect(answer.body, is: #"{"ok":true,"days":[],"unmapped":["steps"]}"#)
        try expect(relay.call("POST", "/log/pushups", "1", token: phone).status, is: 403)
        try expect(relay.call("GET", "/rules", token: phone).status, is: 403)
        try expect(relay.call("POST", "/health", steps(1)).status, is: 403, "it may only log")
        try expect(relay.call("POST", "/health", steps(1), token: "-").status, is: 401)
        try expect(relay.call("POST", "/log/water?key=\(phone)", "1", token: "-").status, is: 401)
    }

    static let refusals: [(String, String, Int, String)] = [
        ("POST /health", "no", 400, "malformed"),
        ("POST /health", #"{"goal":"water"}"#, 400, "malformed"),
        ("PUT /rules/a%20b", #"{"metric":"steps","goal":"water"}"#, 422, "unusable_rule"),
        ("PUT /rules/a", #"{"metric":"","goal":"water"}"#, 422, "unusable_rule"),
        ("PUT /rules/a", #"{"metric":"steps","goal":"watr"}"#, 404, "unknown_goal"),
        ("PUT /rules/a", #"{"metric":"steps","goal":"a b"}"#, 422, "unusable_rule"),
        ("PUT /rules/a", #"{"metric":"steps"}"#, 400, "malformed"),
        (
            "PUT /rules/a", #"{"metric":"steps","goal":"water","aggregate":"median"}"#, 400,
            "malformed"
        ),
        (
            "PUT /rules/a", #"{"metric":"weight","goal":"water","unit":"km"}"#, 422,
            "unusable_rule"
        ),
        ("PUT /rules/a", #"{"metric":"x","goal":"water","unit":"ells"}"#, 422, "unusable_rule"),
        ("GET /rules/nothing", "", 404, "not_found"),
        ("GET /health", "", 405, "method_not_allowed"),
    ]

    private func `refuses with a reason`() throws {
        let relay = try started(try RunningBeeminder())
        for (line, body, status, code) in HealthRouteTests.refusals {
            let words = line.split(separator: " ").map(String.init)
            let answer = try relay.call(words[0], words[1], body, token: relay.owner)
            expect(answer.status, is: status, "\(line) \(body): \(answer.body)")
            try expect(members(answer.body)["code"] as? String, is: code, "\(line) \(body)")
        }
    }

    private func `a body that is too large is told how to be smaller`() throws {
        let relay = try started(try RunningBeeminder())
        let fields = ["Content-Length: 8388609"]
        let large = try relay.call("POST", "/health", "", token: relay.owner, fields: fields)
        expect(large.status, is: 413)
        expect(large.body.contains("summarise by day"))
        let days = (0..<2_001).map { #"{"metric":"m\#($0)","value":1,"date":"2026-11-22"}"# }
        let many = try relay.call(
            "POST", "/health", "[\(days.joined(separator: ","))]", token: relay.owner)
        expect(many.status, is: 413)
        try expect(relay.call("POST", "/log/pushups", "1").status, is: 200)
    }

    private func `nothing is taken without an account, and all of it later`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        let rule = #"{"metric":"steps","goal":"water"}"#
        try expect(relay.call("PUT", "/rules/walk", rule, token: relay.owner).status, is: 200)
        let answer = try relay.call("POST", "/health", steps(1), token: relay.owner)
        expect(answer.status, is: 503)
        try expect(members(answer.body)["code"] as? String, is: "not_connected")
    }
}
