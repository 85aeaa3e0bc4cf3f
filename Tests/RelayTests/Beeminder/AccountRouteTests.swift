import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// `/connection` and `/oauth`, against a whole relay.
struct AccountRouteTests {
    private let folder = TemporaryFolder()

    private func relay(
        _ account: Account? = nil, change: (inout Settings) -> Void = { _ in }
    ) throws -> RunningRelayProgram {
        try RunningRelayProgram(in: folder, account: account, change: change)
    }

    @Test func `shows which account it is, and never the token`() throws {
        let relay = try relay()
        let nobody = try relay.call("GET", "/connection", token: relay.owner)
        expect(nobody.body, is: #"{"state":"notConnected"}"#)
        let body = #"{"accessToken":"t0ken","username":"alice"}"#
        let put = try relay.call("PUT", "/connection", body, token: relay.owner)
        expect(put.status, is: 200)
        let account = try members(try relay.call("GET", "/connection", token: relay.owner).body)
        expect(account["user"] as? String, is: "alice")
        expect(account["kind"] as? String, is: "accessToken")
        expect(account["source"] as? String, is: "saved")
        expect((account["since"] as? Int).map { $0 > 1_700_000_000 } == true)
        expect(!"\(account) \(put.body)".contains("t0ken"))
        try expect(relay.call("DELETE", "/connection", token: relay.owner).status, is: 200)
        let after = try relay.call("GET", "/connection", token: relay.owner)
        expect(after.body, is: #"{"state":"notConnected"}"#)
    }

    @Test func `is for the owner only`() throws {
        let relay = try relay()
        for method in ["GET", "PUT", "DELETE"] {
            try expect(relay.call(method, "/connection", "{}").status, is: 403)
            try expect(relay.call(method, "/connection", "{}", token: "-").status, is: 401)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"authToken":""}"#, #"{"authToken":"a b"}"#, #"{"authToken":7}"#,
        #"{"accessToken":"a\u0000"}"#,
    ])
    func `takes no token that can be none`(_ body: String) throws {
        let relay = try relay()
        try expect(relay.call("PUT", "/connection", body, token: relay.owner).status, is: 400)
        let after = try relay.call("GET", "/connection", token: relay.owner)
        expect(after.body, is: #"{"state":"notConnected"}"#)
    }

    @Test func `says that the environment will win`() throws {
        let relay = try relay(.personalToken("environments"))
        func account() throws -> NSDictionary {
            try members(try relay.call("GET", "/connection", token: relay.owner).body)
        }
        try expect(account()["source"] as? String, is: "environment")
        try expect(account()["note"] == nil)
        _ = try relay.call(
            "PUT", "/connection", #"{"authToken":"another"}"#, token: relay.owner)
        try expect(account()["source"] as? String, is: "saved")
        expect((try account()["note"] as? String)?.contains("BEEMINDER_AUTH_TOKEN") == true)
    }

    // MARK: OAuth

    private static func withClient(_ settings: inout Settings) {
        settings.oauthClientID = "cl1ent"
    }

    /// Begins an authorisation.
    ///
    /// - Returns: where the browser is sent, and the cookie that it is given.
    private func begin(_ relay: RunningRelayProgram) throws -> (query: [String: String], String) {
        let answer = try relay.call("GET", "/oauth/start", token: relay.owner)
        expect(answer.status, is: 302)
        let place = try require(headField("Location", of: answer.head))
        expect(place.hasPrefix("http://127.0.0.1:9/apps/authorize?"))
        let query = FormDecoder.pairs(String(place.split(separator: "?")[1]))
        let cookie = try require(headField("Set-Cookie", of: answer.head))
        let attributes = "; Path=/oauth; HttpOnly; SameSite=Lax; Max-Age=600"
        expect(cookie.hasPrefix("beemed-oauth=") && cookie.hasSuffix(attributes))
        let pairs = query.map { ($0.name, $0.value) }
        return (
            Dictionary(pairs) { first, _ in first },
            String(cookie.prefix { $0 != ";" })
        )
    }

    private func user(_ relay: RunningRelayProgram) throws -> String? {
        try members(try relay.call("GET", "/connection", token: relay.owner).body)["user"]
            as? String
    }

    private func come(
        _ relay: RunningRelayProgram, _ query: String, _ cookie: String?
    ) throws -> (status: Int, body: String, head: String) {
        try relay.call(
            "GET", "/oauth/callback?\(query)", token: "-",
            fields: cookie.map { ["Cookie: other=1; \($0)"] } ?? [])
    }

    @Test func `connects the account that comes back from Beeminder, once`() throws {
        let relay = try relay(change: Self.withClient)
        let (query, cookie) = try begin(relay)
        expect(query["client_id"], is: "cl1ent")
        expect(query["response_type"], is: "token")
        expect(query["redirect_uri"], is: "http://127.0.0.1/oauth/callback")
        let state = try require(query["state"])
        let come = "access_token=abc123&username=alice&state=\(state)"
        let answer = try self.come(relay, come, cookie)
        expect(answer.status, is: 200)
        expect(answer.body.contains(#"http-equiv="refresh" content="0; url=../""#))
        expect(headField("Cache-Control", of: answer.head), is: "no-store")
        expect(headField("Referrer-Policy", of: answer.head), is: "no-referrer")
        expect(headField("Set-Cookie", of: answer.head)?.contains("Max-Age=0"), is: true)
        expect(!answer.body.contains("abc123"))
        try expect(user(relay), is: "alice")
        let again = "access_token=evil&username=mallory&state=\(state)"
        try expect(self.come(relay, again, cookie).status, is: 403)
        try expect(user(relay), is: "alice")
    }

    @Test func `is not signed in by a page of somebody else`() throws {
        let relay = try relay(change: Self.withClient)
        let (query, cookie) = try begin(relay)
        let state = query["state"] ?? ""
        let token = "access_token=evil&username=mallory"
        let tries: [(String, String?)] = [
            (token, nil), ("\(token)&state=\(state)", nil), ("\(token)&state=x", cookie),
            ("\(token)&state=", cookie), ("\(token)&state=\(state)", "beemed-oauth=x"),
            (token, cookie),
            ("state=x", nil),
        ]
        for (query, cookie) in tries {
            let answer = try come(relay, query, cookie)
            expect(answer.status, is: 403, "\(query) \(cookie ?? "")")
            let isOfOtherTab = cookie != nil && query.contains("state=")
            expect(!isOfOtherTab || answer.body.contains("another tab"))
        }
        let form = ["Content-Type: application/x-www-form-urlencoded", "Cookie: \(cookie)"]
        for origin in [["Origin: http://evil.example"], ["Origin: null"], []] {
            let answer = try relay.call(
                "POST", "/oauth/callback", token, token: "-", fields: form + origin)
            expect(answer.status, is: 403)
        }
        try expect(user(relay) == nil)
        // And yet the authorisation that is under way goes on.
        let good = "access_token=abc&username=alice&state=\(state)"
        try expect(come(relay, good, cookie).status, is: 200)
        try expect(user(relay), is: "alice")
    }

    @Test func `asks a person when Beeminder does not give the state back`() throws {
        let relay = try relay(change: Self.withClient)
        let (_, cookie) = try begin(relay)
        let question = try come(relay, "access_token=abc&username=a<b>", cookie)
        expect(question.status, is: 403)
        expect(question.body.contains("<strong>a&lt;b&gt;</strong>"))
        expect(headField("Referrer-Policy", of: question.head), is: "same-origin")
        try expect(user(relay) == nil)
        let yes = try relay.call(
            "POST", "/oauth/callback", "access_token=abc&username=alice", token: "-",
            fields: ["Cookie: \(cookie)", "Origin: http://127.0.0.1"])
        expect(yes.status, is: 200)
        try expect(user(relay), is: "alice")
    }

    @Test(arguments: [
        (true, "https", true), (true, "HTTPS", true), (true, "http", false),
        (false, "https", false),
    ])
    func `marks its cookie Secure where a trusted proxy speaks TLS, and only there`(
        _ isTrusted: Bool, _ scheme: String, _ isSecure: Bool
    ) throws {
        let relay = try relay { settings in
            Self.withClient(&settings)
            if isTrusted { settings.trustedProxies = [Address([127, 0, 0, 1])] }
        }
        let fields = ["X-Forwarded-Proto: \(scheme)", "X-Forwarded-For: 192.168.1.7"]
        let start = try relay.call("GET", "/oauth/start", token: relay.owner, fields: fields)
        let begun = try require(headField("Set-Cookie", of: start.head))
        expect(begun.hasSuffix("; Secure"), is: isSecure)
        let redirect = isSecure ? "redirect_uri=https%3A" : "redirect_uri=http%3A"
        expect(headField("Location", of: start.head)?.contains(redirect), is: true)
        let cookie = String(begun.prefix { $0 != ";" })
        let state = cookie.dropFirst("beemed-oauth=".count)
        let end = try relay.call(
            "GET", "/oauth/callback?access_token=abc&username=alice&state=\(state)", token: "-",
            fields: fields + ["Cookie: \(cookie)"])
        expect(end.status, is: 200)
        let ended = try require(headField("Set-Cookie", of: end.head))
        expect(ended.contains("Max-Age=0") && ended.hasSuffix("; Secure") == isSecure)
    }

    @Test func `changes nothing when somebody declines`() throws {
        let relay = try relay(change: Self.withClient)
        let (query, cookie) = try begin(relay)
        let state = query["state"] ?? ""
        let answer = try come(relay, "error=access_denied&state=\(state)", cookie)
        expect(answer.status, is: 200)
        expect(answer.body.contains("nothing has changed"))
        try expect(user(relay) == nil)
        let late = "access_token=abc&username=alice&state=\(state)"
        try expect(come(relay, late, cookie).status, is: 403)
    }

    @Test func `begins nothing for a stranger, and nothing by a look ahead`() throws {
        let relay = try relay(change: Self.withClient)
        try expect(relay.call("GET", "/oauth/start", token: "-").status, is: 401)
        try expect(relay.call("GET", "/oauth/start").status, is: 403)
        let look = try relay.call(
            "GET", "/oauth/start", token: relay.owner, fields: ["Sec-Purpose: prefetch"])
        expect(look.status == 200 && headField("Set-Cookie", of: look.head) == nil)
        try expect(relay.call("HEAD", "/oauth/start", token: relay.owner).status, is: 200)
    }

    @Test func `explains how to register where there is no client id`() throws {
        let relay = try relay()
        let page = try relay.call(
            "GET", "/oauth/start", token: "-")
        expect(page.status, is: 200)
        expect(page.body.contains("http://127.0.0.1/oauth/callback"))
        expect(page.body.contains("beeminder.com/apps/new"))
        expect(page.body.contains("--oauth-client-id"))
    }

    @Test func `goes through the simulated Beeminder's own page`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(
            in: folder, beeminder: beeminder.base, account: nil, change: Self.withClient)
        await beeminder.change { world in
            world.apps.append(
                SimulatedApp(
                    clientID: "cl1ent", redirectURI: "http://127.0.0.1/oauth/callback"))
            world.signedInUser = "alice"
        }
        let start = try relay.call("GET", "/oauth/start", token: relay.owner)
        let place = try require(headField("Location", of: start.head))
        let back = try await beeminder.redirect(from: place)
        let cookie = try require(headField("Set-Cookie", of: start.head)).prefix { $0 != ";" }
        let query = try require(back.split(separator: "?").last)
        let state = try require(place.split(separator: "=").last)
        let answer = try come(relay, "\(query)&state=\(state)", String(cookie))
        expect(answer.status, is: 200)
        try expect(relay.call("POST", "/log/water", "+1").status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
    }
}
