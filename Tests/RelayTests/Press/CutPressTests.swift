import Foundation
import Testing

@testable import RelayTrunk

/// Presses over real sockets whose bytes contradict what their heads say: what is logged is what
/// was sent, or nothing.
struct CutPressTests {
    private static let body = #"{"value":0.25}"#

    /// The values that were logged, in order.
    private func values(_ relay: RunningRelayProgram) throws -> [Double] {
        let list = try members(try relay.call("GET", "/events").body)
        let events = try require(list["events"] as? [[String: Any]])
        return events.compactMap { $0["value"] as? Double }.reversed()
    }

    private func head(_ line: String, _ fields: [String], _ relay: RunningRelayProgram) -> String {
        ([line, "Host: 127.0.0.1", "X-Relay-Token: \(relay.token)"] + fields)
            .joined(separator: "\r\n") + "\r\n\r\n"
    }

    struct Row: Sendable {
        var version = "1.1"
        var fields: [String] = []
        var body = CutPressTests.body
        var endsInput = false
        var status: Int
        var values: [Double] = []
    }

    private static let json = "Content-Type: application/json"
    private static let close = "Connection: close"

    static let rows = [
        Row(version: "1.0", endsInput: true, status: 200, values: [0.25]),
        Row(version: "1.0", fields: [json], endsInput: true, status: 200, values: [0.25]),
        Row(fields: [close], body: "0.25", endsInput: true, status: 200, values: [0.25]),
        Row(fields: [close], body: "value=0.25", endsInput: true, status: 200, values: [0.25]),
        Row(version: "1.0", status: 200, values: [0.25]),
        Row(fields: [close, json], status: 200, values: [0.25]),
        Row(fields: [close], body: "0.25", status: 411),
        Row(version: "1.0", body: #"{"value":0.2"#, status: 411),
        Row(version: "1.0", body: #"{"value":0.2"#, endsInput: true, status: 400),
        Row(status: 400), Row(fields: [json], status: 411), Row(body: "0.25", status: 400),
        Row(fields: [json], body: "", status: 411),
        Row(version: "1.0", fields: ["Connection: keep-alive"], status: 400),
        Row(version: "1.0", fields: [json], body: "", status: 411),
        Row(fields: ["Content-Length: 9"], body: "value=0.25", status: 400),
        Row(fields: ["Content-Length: 2"], body: "0.25", status: 400),
        Row(fields: ["Content-Length: 3", close], body: "0.25", status: 400),
        Row(fields: ["Content-Length: 0"], status: 400),
        // Requests that are not cut off are accepted.
        Row(body: "", status: 200, values: [1]),
        Row(version: "1.0", body: "", status: 200, values: [1]),
        Row(fields: [close], body: "", status: 200, values: [1]),
        Row(fields: ["Content-Type:"], body: "", status: 200, values: [1]),
        Row(fields: [json, "Content-Length: 0"], body: "", status: 200, values: [1]),
        Row(fields: ["Content-Length: 4"], body: "0.25\r\n", status: 200, values: [0.25]),
        Row(fields: ["Content-Length: 4"], body: "0.25\n\0", status: 200, values: [0.25]),
        Row(fields: ["Content-Length: 6"], body: "0.25\n\0", status: 200, values: [0.25]),
    ]

    @Test func `a press is logged as it was meant, or refused`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        var logged: [Double] = []
        for row in CutPressTests.rows {
            let client = Client(relay.endpoint)
            client.send(head("POST /log/water HTTP/\(row.version)", row.fields, relay) + row.body)
            if row.endsInput { client.closeSending() }
            let answer = try require(client.answer())
            expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row): \(answer)")
            logged += row.values
            try expect(values(relay), is: logged, "\(row)")
            if row.status == 411 { expect(answer.contains(#""code":"length_required""#)) }
        }
    }

    @Test func `what comes behind an answer is told to have been cut`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let client = Client(relay.endpoint)
        client.send(head("POST /log/water HTTP/1.1", [], relay))
        expect(client.answer()?.hasPrefix("HTTP/1.1 200 "), is: true)
        client.send(CutPressTests.body)
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("answered without them"))
        try expect(values(relay), is: [1])
    }

    @Test func `presses that follow one another on a connection are taken`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let client = Client(relay.endpoint)
        let one = head("POST /log/water HTTP/1.1", ["Content-Length: 1"], relay) + "2"
        let empty = head("POST /log/water HTTP/1.1", [], relay)
        client.send(one + empty + one + "\r\n" + one + "\n" + empty)
        for _ in 0..<5 { expect(client.answer()?.hasPrefix("HTTP/1.1 200 "), is: true) }
        try expect(values(relay), is: [2, 1, 2, 2, 1])
    }

