import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// The list of the requests that came, as a person sees it.
struct RequestLogTests {
    private let folder = TemporaryFolder()

    private func requests(_ relay: RunningRelayProgram) throws -> [NSDictionary] {
        let answer = try relay.call("GET", "/requests", token: relay.owner)
        expect(answer.status, is: 200)
        return try require(try members(answer.body)["requests"] as? [NSDictionary])
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var method = "POST"
        var path = "/log/water"
        var body = ""
        var token: String?
        var device: String? = "first"
        var parsed: String?
        var read: [String: String] = [:]
        var status: Int
        var code: String?
        var testDescription: String { "\(method) \(path) \(body): \(status)" }
    }

    static let rows = [
        Row(body: "", parsed: "empty", status: 200),
        Row(body: "+1", parsed: "text", read: ["value": "+1"], status: 200),
        Row(
            body: #"2 "with milk""#, parsed: "text",
            read: ["value": "2", "comment": "with milk"], status: 200),
        Row(
            body: "value=+3&mac=AB", parsed: "form", read: ["value": " 3", "mac": "AB"],
            status: 200),
        Row(body: #"{"value":"4","id":"a"}"#, parsed: "json", read: ["value": "4"], status: 200),
        Row(body: #"{"value":5,"id":"a"}"#, parsed: "json", status: 409, code: "id_reused"),
        Row(body: "many", parsed: "text", status: 422, code: "unusable_value"),
        Row(body: "{", status: 400, code: "malformed"),
        Row(
            body: "+1", token: "br_wrong", device: nil, parsed: "text", status: 401,
            code: "unauthorized"),
        Row(
            method: "GET", path: "/log/water/trigger?value=7", parsed: "empty",
            read: ["value": "7"], status: 200),
        Row(method: "GET", path: "/nowhere", device: nil, status: 404, code: "not_found"),
        Row(path: "/devices", body: "{}", status: 403, code: "forbidden"),
        Row(path: "/events", body: #"[{"goal":"water"},{}]"#, status: 200),
    ]

    @Test func `shows how each request was read and what came of it`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for row in RequestLogTests.rows {
            let answer = try relay.call(row.method, row.path, row.body, token: row.token)
            expect(answer.status, is: row.status, "\(row.testDescription)")
            let seen = try require(try requests(relay).first)
            expect(seen["status"] as? Int, is: row.status, "\(row.testDescription)")
            expect(seen["code"] as? String, is: row.code, "\(row.testDescription)")
            expect(seen["parsed"] as? String, is: row.parsed, "\(row.testDescription)")
            expect(seen["method"] as? String, is: row.method)
            expect(seen["peer"] as? String, is: "127.0.0.1")
            expect(seen["device"] as? String, is: row.device, "\(row.testDescription)")
            expect(seen["bodyBytes"] as? Int, is: row.body.utf8.count)
            let read = seen["read"] as? NSDictionary
            let metadata = read?["metadata"] as? NSDictionary
            for (name, value) in row.read {
                let shown = (read?[name] ?? metadata?[name]) as? String
                expect(shown, is: value, "\(row.testDescription): \(name)")
            }
            guard row.status != 200 else { continue }
            let problem = try members(answer.body)
            expect(seen["request"] as? String, is: problem["request"] as? String)
            expect(seen["detail"] as? String, is: problem["detail"] as? String)
        }
        try expect(requests(relay).first?["events"] as? Int, is: 2)
    }

    @Test func `keeps the last hundred, the newest first, and no looks`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for index in 0..<130 {
            let body = #"{"id":"p\#(index)"}"#
            client.send(
                "POST /log/water HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(relay.token)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            expect(client.answer()?.hasPrefix("HTTP/1.1 200"), is: true)
        }
        for path in ["/context", "/healthz", "/metrics", "/requests"] {
            try expect(relay.call("GET", path, token: relay.owner).status, is: 200)
        }
        let ids = try requests(relay).map { ($0["read"] as? NSDictionary)?["id"] as? String }
        expect(ids, is: (30..<130).reversed().map { "p\($0)" })
        client.send("GET / HTTP/1.1\r\nHost : a\r\n\r\n")
        expect(client.answer()?.hasPrefix("HTTP/1.1 400"), is: true)
        let first = try require(try requests(relay).first)
        expect(first["method"] == nil && first["status"] as? Int == 400)
    }

    @Test func `strangers displace no requests of devices`() {
        let records = RequestRecords(RouteTable(of: []), .silent, clock: SystemClock.moment)
        func record(_ device: String?, _ times: Range<Int64>) {
            for time in times {
                let peer = Address([127, 0, 0, 1])
                let entry = RequestEntry(nil, from: peer, at: UnixTime(time))
                entry.device = device
                records.add(entry)
            }
        }
        func times() -> [Int64] { records.newestFirst.map(\.time.seconds) }
        record("kitchen", 0..<80)
        record(nil, 80..<280)
        expect(times(), is: (255..<280).reversed() + (5..<80).reversed())
        record("kitchen", 280..<285)
        expect(times().count == 100 && times().filter { $0 < 80 } == (10..<80).reversed())
        record("kitchen", 285..<400)
        expect(times(), is: (300..<400).reversed())
    }

    @Test func `shows the requests to nobody who may not manage`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("GET", "/requests").status, is: 403)
        try expect(relay.call("GET", "/requests", token: "-").status, is: 401)
        try expect(relay.call("GET", "/metrics", token: "-").status, is: 401)
    }

