import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

struct RelayTests {
    private let folder = TemporaryFolder()

    @Test func `delivers a press once, with its own value, comment, time and id`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let time = Int(Date().timeIntervalSince1970) - 7 * 86_400
        let body =
            #"{"goal":"water","value":0.25,"comment":"a glass","id":"a-1","timestamp":\#(time)}"#
        let first = try relay.call("POST", "/log", body)
        expect(first.status, is: 200)
        expect(first.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let identity = try folder.identity(of: "first")
        expect(
            first.body,
            is: #"{"ok":true,"id":"a-1","requestid":"\#(identity).a-1","goal":"water","#
                + #""value":0.25,"state":"queued","duplicate":false,"parsed":"json"}"#)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        let again = try relay.call("POST", "/log", body)
        expect(again.status, is: 200)
        try expect(members(again.body)["duplicate"] as? Bool, is: true)
        let posted = await beeminder.posted(to: "water")
        expect(posted.map(\.requestID), is: ["\(try folder.identity(of: "first")).a-1"])
        expect(posted.map(\.value), is: [0.25])
        expect(posted.map(\.comment), is: ["a glass"])
        expect(posted.map(\.timestamp), is: [time])
    }

    @Test func `tells the day of a press that names one`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let bodies = ["20261118 3", #"{"daystamp":"2026-11-18","value":3}"#]
        for body in bodies {
            let answer = try members(try relay.call("POST", "/log/water", body).body)
            expect(answer["daystamp"] as? String == "20261118" && answer["value"] as? Int == 3)
        }
        let plain = try members(try relay.call("POST", "/log/water", "3").body)
        expect(plain["daystamp"] == nil)
        let events = "[\(bodies[1].dropLast()),\"goal\":\"water\"}]"
        let many = try members(try relay.call("POST", "/events", events).body)
        let first = (many["events"] as? [NSDictionary])?.first
        expect(first?["daystamp"] as? String, is: "20261118", "\(many)")
    }

    @Test func `logs when a link is fetched, and not when it is looked at`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let path = "/log/water/trigger?value=+2&token=\(relay.token)"
        try expect(relay.call("HEAD", path, token: "-").status, is: 200)
        for field in [
            "Purpose: prefetch", "Sec-Purpose: prefetch", "Sec-Purpose: prefetch;prerender",
            "purpose:  Prefetch", "X-Moz: prefetch", "X-Purpose: preview",
            "User-Agent: WhatsApp/2.23",
            "User-Agent: Mozilla/5.0 (Macintosh) Safari/601.2.4 facebookexternalhit/1.1 Facebot",
            "User-Agent: TelegramBot (like TwitterBot)\(String(repeating: "İ", count: 4_000))",
        ] {
            try expect(relay.call("GET", path, token: "-", fields: [field]).status, is: 200)
        }
        try expect(relay.call("POST", path, token: "-").status, is: 405)
        try expect(relay.call("GET", "/log/water/trigger", token: "-").status, is: 401)
        try expect(relay.call("GET", path, token: "-").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [2])
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        var method = "POST"
        var path: String
        var body = ""
        var token: String?
        var fields: [String] = []
        var status: Int
        var code: String
        var testDescription: String { "\(method) \(path) \(body) \(fields): \(status)" }
    }

