import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// A folder belongs to one user: what another user's token does, against a whole relay.
struct FolderUserRouteTests {
    private let folder = TemporaryFolder()
    private static let bobs = #"{"authToken":"bobs-token"}"#
    private static let alices = #"{"authToken":"\#(RunningBeeminder.token)"}"#

    private func beeminder() async throws -> RunningBeeminder {
        let beeminder = try RunningBeeminder()
        await beeminder.addBob()
        return beeminder
    }

    private func relay(_ beeminder: RunningBeeminder) throws -> RunningRelayProgram {
        // As `serve` takes it.
        let saved = try? RelayStore(folder: folder.path).account()?.account
        return try RunningRelayProgram(in: folder, beeminder: beeminder.base, account: saved)
    }

    private func connect(_ relay: RunningRelayProgram, _ body: String) throws -> NSDictionary {
        try members(try relay.call("PUT", "/connection", body, token: relay.owner).body)
    }

    private func connection(_ relay: RunningRelayProgram) throws -> NSDictionary {
        try members(try relay.call("GET", "/connection", token: relay.owner).body)
    }

    /// Waits until Beeminder has said whose the token is.
    private func awaitUser(_ name: String, _ relay: RunningRelayProgram) throws {
        try waitUntil("the token is known as \(name)'s") {
            try connection(relay)["user"] as? String == name
        }
    }

    private func awaitState(
        _ state: String, of id: String, _ relay: RunningRelayProgram
    ) throws {
        try waitUntil("\(id) is \(state)") { try self.state(id, relay) == state }
    }

