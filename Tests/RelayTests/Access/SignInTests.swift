import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

struct SignInLinkTests {
    private let start = Monotonic(milliseconds: 1_000)

    private func code(_ path: String) -> String {
        String(path.dropFirst("/login?code=".count))
    }

    @Test func `a link is good until it is used, unless it was revoked`() {
        var links = OneTimeSecrets.links
        let code = code(links.offerLink(at: start))
        let answers = [code + "x", "", code, code].map { links.grant(of: $0, at: start) != nil }
        expect(answers, is: [false, false, true, true])
        links.remove(code)
        expect(links.grant(of: code, at: start) == nil)
        let other = self.code(links.offerLink(at: start, by: Grant(device: TokenDigest(of: "a"))))
        expect(links.grant(of: other, at: start) != nil)
        links.endAll { $0.device != nil }
        expect(links.grant(of: other, at: start) == nil)
    }

    @Test(arguments: [(899.0, true), (901.0, false)])
    func `a link is good for a quarter of an hour`(_ seconds: Double, _ isGood: Bool) {
        var links = OneTimeSecrets.links
        let code = code(links.offerLink(at: start))
        let grant = links.grant(of: code, at: start.adding(seconds: seconds))
        expect((grant != nil) == isGood)
    }

    @Test func `a session ends with its time, or when somebody ends it`() throws {
        var sessions = Sessions()
        let now = UnixTime(1_800_000_000)
        let token = sessions.begin(at: now).text
        let other = sessions.begin(at: now).text
        let saved = try JSONEncoder().encode(sessions)
        expect(!String(decoding: saved, as: UTF8.self).contains(token))
        var read = try JSONDecoder().decode(Sessions.self, from: saved)
        expect(read.holds(token, at: now) && !read.holds(token + "x", at: now))
        expect(!read.holds(token, at: now.adding(Sessions.lifetime)))
        read.end(token)
        expect(!read.holds(token, at: now) && read.holds(other, at: now))
    }
}

/// Sessions and clocks that are wrong.
struct SessionClockTests {
    private let now = UnixTime(1_800_000_000)

    @Test func `a sign-in while the clock is far ahead ends no other`() {
        var sessions = Sessions()
        let first = sessions.begin(at: now).text
        let ahead = now.adding(30 * 366 * 86_400)
        let second = sessions.begin(at: ahead).text
        expect(!sessions.holds(first, at: ahead) && sessions.holds(second, at: ahead))
        expect(sessions.holds(first, at: now.adding(60)))
        expect(!sessions.holds(first, at: now.adding(Sessions.lifetime)))
    }

    @Test func `the oldest session gives way to a new one beyond the limit`() {
        var sessions = Sessions()
        let tokens = (0..<65).map { sessions.begin(at: now.adding(Int64($0))).text }
        expect(!sessions.holds(tokens[0], at: now) && sessions.holds(tokens[1], at: now))
        expect(sessions.holds(tokens[64], at: now))
    }

    @Test(arguments: [(Int64.min, false), (0, false), (.max, true)])
    func `a session with an impossible time is none, or holds`(
        _ begun: Int64, _ isAlive: Bool
    ) throws {
        let token = Token.random()
        let saved = #"{"sessions":[{"tokenHash":"\#(token.digest.rawValue)","begun":\#(begun)}]}"#
        var sessions = try JSONDecoder().decode(Sessions.self, from: Data(saved.utf8))
        expect(sessions.holds(token.text, at: now), is: isAlive)
        let other = sessions.begin(at: now)
        expect(sessions.holds(other.text, at: now))
    }
}