    static let refusals = [
        Refusal(path: "/log/watr", body: "+1", status: 404, code: "unknown_goal"),
        Refusal(path: "/log/no%20goal", body: "+1", status: 404, code: "unknown_goal"),
        Refusal(
            path: "/log/" + String(repeating: "x", count: 2_000), status: 404,
            code: "unknown_goal"),
        Refusal(
            path: "/log/" + String(repeating: "x", count: 2_000), body: "goal=water", status: 422,
            code: "unusable_goal"),
        Refusal(path: "/log", body: "+1", status: 422, code: "unusable_goal"),
        Refusal(path: "/log/water", body: "abc", status: 422, code: "unusable_value"),
        Refusal(path: "/log/water", body: "{", status: 400, code: "malformed"),
        Refusal(path: "/log/water", body: "[1]", status: 400, code: "malformed"),
        Refusal(path: "/log/water", body: #"{"value":{"n":5}}"#, status: 400, code: "malformed"),
        Refusal(
            path: "/log/water", body: #"{"timestamp":1790000000000}"#, status: 422,
            code: "unusable_time"),
        Refusal(path: "/log/water", body: #"{"age":-1}"#, status: 422, code: "unusable_time"),
        Refusal(path: "/log/water", body: #"{"id":"a b"}"#, status: 422, code: "unusable_id"),
        Refusal(path: "/log/water", body: "+1", token: "-", status: 401, code: "unauthorized"),
        Refusal(path: "/log/water", body: "+1", token: "br_x", status: 401, code: "unauthorized"),
        Refusal(path: "/devices", body: "{}", status: 403, code: "forbidden"),
        Refusal(method: "GET", path: "/log/water", status: 405, code: "method_not_allowed"),
        Refusal(method: "HEAD", path: "/log/water", status: 405, code: ""),
        Refusal(method: "TRACE", path: "/log/water", status: 405, code: "method_not_allowed"),
        Refusal(method: "BREW", path: "/log/water", status: 501, code: "unknown_method"),
        Refusal(method: "GET", path: "/nothing", status: 404, code: "not_found"),
        Refusal(method: "GET", path: "/events/nobody", status: 404, code: "not_found"),
        Refusal(
            path: "/log/water", body: "x", fields: ["Content-Encoding: gzip"], status: 415,
            code: "content_encoding"),
        Refusal(
            path: "/log/water", body: "1",
            fields: ["Content-Encoding: identity", "Content-Encoding: br"], status: 415,
            code: "content_encoding"),
        Refusal(
            path: "/events", body: "[]", fields: ["Content-Encoding: gzip"], status: 415,
            code: "content_encoding"),
        Refusal(
            method: "PUT", path: "/presets/a", body: "{}", fields: ["Content-Encoding: zstd"],
            status: 415, code: "content_encoding"),
    ]

    @Test func `refuses with a reason, and sends nothing of it`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        try expect(relay.call("POST", "/log/water", "1").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        for row in RelayTests.refusals {
            let answer = try relay.call(
                row.method, row.path, row.body, token: row.token, fields: row.fields)
            expect(answer.status, is: row.status, "\(row.testDescription)")
            guard !row.code.isEmpty else { continue }
            let problem = try members(answer.body)
            expect(problem["code"] as? String, is: row.code, "\(row.testDescription)")
            expect((problem["detail"] as? String)?.isEmpty == false)
            expect(problem["type"] as? String, is: "/docs#\(row.code)")
            expect((problem["request"] as? String)?.contains("-") == true)
            expect(answer.body.utf8.count < 512, "\(row.testDescription)")
            expect(answer.head.contains("Content-Type: application/problem+json"))
        }
        for (misspelt, goal) in [("watr", "water"), ("Water", "water"), ("pushup", "pushups")] {
            let problem = try members(try relay.call("POST", "/log/\(misspelt)", "+1").body)
            expect(problem["suggestion"] as? String, is: goal)
            expect((problem["detail"] as? String)?.contains("did you mean '\(goal)'?") == true)
        }
        let fetched = try members(try relay.call("GET", "/log/water").body)
        expect((fetched["detail"] as? String)?.contains("/log/GOAL/trigger") == true)
        try expect(relay.call("POST", "/log/water", "2").status, is: 200)
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [1, 2])
    }

    @Test func `names every request it refuses, also one that it cannot read`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        var names: Set<String> = []
        for request in ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
            let client = Client(relay.endpoint)
            client.send(request)
            let problem = try members(client.body() ?? "")
            expect(problem["type"] as? String, is: "/docs#malformed")
            names.insert(problem["request"] as? String ?? "-")
        }
        let found = try members(relay.call("GET", "/nowhere").body)
        names.insert(found["request"] as? String ?? "-")
        expect(names.count == 3 && !names.contains("-"))
    }

