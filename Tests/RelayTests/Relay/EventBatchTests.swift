import Foundation
import Testing

@testable import BeemedDomain
@testable import BeeminderSimulator
@testable import RelayTrunk

struct EventBatchTests {
    private let folder = TemporaryFolder()

    private func outcomes(_ body: String) throws -> [String] {
        let events = try members(body)["events"] as? [NSDictionary] ?? []
        return events.compactMap { $0["outcome"] as? String }
    }

    @Test(arguments: [
        #"[{"goal":"water","id":"1"},{"goal":"water","id":"2","value":"2"}]"#,
        #"{"events":[{"goal":"water","id":"1"},{"goal":"water","id":"2","value":2}]}"#,
        "{\"goal\":\"water\",\"id\":\"1\"}\n\r\n{\"goal\":\"water\",\"id\":\"2\",\"value\":2}\n",
    ])
    func `takes a queue in any of its forms, in order`(_ body: String) async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let answer = try relay.call("POST", "/events", body)
        expect(answer.status, is: 200)
        try expect(outcomes(answer.body), is: ["accepted", "accepted"])
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        let device = try folder.identity(of: "first")
        let sent = await beeminder.posted(to: "water").map(\.requestID)
        expect(sent, is: ["\(device).1", "\(device).2"])
        await expect(beeminder.posted(to: "water").map(\.value), is: [1, 2])
    }

    @Test func `judges each event by itself`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let body = """
            [{"goal":"water","id":"a"}, {"goal":"water","id":"a"}, {"goal":"water","value":"x"},
             17, {"goal":"water","id":"a","value":2}, {"goal":"pushups","id":"b"}]
            """
        let answer = try relay.call("POST", "/events", body)
        expect(answer.status, is: 200)
        try expect(
            outcomes(answer.body),
            is: ["accepted", "duplicate", "refused", "refused", "refused", "accepted"])
        let events = try members(answer.body)["events"] as? [NSDictionary] ?? []
        expect(
            events.compactMap { $0["code"] as? String },
            is: ["unusable_value", "malformed", "id_reused"])
        try expect(members(answer.body)["request"] != nil)
        await expect(beeminder.awaitPosted(2, to: ["water", "pushups"]))
        await expect(beeminder.posted(to: "water").count, is: 1)
    }

    @Test func `a device with too many presses that do not count is told to wait`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        // Guards are decided once the clock was compared with Beeminder's.
        try relay.awaitGoals()
        let preset = #"{"goal":"water","minimumInterval":86400}"#
        let comment = String(repeating: "x", count: Press.commentBytes)
        let note = String(repeating: "x", count: 2_000)
        // Of several presets, since each press is compared with those of its own.
        let events = try (0..<16).map { number in
            let path = "/presets/pill\(number)"
            try expect(relay.call("PUT", path, preset, token: relay.owner).status, is: 200)
            return #"{"goal":"pill\#(number)","comment":"\#(comment)","note":"\#(note)"}"# + "\n"
        }
        let queue = String(repeating: events.joined(), count: 10)
        var answer = try relay.call("POST", "/events?answer=short", queue)
        for _ in 0..<30 where answer.status == 200 {
            answer = try relay.call("POST", "/events?answer=short", queue)
        }
        expect(answer.status, is: 429, "a client that reads the status alone sends all again")
        expect(answer.head.contains("\r\nRetry-After: "))
        let press = try relay.call("POST", "/log/water")
        expect(press.status == 429 && press.body.contains("did not count"), "\(press.body)")
        expect(press.head.contains("\r\nRetry-After: "))
        try expect(relay.call("POST", "/log/water", token: relay.owner).status, is: 200)
    }

    @Test func `takes nothing of more than ten thousand`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let lines = (0..<10_000).map { #"{"goal":"water","id":"\#($0)"}"# }
        let more = try relay.call("POST", "/events", (lines + ["{}"]).joined(separator: "\n"))
        expect(more.status, is: 413)
        try expect(relay.call("GET", "/events/0").status, is: 404)
    }

    @Test func `answers thousands after single presses, and ends in good order`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for index in 0..<200 {
            let press = #"{"goal":"water","id":"single\#(index)"}"#
            client.send(
                """
                POST /log HTTP/1.1\r
                Host: 127.0.0.1\r
                Authorization: Bearer \(relay.token)\r
                Content-Length: \(press.utf8.count)\r
                \r
                \(press)
                """)
            expect(client.answer()?.hasPrefix("HTTP/1.1 200 OK\r\n"), is: true)
        }
        let lines = (0..<1_000).map { #"{"goal":"water","id":"\#($0)"}"# }
        let body = lines.joined(separator: "\n")
        client.send(
            """
            POST /events HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(relay.token)\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        // The queue is taken in slices, so it can be seen how far that is.
        try waitUntil("the whole queue is taken") { try relay.queued() == 1_200 }
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let content = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
        try expect(outcomes(content).filter { $0 == "accepted" }.count, is: 1_000)
        relay.stop()
        let found = try Recovery.replay(SystemDisk(dataFolder: folder.path))
        expect(found.entries.count, is: 1_200)
        expect(found.recoveryReport.wasClosed)
    }

    @Test func `has answers for nothing and for nonsense`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/events", "[]").status, is: 200)
        for body in ["", "+1", "[", "goal=water"] {
            try expect(relay.call("POST", "/events", body).status, is: 400, "\(body)")
        }
        try expect(relay.call("POST", "/events", "[]", token: "-").status, is: 401)
    }

    @Test func `tells a device to keep everything while nothing can be taken`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        let answer = try relay.call("POST", "/events", #"[{"goal":"water"}]"#)
        expect(answer.status, is: 503)
        try expect(outcomes(answer.body), is: ["refused"])
    }
}