    /// Waits until nothing is under way to Beeminder.
    private func awaitEmptyQueue(_ relay: RunningRelayProgram) throws {
        try waitUntil("nothing waits") {
            try !self.relay(relay, "/events?state=queued,sending,held").contains(#""id""#)
        }
    }

    private func press(_ id: String, _ relay: RunningRelayProgram) throws -> Int {
        try relay.call("POST", "/log/water", #"{"id":"\#(id)","value":1}"#, token: relay.owner)
            .status
    }

    private func state(_ id: String, _ relay: RunningRelayProgram) throws -> String? {
        try members(try relay.call("GET", "/events/\(id)", token: relay.owner).body)["state"]
            as? String
    }

    /// Steps of an hour of yesterday, as HC Webhook sends them.
    private func steps(_ count: Int, hour: Int) -> String {
        let day = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400 - 1).dashed
        let times = [hour, hour + 1].map { "\(day)T0\($0):00:00Z" }
        return #"{"timestamp":"\#(times[1])","app_version":"2.0","steps":[{"count":\#(count),"#
            + #""start_time":"\#(times[0])","end_time":"\#(times[1])"}]}"#
    }

    private func values(_ relay: RunningRelayProgram, _ body: String) throws -> [Double] {
        let answer = try members(try relay.call("POST", "/health", body, token: relay.owner).body)
        return (answer["days"] as? [NSDictionary] ?? []).compactMap { $0["value"] as? Double }
    }

    private func addRule(_ relay: RunningRelayProgram) throws {
        let rule = #"{"metric":"steps","goal":"water"}"#
        try expect(relay.call("PUT", "/rules/walk", rule, token: relay.owner).status, is: 200)
    }

    @Test func `another user's token is refused while presses wait`() async throws {
        let beeminder = try await beeminder()
        let relay = try relay(beeminder)
        try expect(connect(relay, Self.alices)["user"] as? String, is: "alice")
        try relay.awaitGoals()
        await beeminder.set([SimulatedFault(.status(503), route: "datapoints")])
        for id in ["1", "2", "3"] { try expect(press(id, relay), is: 200) }
        let answer = try relay.call("PUT", "/connection", Self.bobs, token: relay.owner)
        expect(answer.status, is: 422)
        let problem = try members(answer.body)
        expect(problem["code"] as? String, is: "token_refused")
        expect(
            problem["detail"] as? String,
            is: "nothing was changed: this folder is alice's, and the token is bob's; 3 presses "
                + "wait or are refused: take them back (events undo ID), connect alice's token "
                + "again, or use another --data for bob")
        try expect(connection(relay)["user"] as? String, is: "alice")
        await beeminder.set([])
        try expect(relay.call("POST", "/flush", token: relay.owner).status, is: 200)
        await expect(beeminder.awaitPosted(3, to: ["water"]))
        try awaitState("delivered", of: "3", relay)
        try expect(connect(relay, Self.bobs)["user"] as? String, is: "bob")
        await expect(beeminder.bobs.isEmpty)
    }

    @Test func `another user begins anew: history stays, all else goes`() async throws {
        let beeminder = try await beeminder()
        let first = try relay(beeminder)
        _ = try connect(first, Self.alices)
        try first.awaitGoals()
        try addRule(first)
        try expect(press("a-1", first), is: 200)
        try expect(first.call("PUT", "/pins/water", token: first.owner).status, is: 200)
        try expect(
            first.call("POST", "/devices", #"{"name":"kitchen"}"#, token: first.owner).status,
            is: 200)
        try expect(values(first, steps(5_000, hour: 1)), is: [5_000])
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        try awaitEmptyQueue(first)
        try expect(connect(first, Self.bobs)["user"] as? String, is: "bob")
        try expect(relay(first, "/events"), is: #"{"events":[]}"#)
        try waitUntil("the pins are gone") { try relay(first, "/pins") == #"{"pins":[]}"# }
        try expect(relay(first, "/devices").contains("kitchen"))
        try expect(press("b-1", first), is: 200)
        try awaitState("delivered", of: "b-1", first)
        try waitUntil("the samples are gone") {
            try values(first, steps(10, hour: 3)) == [10]
        }
        first.stop()

        let next = try relay(beeminder)
        try awaitUser("bob", next)
        try expect(relay(next, "/pins"), is: #"{"pins":[]}"#)
        try expect(values(next, steps(20, hour: 5)), is: [30])
        let lines = try next.export("jsonl").body.split(separator: "\n").map {
            try members("\($0)")
        }
        let users = lines.map { "\($0["id"] ?? "") \($0["user"] ?? "-")" }
        expect(users.contains("a-1 -") && users.contains("b-1 bob"))
        await expect(beeminder.posted(to: "water").map(\.value).sorted(), is: [1, 5_000])
    }

    private func relay(_ relay: RunningRelayProgram, _ path: String) throws -> String {
        try relay.call("GET", path, token: relay.owner).body
    }

    @Test func `a day of one user stays while another's token is connected`() async throws {
        let beeminder = try await beeminder()
        let first = try relay(beeminder)
        _ = try connect(first, Self.alices)
        try first.awaitGoals()
        try addRule(first)
        try expect(values(first, steps(5_000, hour: 1)), is: [5_000])
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        try awaitEmptyQueue(first)
        await beeminder.set([SimulatedFault(.hangUp)])
        let account = try connect(first, Self.bobs)
        expect(account["verified"] as? Bool, is: false)
        try expect(values(first, steps(12, hour: 3)), is: [5_012], "it may be alice's")
        await beeminder.set([])
        _ = try first.call("POST", "/flush", token: first.owner)
        try awaitUser("bob", first)
        try expect((connection(first)["detail"] as? String)?.contains("1 press waits") == true)
        let health = try relay(first, "/healthz")
        expect(health.contains("this folder is alice's, and the token is bob's; 1 press"))
        try expect(press("p-1", first), is: 200)
        first.stop()

        let next = try relay(beeminder)
        try awaitUser("bob", next)
        try awaitState("held", of: "p-1", next)
        await expect(beeminder.posted(to: "water").map(\.value), is: [5_000])
        await expect(beeminder.bobs.isEmpty)
        try expect(next.call("DELETE", "/connection", token: next.owner).status, is: 200)
        try expect(connect(next, Self.alices)["user"] as? String, is: "alice")
        try awaitState("delivered", of: "p-1", next)
        await expect(beeminder.bobs.isEmpty)
    }

    @Test func `a token that is named later begins anew once nothing waits`() async throws {
        let beeminder = try await beeminder()
        let relay = try relay(beeminder)
        _ = try connect(relay, Self.alices)
        try relay.awaitGoals()
        await beeminder.set([SimulatedFault(.hangUp)])
        _ = try connect(relay, Self.bobs)
        try expect(press("1", relay), is: 200)
        await beeminder.set([])
        _ = try relay.call("POST", "/flush", token: relay.owner)
        try awaitUser("bob", relay)
        try expect(connection(relay)["state"] as? String, is: "signInAgain")
        try expect(relay.call("DELETE", "/events/1", token: relay.owner).status, is: 200)
        try waitUntil("the relay is online") {
            try connection(relay)["state"] as? String == "online"
        }
        try expect(press("2", relay), is: 200)
        try awaitState("delivered", of: "2", relay)
        await expect(beeminder.bobs.count, is: 1)
        await expect(beeminder.posted(to: "water").isEmpty)
    }

    @Test func `a start after a crash clears what is a former user's`() async throws {
        let beeminder = try await beeminder()
        let first = try relay(beeminder)
        _ = try connect(first, Self.alices)
        let files = ["goals.json", "pins.json"].map { "\(folder.path)/\($0)" }
        try waitUntil("the goals are saved") {
            FileManager.default.fileExists(atPath: files[0])
        }
        try expect(first.call("PUT", "/pins/water", token: first.owner).status, is: 200)
        first.stop()
        let before = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let second = try relay(beeminder)
        try expect(connect(second, Self.bobs)["user"] as? String, is: "bob")
        try waitUntil("bob's goals are saved") {
            try String(contentsOfFile: files[0], encoding: .utf8).contains("bob")
        }
        second.stop()
        for (file, bytes) in zip(files, before) { try bytes.write(to: URL(fileURLWithPath: file)) }
        let sent =
            #"[{"kind":"due","subject":"water","service":"x","day":"20251009","at":1,"#
            + #""withdrawn":false}]"#
        try folder.write(sent, to: "sent-reminders.json")
        let next = try relay(beeminder)
        try expect(relay(next, "/reminders").contains(#""sent":[]"#))
        try expect(relay(next, "/pins"), is: #"{"pins":[]}"#)
        try awaitUser("bob", next)
    }
}