    @Test func `refuses an id that was used for something else`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        try expect(relay.call("POST", "/log/water", #"{"id":"x","value":1}"#).status, is: 200)
        let other = try relay.call("POST", "/log/water", #"{"id":"x","value":2}"#)
        expect(other.status, is: 409)
        let byField = try relay.call(
            "POST", "/log/water", "1", fields: ["Idempotency-Key: \"x\""])
        expect(byField.status, is: 200)
        try expect(members(byField.body)["duplicate"] as? Bool, is: true)
        let both = ["Idempotency-Key: \"x\"", "Idempotency-Key: y"]
        try expect(relay.call("POST", "/log/water", "1", fields: both).status, is: 422)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [1])
    }

    @Test func `takes nothing before it is connected, and connects while it runs`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder: beeminder.base, account: nil)
        let early = try relay.call("POST", "/log/water", "+1")
        expect(early.status, is: 503)
        try expect(members(early.body)["code"] as? String, is: "not_connected")
        try expect(relay.call("GET", "/healthz", token: "-").status, is: 503)
        let account = #"{"authToken":"\#(RunningBeeminder.token)"}"#
        try expect(relay.call("PUT", "/connection", account).status, is: 403)
        try expect(relay.call("PUT", "/connection", account, token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        try expect(relay.call("DELETE", "/connection", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "+1").status, is: 503)
    }

    @Test func `follows an event to its end`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        await beeminder.set([SimulatedFault(.status(500), route: "datapoints")])
        try expect(relay.call("POST", "/log/water", #"{"id":"e1"}"#).status, is: 200)
        var view = try members(try relay.call("GET", "/events/e1").body)
        try waitUntil("an attempt has failed") {
            view = try members(try relay.call("GET", "/events/e1").body)
            return view["lastError"] != nil
        }
        expect(view["state"] as? String, is: "queued")
        await beeminder.set([])
        try expect(relay.call("POST", "/flush").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        try waitUntil("the press is delivered") {
            view = try members(try relay.call("GET", "/events/e1").body)
            return view["state"] as? String == "delivered"
        }
        expect(view["how"] as? String, is: "created")
        try expect(
            members(try relay.call("GET", "/events/first.e1", token: relay.owner).body), is: view)
    }

    @Test func `says how it is, and not how it would like to be`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        func health() throws -> NSDictionary {
            try members(try relay.call("GET", "/healthz", token: "-").body)
        }
        try expect(relay.call("POST", "/log/water", "1").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        try waitUntil("the queue is empty") { try health()["queued"] as? Int == 0 }
        try expect(health()["status"] as? String, is: "ok")
        await beeminder.set([SimulatedFault(.status(500), route: "datapoints")])
        try expect(relay.call("POST", "/log/water", "1").status, is: 200)
        try waitUntil("a delivery has failed") {
            try health()["lastDeliveryFailed"] as? Bool == true
        }
        try expect(health()["status"] as? String, is: "degraded")
        try expect(health()["oldestPendingSeconds"] != nil)
        await beeminder.set([SimulatedFault(.status(401), route: "datapoints")])
        _ = try relay.call("POST", "/flush")
        // The user is named, so nobody is signed out: it is that goal's trouble.
        let bar = "presses wait for goals that Beeminder does not take presses for"
        try waitUntil("the alarm is there") {
            try (health()["alarms"] as? [String])?.contains(bar) == true
        }
        try expect(health()["sync"] as? String, is: "online")
        await beeminder.set([SimulatedFault(.status(401))])
        _ = try relay.call("POST", "/flush")
        try waitUntil("the token is refused") {
            try health()["sync"] as? String == "signInAgain"
        }
        try expect(relay.call("GET", "/healthz", token: "-").status, is: 503)
        expect((try health()["alarms"] as? [String])?.count == 1)
    }

    @Test func `an alarm about a deletion that is turned away leads to it`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        try expect(relay.call("POST", "/log/water", #"{"value":1,"id":"p1"}"#).status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await beeminder.set([SimulatedFault(.status(403), method: .delete)])
        try expect(relay.call("DELETE", "/events/p1").status, is: 200)
        let alarm = "turns away what is sent for 'water'"
        var alarms: [String] = []
        try waitUntil("the alarm is there") {
            alarms =
                try members(relay.call("GET", "/healthz", token: relay.owner).body)["alarms"]
                as? [String] ?? []
            return alarms.contains { $0.contains(alarm) }
        }
        expect(alarms.contains { $0.contains("GET /events?goal=water says why") })
        let answer = try relay.call("GET", "/events?goal=water", token: relay.owner)
        let events = try require(try members(answer.body)["events"] as? [[String: Any]])
        expect((events.first?["lastError"] as? String)?.contains("403") == true)
    }
}
