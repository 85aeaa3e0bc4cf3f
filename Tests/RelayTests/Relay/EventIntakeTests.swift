import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// Long queues: read and taken in slices, answered as one.
struct EventIntakeTests {
    private let folder = TemporaryFolder()

    /// The token of a device that may only log.
    private func knob(_ relay: RunningRelayProgram) throws -> String {
        try relay.add(#"{"name":"knob","can":["log"]}"#)
    }

    private func lines(_ count: Int) -> String {
        (0..<count).map { #"{"goal":"water","id":"\#($0)"}"# }.joined(separator: "\n")
    }

    /// Sends a queue and does not wait for the answer.
    private func begin(
        _ body: String, _ relay: RunningRelayProgram, token: String? = nil
    ) -> Client {
        relay.begin("POST /events", body, token: token ?? relay.token)
    }

    private func body(_ answer: String?) throws -> NSDictionary {
        let parts = try require(answer).components(separatedBy: "\r\n\r\n")
        expect(parts[0].hasPrefix("HTTP/1.1 200 "))
        return try members(parts.dropFirst().joined())
    }

    /// Waits until a queue is being taken; its end must not be missed, so it asks without a pause.
    private func awaitIntake(_ relay: RunningRelayProgram) throws {
        let end = ContinuousClock.now + .seconds(HangLimit.seconds)
        while try relay.queued() == 0 {
            try require(ContinuousClock.now < end, "nothing is taken")
        }
    }

    @Test func `others are served while a long queue is taken`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = begin(lines(5_000), relay)
        try awaitIntake(relay)
        try expect(relay.queued() < 5_000)
        try expect(body(client.answer())["accepted"] as? Int, is: 5_000)
        let list = try members(try relay.call("GET", "/events?limit=3").body)
        let ids = (list["events"] as? [NSDictionary])?.compactMap { $0["id"] as? String }
        expect(ids, is: ["4999", "4998", "4997"])
    }

    @Test func `queues that come together are all answered`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for round in 0..<40 {
            let clients = (0..<4).map { client in
                let events = (0..<20).map {
                    #"{"goal":"water","id":"\#(round)-\#(client)-\#($0)"}"#
                }
                return begin(events.joined(separator: "\n"), relay)
            }
            for client in clients {
                try expect(body(client.answer())["accepted"] as? Int, is: 20)
            }
        }
    }

