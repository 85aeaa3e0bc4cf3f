import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// A token is verified before anybody is told that it is connected.
struct VerificationTests {
    private let folder = TemporaryFolder()
    private static let nobody = "http://127.0.0.1:9"
    private static let badToken =
        #"{"errors":{"auth_token":"bad_token","message":"No such auth_token found."}}"#

    /// Knows the tokens `good` (alice) and `bobs` (bob), and refuses all others.
    static func beeminder(goals: String = "[]") throws -> ScriptedBeeminder {
        try ScriptedBeeminder { call, _ in
            let user: String
            if "\(call.query)\(call.body)\(call.authorization ?? "")".contains("good") {
                user = "alice"
            } else if "\(call.query)\(call.body)\(call.authorization ?? "")".contains("bobs") {
                user = "bob"
            } else {
                return .says(401, badToken)
            }
            switch call.line {
            case "GET ~.json": return .says(200, #"{"username":"\#(user)","timezone":"UTC"}"#)
            case "GET ~/goals.json": return .says(200, goals)
            default: return .says(404, #"{"errors":"resource not found"}"#)
            }
        }
    }

    private func connection(_ relay: RunningRelayProgram) throws -> NSDictionary {
        try members(try relay.call("GET", "/connection", token: relay.owner).body)
    }

    private func put(_ relay: RunningRelayProgram, _ given: [String: String]) throws -> (
        status: Int, body: NSDictionary
    ) {
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: given), as: UTF8.self)
        let answer = try relay.call("PUT", "/connection", body, token: relay.owner)
        return (answer.status, try members(answer.body))
    }