    @Test(arguments: ["relay.local.", "relay.local.:2336", "LOCALHOST.", "192.168.1.2"])
    func `a host may end with its dot, and a path begin with slashes`(_ host: String) throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let client = Client(relay.endpoint)
        client.send(
            "POST //log/water HTTP/1.1\r\nHost: \(host)\r\nX-Relay-Token: \(relay.token)\r\n"
                + "Content-Length: 1\r\n\r\n3")
        expect(client.answer()?.hasPrefix("HTTP/1.1 200 "), is: true)
        try expect(values(relay), is: [3])
    }

    @Test func `an id counts within a goal`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        var ids: [String] = []
        for (goal, isKnown) in [("water", false), ("tea", false), ("tea", true), ("water", true)] {
            let answer = try relay.call("POST", "/log/\(goal)", #"{"requestid":"7"}"#)
            let said = try members(answer.body)
            expect(answer.status == 200 && said["duplicate"] as? Bool == isKnown)
            ids.append(try require(said["id"] as? String))
        }
        expect(ids, is: ["7", "7~tea", "7~tea", "7"])
        let other = try relay.call("POST", "/log/tea", #"{"requestid":"7","value":2}"#)
        expect(other.status, is: 409)
        let batch = #"[{"goal":"tea","id":"8"},{"goal":"water","id":"8"},{"goal":"tea","id":"8"}]"#
        let outcomes = try members(try relay.call("POST", "/events", batch).body)
        let events = try require(outcomes["events"] as? [[String: Any]])
        expect(events.map { "\($0["outcome"] ?? "")" }, is: ["accepted", "accepted", "duplicate"])
        let undone = try relay.call("POST", "/log/tea/undo", #"{"id":"7"}"#)
        expect(undone.status, is: 200)
        try expect(members(undone.body)["goal"] as? String, is: "tea")
        let shown = try members(try relay.call("GET", "/events/7~tea").body)
        expect(shown["goal"] as? String == "tea" && shown["state"] as? String == "undone")
        try expect(relay.call("DELETE", "/events/7").status, is: 200)
    }

    @Test func `content in Beeminder's form is taken where it can be answered for`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let list = #"{"datapoints":[{"goal":"water","value":2},{"goal":"tea","value":3}]}"#
        try expect(relay.call("POST", "/log/water", list).status, is: 400)
        let taken = try members(try relay.call("POST", "/events", list).body)
        expect(taken["accepted"] as? Int, is: 2)
        let one = #"{"datapoints":[{"value":4,"requestid":"x"}]}"#
        try expect(relay.call("POST", "/log/water", one).status, is: 200)
        try expect(relay.call("POST", "/log/water", #"{"urtext":"^ 5 \"x\""}"#).status, is: 200)
        try expect(values(relay), is: [2, 3, 4, 5])
    }

    @Test func `the present time is no value, and each visit to a place is a press`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let seconds = Date().timeIntervalSince1970
        for value in ["\(Int(seconds * 1_000))", "\(Int(seconds))", "\(seconds)"] {
            for body in [value, "value=\(value)", #"{"value":\#(value)}"#] {
                try expect(relay.call("POST", "/log/water", body).status, is: 422)
            }
        }
        for (visit, isKnown) in [(1, false), (2, false), (2, true), (3, false)] {
            let body = #"{"id":"home","event":"enter","visit":\#(visit)}"#
            let said = try members(try relay.call("POST", "/log/water", body).body)
            expect(said["duplicate"] as? Bool, is: isKnown)
        }
        try expect(values(relay), is: [1, 1, 1])
    }
}