/// A browser that is signed in, and pages that would like to use it.
struct SignInTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [("https", true), ("http", false)])
    func `a session's cookie is Secure where a trusted proxy speaks TLS`(
        _ scheme: String, _ isSecure: Bool
    ) throws {
        let relay = try RunningRelayProgram(in: folder) {
            $0.trustedProxies = [Address([127, 0, 0, 1])]
        }
        let fields = ["X-Forwarded-Proto: \(scheme)", "X-Forwarded-For: 192.168.1.7"]
        let answer = try relay.call("GET", try relay.signInLink(), token: "-", fields: fields)
        let cookie = try require(headField("Set-Cookie", of: answer.head))
        expect(cookie.hasSuffix("; Secure"), is: isSecure)
    }

    private func cookie(_ answer: (status: Int, body: String, head: String)) throws -> String {
        let field = try require(headField("Set-Cookie", of: answer.head))
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            expect(field.contains("; \(attribute)"), "\(field)")
        }
        return String(field.prefix { $0 != ";" })
    }

    @Test func `a link signs one browser in, once, and over a restart`() throws {
        let first = try RunningRelayProgram(in: folder)
        let link = try first.signInLink()
        try expect(first.call("HEAD", link, token: "-").status, is: 200)
        let preview = try first.call("GET", link, token: "-", fields: ["Purpose: prefetch"])
        expect(preview.status == 200 && !preview.head.contains("Set-Cookie"))
        let chat = try first.call("GET", link, token: "-", fields: ["User-Agent: TelegramBot"])
        expect(chat.status == 200 && !chat.head.contains("Set-Cookie"))
        let cookie = try cookie(try first.call("GET", link, token: "-"))
        let again = try first.call("GET", link, token: "-")
        expect(again.status, is: 403)
        try expect(members(again.body)["code"] as? String, is: "link_expired")
        try expect(first.call("GET", "/devices", token: "-").status, is: 401)
        first.stop()

        let copy = try folder.copy()
        let second = try RunningRelayProgram(in: copy)
        let fields = ["Cookie: theme=dark; \(cookie)"]
        try expect(second.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
        let home = try second.call("GET", "/", token: "-", fields: fields)
        expect(home.body.contains("<main id=\"view\""))
        expect(home.head.contains("Content-Security-Policy: default-src 'none'"))
        let used = try second.call("GET", link, token: "-", fields: fields)
        expect(used.status == 303 && used.head.contains("\r\nLocation: ./\r\n"))
        let logout = fields + ["Origin: http://127.0.0.1"]
        let out = try second.call("POST", "/logout", token: "-", fields: logout)
        expect(out.status, is: 200, "\(out.body)")
        try expect(second.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
    }

    @Test func `one browser is signed in at two relays on one host`() throws {
        let (one, other) = (
            try RunningRelayProgram(in: folder), try RunningRelayProgram(in: TemporaryFolder())
        )
        let cookies = try [one, other].map { relay in
            try cookie(try relay.call("GET", try relay.signInLink(), token: "-"))
        }
        let names = Set(cookies.map { $0.prefix { $0 != "=" } })
        expect(names.count, is: 2, "the later sign-in replaces the earlier one's cookie")
        // A browser sends both to both, whatever the port.
        let fields = ["Cookie: \(cookies.joined(separator: "; "))"]
        for relay in [one, other] {
            try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
        }
        let logout = fields + ["Origin: http://127.0.0.1"]
        let out = try one.call("POST", "/logout", token: "-", fields: logout)
        let name = try require(cookies[0].split(separator: "=").first)
        expect(out.head.contains("Set-Cookie: \(name)=; "))
        try expect(one.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
        try expect(other.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
    }

    @Test func `a browser is signed in until a restart when that cannot be saved`() throws {
        var relay = try RunningRelayProgram(in: folder)
        let link = try relay.signInLink()
        let obstacle = "\(folder.path)/sessions.json"
        try FileManager.default.createDirectory(
            atPath: obstacle, withIntermediateDirectories: false)
        let cookie = try cookie(try relay.call("GET", link, token: "-"))
        let fields = ["Cookie: \(cookie)"]
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
        try expect(relay.call("GET", link, token: "-").status, is: 403)
        try FileManager.default.removeItem(atPath: obstacle)
        relay.stop()
        relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
    }

    @Test func `the owner signs every browser out`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let cookie = try cookie(try relay.call("GET", try relay.signInLink(), token: "-"))
        try expect(relay.call("DELETE", "/sessions").status, is: 403, "a device may not")
        try expect(relay.call("DELETE", "/sessions", token: relay.owner).status, is: 200)
        let fields = ["Cookie: \(cookie)"]
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
    }

    struct Page: CustomTestStringConvertible, Sendable {
        var method = "POST"
        var path = "/log/water"
        var fields: [String]
        var status: Int
        var testDescription: String { "\(method) \(path) \(fields): \(status)" }
    }

    /// The fields that browsers send on behalf of a page, and the status of the answer.
    static let pages = [
        Page(fields: ["Origin: http://127.0.0.1", "Sec-Fetch-Site: same-origin"], status: 200),
        Page(fields: ["Origin: http://127.0.0.1"], status: 200),
        Page(fields: ["Sec-Fetch-Site: same-origin"], status: 200),
        Page(fields: [], status: 403),
        Page(fields: ["Origin: http://evil.example"], status: 403),
        Page(fields: ["Origin: null"], status: 403),
        Page(fields: ["Origin: http://127.0.0.1:8080"], status: 403),
        Page(fields: ["Origin: http://127.0.0.1.evil.example"], status: 403),
        Page(fields: ["Sec-Fetch-Site: cross-site"], status: 403),
        Page(fields: ["Origin: http://127.0.0.1", "Sec-Fetch-Site: same-site"], status: 403),
        Page(method: "GET", path: "/log/water/trigger", fields: [], status: 403),
        Page(
            method: "GET", path: "/log/water/trigger", fields: ["Sec-Fetch-Site: cross-site"],
            status: 403),
        Page(
            method: "GET", path: "/log/water/trigger", fields: ["Sec-Fetch-Site: none"],
            status: 403),
        Page(method: "DELETE", path: "/devices/first", fields: [], status: 403),
        Page(
            method: "PUT", path: "/connection", fields: ["Origin: http://evil.example"],
            status: 403),
        Page(method: "GET", path: "/context", fields: [], status: 200),
    ]

    @Test func `no other page makes a browser change anything`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let cookie = try cookie(try relay.call("GET", try relay.signInLink(), token: "-"))
        for page in SignInTests.pages {
            let answer = try relay.call(
                page.method, page.path, page.method == "GET" ? "" : "value=1", token: "-",
                fields: ["Cookie: \(cookie)"] + page.fields)
            expect(answer.status, is: page.status, "\(page.testDescription)")
            if page.status == 403 {
                try expect(members(answer.body)["code"] as? String, is: "cross_site")
            }
            expect(!answer.head.lowercased().contains("access-control"))
        }
        let preflight = try relay.call(
            "OPTIONS", "/log/water", token: "-",
            fields: ["Origin: http://evil.example", "Access-Control-Request-Method: POST"])
        expect(preflight.status, is: 200)
        expect(!preflight.head.lowercased().contains("access-control"))
    }

    @Test func `a password that a browser remembers is of no use to another page`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let password = Data("x:\(relay.token)".utf8).base64EncodedString()
        let rows: [(fields: [String], status: Int)] = [
            ([], 200), (["Origin: http://127.0.0.1"], 200), (["Origin: http://evil.example"], 403),
            (["Sec-Fetch-Site: cross-site"], 403),
        ]
        for row in rows {
            for (method, path) in [("POST", "/log/water"), ("GET", "/log/water/trigger")] {
                let answer = try relay.call(
                    method, path, token: "-",
                    fields: ["Authorization: Basic \(password)"] + row.fields)
                expect(answer.status, is: row.status, "\(method) \(row.fields)")
            }
        }
    }
}
