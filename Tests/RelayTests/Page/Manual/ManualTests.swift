import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayPage
@testable import RelayTrunk

struct ManualTests {
    private func page(_ host: String = "192.168.1.20:2336", goal: String? = nil) -> String {
        let reader = ManualReader(HomeAddress(host: host), goal: goal.flatMap(GoalSlug.init))
        return String(decoding: Manual.page(for: reader).body, as: UTF8.self)
    }

    /// Every text between a `start` and the `end` that follows.
    private func texts(in page: String, between start: String, and end: String) -> [String] {
        page.components(separatedBy: start).dropFirst().compactMap {
            $0.components(separatedBy: end).first
        }
    }

    /// The page's text as it is copied.
    private func plain(_ html: String) -> String {
        html.replacing(/<[^>]*>/, with: "").replacingOccurrences(of: "&lt;", with: "<")
            .replacingOccurrences(of: "&gt;", with: ">").replacingOccurrences(
                of: "&amp;", with: "&")
    }

    @Test func `explains every error code with its status, and no other`() {
        let rows = texts(in: page(), between: "<tr id=\"", and: "</tr>")
        let explained = rows.map { row in
            let cells = row.components(separatedBy: "<td>")
            return "\(row.prefix { $0 != "\"" }) \(cells[2]) \(cells.count)"
        }
        expect(explained, is: ErrorCode.allCases.map { "\($0.rawValue) \($0.status) 5" })
        expect(rows.allSatisfy { !$0.contains("<td></") && !$0.hasSuffix("<td>") })
    }

    @Test(arguments: [
        "curl", "python", "arduino", "micropython", "esphome", "homeassistant", "shelly", "tasmota",
        "shortcuts",
    ])
    func `has lines to copy for`(_ device: String) throws {
        let page = page("10.0.0.7:2336", goal: "steps")
        let panels = texts(
            in: page, between: "<section id=\"\(device)\" class=\"panel\"", and: "</section>")
        let panel = try require(panels.first)
        let lines = plain(
            texts(in: panel, between: "<code>", and: "</code>").joined(separator: "\n"))
        expect(lines.contains("10.0.0.7:2336"))
        expect(lines.contains("/log/steps"))
        expect(lines.contains("TOKEN"))
        expect(page.contains("<input type=\"radio\" name=\"device\" id=\"tab-\(device)\""))
        expect(Manual.style.contains("#tab-\(device):checked ~ #\(device)"))
    }

    @Test func `leaves no place unfilled, and names every id once`() {
        let page = page()
        expect(!page.contains("[["))
        let ids = texts(in: page, between: " id=\"", and: "\"")
        expect(Set(ids).count, is: ids.count)
        for link in texts(in: page, between: "href=\"#", and: "\"") { expect(ids.contains(link)) }
        for label in texts(in: page, between: " for=\"", and: "\"") { expect(ids.contains(label)) }
    }

    @Test func `needs nothing from elsewhere and nothing inline`() {
        let page = page()
        for source in texts(in: page, between: "src=\"", and: "\"") {
            expect(source.hasPrefix("./docs/") || source.hasPrefix("./page/"))
        }
        for link in texts(in: page, between: "href=\"", and: "\"") {
            expect(link.hasPrefix("#") || link.hasPrefix("./"))
        }
        expect(page.firstMatch(of: /<style|style=|<script>|\son[a-z]+=/) == nil)
        expect(!Manual.style.contains("@import") && !Manual.style.contains("url("))
    }

    @Test(arguments: [
        "a'b.local", "$(reboot).local", "a;b.local", "`id`", "<b>.local", "\"x\".local",
        "a&b.local", "",
    ])
    func `shows no name that would do harm in a shell`(_ host: String) {
        expect(page(host), is: page("RELAY:2336"))
    }

    @Test(arguments: ["[fd00::7]:2336", "relay.local", "192.168.1.20", "my_relay:80"])
    func `shows every name that is plain`(_ host: String) {
        expect(page(host).contains("http://\(host)/log/"))
    }

    @Test func `speaks of TLS to whoever came by it`() {
        let reader = ManualReader(
            HomeAddress(host: "relay.example.com", isSecure: true), goal: nil)
        let page = String(decoding: Manual.page(for: reader).body, as: UTF8.self)
        expect(page.contains("https://relay.example.com/log/"))
        expect(!page.contains("http://relay.example.com"))
        let panels = texts(in: page, between: "class=\"panel\"", and: "</section>")
        expect(panels.count == 9 && panels.allSatisfy { !$0.contains("http://") })
    }

    @Test(arguments: [
        "devices", "health-data", "reminders", "home-assistant", "operate", "more-than-one",
        "install", "reference",
    ])
    func `has all of the page`(_ name: String) throws {
        let lines = try SourceTree.file("docs/\(name).md").lines
        let page = plain(page())
        var isCode = false
        for line in lines {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") || line.hasPrefix("| ") else { continue }
            // Of a row the first cell, and of that the text up to its first mark.
            let text = line.drop { "#|`*[ ".contains($0) }
            let words = String(text.prefix { !"`*[]|\\".contains($0) }).trimmed
            expect(page.contains(words), "\(line)")
        }
    }

    @Test func `lists every route of the contract`() throws {
        let contract = try SourceTree.file("openapi.yaml").text
        let routes = ContractRoute.all(in: contract)
        expect(routes.count >= 25)
        expect(
            routes.contains(ContractRoute(method: "POST", path: "/log", summary: "Log one press")))
        let page = page()
        for route in routes { expect(page.contains("<code>\(route.method) \(route.path)</code>")) }
    }

    @Test func `shows a goal of the account to its owner, and to nobody else`() throws {
        let folder = TemporaryFolder()
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let goals = try members(relay.call("GET", "/context?limit=1").body)["pinnedGoals"]
        let urgent = try require((goals as? [NSDictionary])?.first?["slug"] as? String)
        let link = try members(relay.call("POST", "/owner-link", token: relay.owner).body)
        let head = try relay.call("GET", link["path"] as? String ?? "", token: "-").head
        let cookie = try require(head.firstMatch(of: /Set-Cookie: ([^;]+);/)?.1)
        let own = try relay.call("GET", "/docs", token: "-", fields: ["Cookie: \(cookie)"])
        expect(plain(own.body).contains("/log/\(urgent)\n"))
        let other = try relay.call("GET", "/docs", token: "-", fields: ["Cookie: \(cookie)x"])
        expect(!plain(other.body).contains("/log/\(urgent)\n"))
        expect(plain(other.body).contains("/log/GOAL\n"))
    }

    @Test func `is served without a token, to GET and HEAD, and once`() throws {
        let folder = TemporaryFolder()
        let relay = try RunningRelayProgram(in: folder, account: nil)
        for path in ["/docs", "/docs/manual.css", "/docs/manual.js", "/openapi.yaml"] {
            let got = try relay.call("GET", path, token: "-")
            expect(got.status == 200 && !got.body.isEmpty, "\(path)")
            expect(got.head.contains("\r\nContent-Security-Policy: default-src 'none';"))
            let looked = try relay.call("HEAD", path, token: "-")
            expect(looked.status == 200 && looked.body.isEmpty)
            let tag = try require(got.head.firstMatch(of: /ETag: ("[0-9a-f]+")/)?.1)
            expect(looked.head.contains("ETag: \(tag)"))
            let again = try relay.call(
                "GET", path, token: "-", fields: ["If-None-Match: \(tag)"])
            expect(again.status == 304 && again.body.isEmpty)
            try expect(relay.call("POST", path).status, is: 405)
        }
        let contract = try relay.call("GET", "/openapi.yaml", token: "-")
        expect(contract.body, is: (try SourceTree.file("openapi.yaml").text))
        expect(contract.head.contains("Content-Type: application/yaml"))
        let page = try relay.call("GET", "/docs?goal=steps", token: "-")
        expect(page.head.contains("Content-Type: text/html; charset=utf-8"))
        expect(plain(page.body).contains("http://127.0.0.1/log/steps"))
        let hostile = try relay.call("GET", "/docs?goal=%3Cb%3E", token: "-")
        expect(hostile.body, is: (try relay.call("GET", "/docs", token: "-").body))
    }
}

extension Manual {
    fileprivate static var style: String {
        String(decoding: EmbeddedFiles.file("manual/manual.css"), as: UTF8.self)
    }
}