    @Test func `queues of one device leave room for those of others`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try knob(relay)
        let crowd = (0..<40).map { _ in begin(lines(800), relay, token: token) }
        try awaitIntake(relay)
        let other = try body(begin(lines(60), relay).answer())
        expect(other["accepted"] as? Int, is: 60)
        let statuses = crowd.map { $0.answer()?.dropFirst(9).prefix(3) ?? "" }
        expect(statuses.filter { $0 == "200" }.count >= 8)
        expect(statuses.allSatisfy { ["200", "503"].contains($0) } && statuses.contains("503"))
    }

    @Test func `a queue that is being taken ends with its device`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try knob(relay)
        let client = begin(lines(5_000), relay, token: token)
        try awaitIntake(relay)
        try expect(relay.call("DELETE", "/devices/knob", token: relay.owner).status, is: 200)
        let then = try relay.queued()
        let answer = try body(client.answer())
        let accepted = try require(answer["accepted"] as? Int)
        // More events were on their way to the disk meanwhile.
        expect((then...(then + 500)).contains(accepted), "\(then), \(accepted)")
        expect(accepted < 5_000)
        try expect(relay.queued(), is: accepted)
        let events = try require(answer["events"] as? [NSDictionary])
        expect(events.last?["code"] as? String, is: "unauthorized", "\(events.last ?? [:])")
    }

    @Test func `a queue that is being taken is taken and answered before the relay ends`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = begin(lines(2_500), relay)
        try awaitIntake(relay)
        relay.stop()
        try expect(body(client.answer())["accepted"] as? Int, is: 2_500)
    }

    @Test func `a client that goes away stops its own queue and nothing else`() throws {
        let relay = try RunningRelayProgram(in: folder)
        do {
            let client = begin(lines(2_500), relay)
            try awaitIntake(relay)
            _ = client
        }
        try expect(relay.call("POST", "/log/water", #"{"id":"after"}"#).status, is: 200)
        try expect(relay.call("GET", "/events/0").status, is: 200)
        // Sent again as a whole, it is there once.
        let client = begin(lines(2_500), relay)
        try waitUntil("all is taken") { try relay.queued() >= 2_501 }
        try expect(body(client.answer())["accepted"] as? Int, is: 2_500)
        try expect(relay.queued(), is: 2_501)
    }

    @Test func `nothing is taken of a body that ends in nonsense`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let events = (0..<500).map { #"{"goal":"water","id":"\#($0)"}"# }
        let array = "[" + events.joined(separator: ",\n") + ",\n{\"goal\" \"water\"}]"
        for body in [array, "{\"events\":" + array + "}", "{\"events\":[{}],\"events\":[{}]}"] {
            let answer = try relay.call("POST", "/events", body)
            expect(answer.status, is: 400)
            let detail = try require(try members(answer.body)["detail"] as? String)
            expect(detail.contains(body.hasSuffix("[{}]}") ? "line 1, column 25" : "line 501"))
        }
        try expect(relay.queued(), is: 0)
    }

    @Test func `a line that is no JSON is refused alone, with its place`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let body = "\n{\"goal\":\"water\",\"id\":\"1\"}\n\n{\"goal\":\n17\n  {\"goal\":\"water\"}"
        let answer = try members(try relay.call("POST", "/events", body).body)
        let events = try require(answer["events"] as? [NSDictionary])
        expect(
            events.map { $0["outcome"] as? String },
            is: ["accepted", "refused", "refused", "accepted"])
        expect((events[1]["detail"] as? String)?.contains("line 1, column 9") == true)
    }

    @Test func `an event of a list that no press can be is refused alone`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        let body =
            #"[{"goal":"water","id":"1"},{"goal":"water","x":\#(deep)},"#
            + #"{"goal":"water","comment":"\ud800"},{"goal":"water","id":"2"}]"#
        let answer = try members(try relay.call("POST", "/events", body).body)
        let events = try require(answer["events"] as? [NSDictionary])
        expect(
            events.map { $0["outcome"] as? String },
            is: ["accepted", "refused", "refused", "accepted"])
    }

    @Test func `similar names are looked for a few times only`() async throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let body = (0..<300).map { #"{"goal":"watr","id":"\#($0)"}"# }.joined(separator: "\n")
        let answer = try members(try relay.call("POST", "/events", body).body)
        expect(answer["refused"] as? Int, is: 300)
        let events = try require(answer["events"] as? [NSDictionary])
        expect(events.allSatisfy { $0["code"] as? String == "unknown_goal" })
        let suggestions = events.compactMap { $0["suggestion"] as? String }
        expect(suggestions, is: Array(repeating: "water", count: 5))
    }

    @Test func `a short answer names only what was not accepted`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let bad = #"{"goal":"water","id":"bad","value":"x"}"#
        let body = lines(50) + "\n" + bad + "\n17\n" + #"{"goal":"water","id":"0"}"#
        let answer = try relay.call("POST", "/events?answer=short", body)
        let judged = try members(answer.body)
        expect(judged["ok"] as? Bool, is: false)
        expect(judged["accepted"] as? Int, is: 51)
        expect(judged["refused"] as? Int, is: 2)
        let events = try require(judged["events"] as? [NSDictionary])
        expect(events.map { $0["index"] as? Int }, is: [50, 51])
        expect(events.map { $0["id"] as? String }, is: ["bad", nil])
        expect(events.map { $0["code"] as? String }, is: ["unusable_value", "malformed"])
        let good = try relay.call("POST", "/events?answer=short", lines(50))
        expect(good.body.trimmed, is: #"{"ok":true,"accepted":50,"refused":0,"events":[]}"#)
        try expect(relay.call("POST", "/events?answer=none", "[]").status, is: 400)
    }

    @Test func `each event says what was not taken as it was sent`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let body = #"[{"goal":"water","foo":1},{"goal":"water","timestamp":12}]"#
        let answer = try members(try relay.call("POST", "/events?goal=x&bar=1", body).body)
        expect(answer["ignored"] as? [String], is: ["bar", "goal"])
        let events = try require(answer["events"] as? [NSDictionary])
        expect(events[0]["ignored"] as? [String], is: ["foo"])
        expect(events[0]["time"] == nil)
        expect(events[1]["time"] as? String, is: "receipt")
        expect((events[1]["timeNote"] as? String)?.contains("before 2024") == true)
        let strict = try members(try relay.call("POST", "/events?strict=1", body).body)
        let codes = (strict["events"] as? [NSDictionary])?.map { $0["code"] as? String }
        expect(codes, is: ["unknown_field", nil])
    }

    /// Bodies with an event, or white space, of more than 64 KiB.
    private static let tooLong: [String] = {
        let (good, long) = (#"{"goal":"water"}"#, String(repeating: "x", count: 70_000))
        let (blank, lines) = (
            String(repeating: " ", count: 70_000), String(repeating: "\n", count: 70_000)
        )
        return [
            #"[\#(good),{"goal":"water","comment":"\#(long)"}]"#,
            #"[\#(good),{"goal":"water","\#(long)":1}]"#, #"[\#(good),"\#(long)"]"#,
            "[\(good),\(String(repeating: "1", count: 70_000))]",
            "[\(good),[\(String(repeating: "[],", count: 30_000))[]]]",
            #"[\#(good),{"comment":"\#(String(repeating: "\\u00e9", count: 20_000))"}]"#,
            "[\(good),\(blank)\(good)]", "[\(good)\(blank),\(good)]",
            #"{"note":"\#(long)","events":[\#(good)]}"#,
            #"{"events":[\#(good)],"note":"\#(long)"}"#,
            "\(good)\n\(lines)\(good)", "\(good)\n{\(blank)}\n\(good)",
        ]
    }()

    @Test func `an event of more than 64 KiB is refused with its queue`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for body in EventIntakeTests.tooLong {
            let answer = try relay.call("POST", "/events", body)
            expect(answer.status, is: 413, "\(body.prefix(60)): \(answer.body.prefix(300))")
            expect(answer.body.contains("at most 65536 bytes"))
            try expect(relay.queued(), is: 0)
        }
    }

    @Test func `an event of less than 64 KiB is judged alone`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let long = String(repeating: "x", count: 65_000)
        let events = (0..<14).map { #"{"goal":"water","id":"\#($0)","note":"\#(long)"}"# }
        let all = events.joined(separator: ",")
        for body in [
            "[\(all)]", #"{"note":"\#(long)","events":[\#(all)],"more":"\#(long)"}"#,
            events.joined(separator: "\n"),
        ] {
            let answer = try relay.call("POST", "/events", body)
            expect(answer.status, is: 200, "\(answer.body.prefix(300))")
            try expect(members(answer.body)["accepted"] as? Int, is: 14)
        }
        try expect(relay.queued(), is: 14)
    }
}
