import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// `connect`, `disconnect` and `status`, as they are run.
struct AccountCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ arguments: String...) throws -> (code: Int32, output: String) {
        try Executable.run(arguments + ["--data", folder.path])
    }

    @Test func `tells of a relay that runs, its account and its queue`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        let nobody = try run("status")
        expect(nobody.code, is: 0, "nothing is wrong with a relay that is new")
        expect(nobody.output.contains("account     none"))
        expect(nobody.output.contains("(no account yet)"), "\(nobody)")
        expect(nobody.output.contains("run 'beemed-relay connect'"))
        expect(!nobody.output.contains("failing"))
        try expect(run("status", "--ready").code, is: 69, "it takes no presses")
        let account = #"{"accessToken":"t0ken","username":"alice"}"#
        _ = try relay.call("PUT", "/connection", account, token: relay.owner)
        let status = try run("status")
        expect(status.output.contains("account     alice, by OAuth: not verified yet"))
        expect(status.output.contains("queue       0 presses wait, 0 refused"))
        let json = try members(try run("status", "--json").output)
        expect((json["connection"] as? NSDictionary)?["user"] as? String == "alice")
        expect(!"\(json) \(status.output)".contains("t0ken"))
        try expect(run("disconnect").output.hasPrefix("Disconnected; "))
        try expect(run("disconnect").output, is: "No account was connected.")
        try expect(run("status").output.contains("account     none"))
        relay.stop()
    }

    @Test func `tells of a folder on which none runs`() throws {
        let stopped = try run("status")
        expect(stopped.code, is: 69)
        expect(stopped.output.contains("not running"))
        try expect(run("status", "--json").output, is: #"{"connected":false,"running":false}"#)
        let connected = try Executable.run(
            ["connect", "--data", folder.path, "--beeminder-url", "http://127.0.0.1:9"],
            environment: ["BEEMINDER_AUTH_TOKEN": "abc"])
        expect(connected.code, is: 0)
        try expect(run("status", "--json").output, is: #"{"connected":true,"running":false}"#)
        try expect(run("disconnect").output.hasPrefix("Disconnected; "))
        try expect(run("disconnect").output, is: "No account was connected.")
        try expect(run("status", "--json").output, is: #"{"connected":false,"running":false}"#)
    }

    @Test func `says what waits, also of a relay that is stopped`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        try expect(relay.call("POST", "/log/water", #"{"id":"a"}"#).status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        try waitUntil("the queue is empty") { try relay.queued() == 0 }
        await beeminder.set([SimulatedFault(.status(503))])
        try expect(relay.call("POST", "/log/water", #"{"id":"b"}"#).status, is: 200)
        let id = "first.a"
        try expect(relay.call("DELETE", "/events/\(id)", token: relay.owner).status, is: 200)
        let words = "queue       1 press waits, 1 deletion waits, 0 refused"
        try expect(run("status").output.contains(words))
        let shown = try run("events", "show", id).output
        expect(
            shown.contains("state       undone; its datapoint is not deleted at Beeminder yet"),
            "\(shown)")
        relay.stop()
        try expect(run("status").output.contains(words))
        let json = try members(try run("status", "--json").output)
        expect(json["queued"] as? Int == 1 && json["deletions"] as? Int == 1)
    }

    @Test func `a press that was accepted for a goal that derails soon is warned of`() throws {
        let beeminder = try VerificationTests.beeminder(
            goals: #"[{"slug":"water","losedate":1}]"#)
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: .personalToken("good"))
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
        func health() throws -> NSDictionary {
            try members(try relay.call("GET", "/healthz").body)
        }
        try waitUntil("a goal is at risk") { try health()["goalsAtRisk"] as? Int == 1 }
        let done = try Executable.run(["log", "water", "--data", folder.path], input: "")
        expect(done.code == 0 && done.output.contains("water +1 is on the relay's disk"))
        expect(
            done.complaint.hasPrefix("beemed-relay: 'water' has derailed")
                && done.complaint.contains("take it back here first"), "\(done.complaint)")
    }

    @Test func `a held press has a next step, and no former error once delivered`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        await beeminder.set([SimulatedFault(.status(503), route: "datapoints")])
        try expect(relay.call("POST", "/log/water", #"{"id":"a"}"#).status, is: 200)
        func show() throws -> String { try run("events", "show", "first.a").output }
        try waitUntil("an attempt has failed") {
            try show().contains("error       status 503")
        }
        try expect(!show().contains("after 1 "), "of one attempt nothing is said")
        await beeminder.change { world in
            guard let place = world.locate(goal: "water") else { return }
            world.deleteGoal(place, at: Date().timeIntervalSince1970)
        }
        await beeminder.set([])
        try waitUntil("the press is held") {
            try expect(relay.call("POST", "/flush").status, is: 200)
            return try show().contains("state       held")
        }
        let id = try require(try show().split(separator: "\n").first?.split(separator: " ").last)
        try expect(show().contains("events retry \(id) --goal GOAL, or events undo \(id)"))
        try expect(run("events", "retry", "first.a", "--goal", "reading").code, is: 0)
        await expect(beeminder.awaitPosted(1, to: ["reading"]))
        try waitUntil("the press is delivered") {
            try show().contains("state       delivered")
        }
        // The request with that error may be applied yet: it says so.
        try expect(!show().contains("503") && show().contains("may have it, too"))
    }

    @Test func `all refused presses of a goal are sent again by one command`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        await beeminder.set(
            ["water", "reading"].map { SimulatedFault(.status(422), method: .post, goal: $0) })
        for id in 1...3 {
            try expect(relay.call("POST", "/log/water", #"{"id":"\#(id)"}"#).status, is: 200)
        }
        try expect(relay.call("POST", "/log/reading", #"{"id":"4"}"#).status, is: 200)
        func refused() throws -> Int? {
            try members(relay.call("GET", "/healthz").body)["refused"] as? Int
        }
        try waitUntil("four presses are refused") { try refused() == 4 }
        await beeminder.set([])
        try expect(run("events", "retry").code, is: 64)
        try expect(run("events", "retry", "first.1", "--refused").code, is: 64)
        try expect(run("events", "retry", "first.1", "--of", "water").code, is: 64)
        let done = try run("events", "retry", "--refused", "--of", "water")
        expect(done.code == 0 && done.output.hasPrefix("sent again: 3; "), "\(done.output)")
        await expect(beeminder.awaitPosted(3, to: ["water"]))
        try expect(refused(), is: 1)
        let rest = try run("events", "retry", "--refused", "--json")
        expect(rest.output, is: #"{"left":0,"sent":1}"#)
        try expect(run("events", "retry", "--refused").output, is: "no press is refused")
    }
}