    @Test(arguments: [
        #"{"username":"alice","auth_token":"good"}"#, "  good\n",
        "{\n \"username\": \"alice\",\n \"auth_token\": \"good\"\n}",
    ])
    func `takes the token out of what people paste`(_ text: String) throws {
        let beeminder = try Self.beeminder()
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: nil)
        let answer = try put(relay, ["authToken": text])
        expect(answer.status == 200 && answer.body["user"] as? String == "alice")
        expect(answer.body["verified"] as? Bool, is: true)
        expect(answer.body["state"] as? String != "unverified")
        let page = try put(relay, ["username": "alice", "auth_token": "good"])
        expect(page.body["user"] as? String, is: "alice")
    }

    @Test func `changes nothing for a token that Beeminder refuses`() throws {
        let beeminder = try Self.beeminder()
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: nil)
        try expect(put(relay, ["authToken": "good"]).status, is: 200)
        for given in [["authToken": "typo"], ["accessToken": "good", "username": "mallory"]] {
            let answer = try put(relay, given)
            expect(answer.status, is: 422)
            expect(answer.body["code"] as? String, is: "token_refused")
        }
        let account = try connection(relay)
        expect(account["user"] as? String, is: "alice")
        expect(account["kind"] as? String, is: "personalToken")
        try expect(put(relay, ["authToken": "bobs"]).body["user"] as? String, is: "bob")
    }

    @Test func `saves a token that cannot be verified, and says so`() throws {
        let beeminder = try Self.beeminder()
        let first = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: nil)
        try expect(put(first, ["authToken": "good"]).status, is: 200)
        first.stop()
        let account = try RelayStore(folder: folder.path).account()?.account
        let relay = try RunningRelayProgram(in: folder, beeminder: Self.nobody, account: account)
        try expect(connection(relay)["user"] as? String, is: "alice")
        let answer = try put(relay, ["authToken": "another"])
        expect(answer.status, is: 200)
        for account in [answer.body, try connection(relay)] {
            expect(account["verified"] as? Bool, is: false)
            expect(account["state"] as? String, is: "unverified")
            expect(account["user"] == nil, "the former user's name")
            expect((account["detail"] as? String)?.contains("not verified yet") == true)
        }
        let health = try relay.call("GET", "/healthz").body
        expect(health.contains("\"verified\":false"))
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
    }

    @Test(arguments: [
        (401, "<html>sign in to the hotel</html>"), (403, "Forbidden\n"), (200, "<html>Welcome"),
        (500, "{}"), (302, ""),
    ])
    func `takes nobody else's words for Beeminder's`(_ status: Int, _ body: String) throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(status, body) }
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: nil)
        let answer = try put(relay, ["authToken": "good"])
        expect(answer.status, is: 200)
        expect(answer.body["verified"] as? Bool, is: false)
    }

    @Test(arguments: [
        "https://www.beeminder.com/api/v1/auth_token.json", "auth_token=abc", "Bearer abc",
        #""abc""#, "<html>", #"{"username":"alice"}"#, "a b", "", "a,b", "{",
    ])
    func `refuses what can be no token, with advice`(_ text: String) throws {
        let relay = try RunningRelayProgram(in: folder, beeminder: Self.nobody, account: nil)
        let answer = try put(relay, ["authToken": text])
        expect(answer.status, is: 400)
        expect((answer.body["detail"] as? String)?.contains("token") == true)
        try expect(connection(relay)["state"] as? String, is: "notConnected")
    }

    @Test func `delivers what came under a mistyped token of the environment`() throws {
        let beeminder = try Self.beeminder(goals: #"[{"slug":"water"}]"#)
        let base = "http://\(beeminder.endpoint)"
        let first = try RunningRelayProgram(
            in: folder, beeminder: base, account: .personalToken(#"{"oops"#))
        let log = try first.call("POST", "/log/water", #"{"value":1,"id":"p1"}"#)
        expect(log.status, is: 200)
        try waitUntil("the token is refused") {
            try members(try first.call("GET", "/healthz").body)["sync"] as? String
                == "signInAgain"
        }
        expect(beeminder.asked.isEmpty, "what can be no token is not sent")
        first.stop()
        let relay = try RunningRelayProgram(
            in: folder, beeminder: base, account: .personalToken("good"))
        defer { relay.stop() }
        let path = "/goals/water/datapoints.json"
        try waitUntil("the press is sent") {
            beeminder.asked.contains { $0.line == "POST ~\(path)" }
        }
        expect(beeminder.asked.contains { $0.body.contains("p1") && $0.body.contains("good") })
    }

    // MARK: Commands

    private func run(
        _ arguments: String..., input: String, at beeminder: String
    ) throws -> (code: Int32, output: String, complaint: String) {
        try Executable.run(
            arguments + ["--data", folder.path, "--auth-token", "-"],
            environment: ["BEEMED_BEEMINDER_URL": beeminder], input: input)
    }

    @Test(arguments: [false, true])
    func `tells the command's user what became of a token`(_ isRunning: Bool) throws {
        let beeminder = try Self.beeminder()
        let base = "http://\(beeminder.endpoint)"
        let relay =
            try isRunning
            ? RunningRelayProgram(in: folder, beeminder: base, account: nil) : nil
        defer { relay?.stop() }
        let page = "{\n\"username\":\"alice\",\n\"auth_token\":\"good\"}\n"
        let good = try run("connect", input: page, at: base)
        expect(good.code, is: 0)
        expect(good.output, is: "Connected as alice; presses are delivered while the relay runs.")
        try expect(run("connect", input: "typo\n", at: base).code, is: 77)
        try expect(run("connect", input: "https://www.beeminder.com\n", at: base).code, is: 65)
        try expect(Executable.run(["status", "--data", folder.path]).output.contains("alice"))
        guard !isRunning else { return }
        let later = try run("connect", input: "another\n", at: Self.nobody)
        expect(later.code, is: 0)
        expect(later.output.hasPrefix("Saved; not verified yet: Beeminder cannot be reached"))
    }

    // MARK: Health

    @Test func `names goals and the user to those with a token only`() throws {
        let beeminder = try Self.beeminder(goals: #"[{"slug":"water","losedate":1}]"#)
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://\(beeminder.endpoint)", account: .personalToken("good"))
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
        func health(_ token: String?) throws -> NSDictionary {
            try members(try relay.call("GET", "/healthz", token: token).body)
        }
        try waitUntil("a goal is missed") { try health(nil)["missingGoals"] as? Int == 1 }
        try relay.awaitGoals()
        let open = try health("-")
        expect(open["missingGoals"] as? Int == 1 && open["goalsAtRisk"] as? Int == 1)
        expect(open["status"] as? String, is: "degraded")
        expect(!"\(open)".contains("water") && !"\(open)".contains("alice"))
        expect((open["alarms"] as? [String])?.isEmpty == false)
        let named = try health(nil)
        expect(named["user"] as? String, is: "alice")
        expect("\(named["atRisk"] ?? "")".contains("water"))
        let alarms = try require(named["alarms"] as? [String])
        expect(alarms.contains { $0.contains("'water'") })
        try expect(relay.call("GET", "/context").body.contains(#""atRisk":[{"goal":"water""#))
    }
}