    @Test func `says how a write would be read, and takes nothing`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let body = #"{"goal":"water","value":"+2","comment":"a","id":"d","age":9,"mac":"x"}"#
        let press = try relay.call("POST", "/log?dry_run=1", body)
        expect(press.status, is: 200)
        expect(
            press.body.hasPrefix(
                #"{"ok":true,"dryRun":true,"id":"d","goal":"water","value":2,"#
                    + #""state":"queued","duplicate":false,"age":9,"timestamp":"#))
        let end = #","time":"age","ignored":["mac"],"comment":"a","parsed":"json"}"#
        expect(press.body.hasSuffix(end))
        let trigger = try relay.call("GET", "/log/water/trigger?value=3&dry_run", token: nil)
        try expect(members(trigger.body)["value"] as? Int, is: 3)
        try expect(relay.call("POST", "/log/water", "value=1&dry_run=1").status, is: 200)
        let batch = try relay.call(
            "POST", "/events?dry_run=true", #"[{"goal":"water"},{"goal":"water","value":"x"},7]"#)
        let events = try require(try members(batch.body)["events"] as? [NSDictionary])
        expect(events.map { $0["outcome"] as? String }, is: ["read", "refused", "refused"])
        expect(events.map { $0["code"] as? String }, is: [nil, "unusable_value", "malformed"])
        try expect(relay.call("POST", "/log/water?dry_run=1", "many").status, is: 422)
        try expect(relay.call("POST", "/log/water?dry_run=1", "1", token: "-").status, is: 401)
        try expect(relay.queued(), is: 0)
        try expect(relay.call("POST", "/log/water?dry_run=0", "1").status, is: 200)
        try expect(relay.queued(), is: 1)
    }

    @Test func `counts what a Prometheus server wants to know`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        for body in [#"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"a"}"#, "many"] {
            _ = try relay.call("POST", "/log/water", body)
        }
        _ = try relay.call("POST", "/log/water", token: "br_wrong")
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        func metrics() throws -> [String: Double] {
            let answer = try relay.call("GET", "/metrics")
            expect(answer.head.contains("Content-Type: text/plain; version=0.0.4"))
            var all: [String: Double] = [:]
            for line in answer.body.split(separator: "\n") where !line.hasPrefix("#") {
                let parts = line.split(separator: " ")
                expect(parts.count, is: 2, "\(line)")
                all[String(parts[0])] = Double(parts[1])
            }
            return all
        }
        var all = try metrics()
        try waitUntil("both are delivered") {
            all = try metrics()
            return all["beemed_deliveries_total{outcome=\"delivered\"}"] == 2
                && all["beemed_queue_length"] == 0
        }
        expect(all["beemed_deliveries_total{outcome=\"misdirected\"}"], is: 0, "before the first")
        expect(all["beemed_goals_at_risk"], is: 0)
        expect(all["beemed_presses_accepted_total"], is: 2)
        expect(all["beemed_presses_duplicate_total"], is: 1)
        expect(all["beemed_refused_total{status=\"422\"}"], is: 1)
        expect(all["beemed_refused_total{status=\"401\"}"], is: 1)
        expect(all["beemed_oldest_pending_seconds"], is: 0)
        try expect(require(all["beemed_journal_sync_seconds_count"]) >= 2)
        try expect(require(all["beemed_journal_sync_seconds_sum"]) > 0)
        try expect(require(all["beemed_connections"]) >= 1)
        try expect(require(all["beemed_uptime_seconds"]) > 0)
    }
}
