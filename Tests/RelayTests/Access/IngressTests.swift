import BeemedDomain
import Foundation
import Testing

@testable import RelayHTTP
@testable import RelayTrunk

/// The relay below a path of another server: a reverse proxy's, or Home Assistant's ingress, which
/// authenticates the user itself.
struct IngressTests {
    private let folder = TemporaryFolder()
    private static let ingress = "X-Ingress-Path: /api/hassio_ingress/t0k3n"
    private static let host = "X-Forwarded-Host: homeassistant.local:8123"

    private func relay(
        ingress: [Address] = [Address([127, 0, 0, 1])], trusted: [Address] = [],
        change: (inout Settings) -> Void = { _ in }
    ) throws -> RunningRelayProgram {
        try RunningRelayProgram(in: folder) { settings in
            settings.ingressProxies = ingress
            settings.trustedProxies = trusted
            change(&settings)
        }
    }

    @Test func `whom Home Assistant lets in is the owner, from anywhere`() throws {
        let relay = try relay()
        let fields = [
            IngressTests.ingress, "X-Forwarded-Host: example.ui.nabu.casa",
            "X-Forwarded-For: 203.0.113.9, 172.30.32.1",
            // Of the relay's own port on the same host, and over since.
            try relay.cookie("br_0000"),
        ]
        let home = try relay.call("GET", "/", token: "-", fields: fields)
        expect(home.status == 200 && home.body.contains("<main id=\"view\""))
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
        let own = fields + ["Origin: https://example.ui.nabu.casa"]
        try expect(relay.call("POST", "/log/water", token: "-", fields: own).status, is: 200)
        let link = try members(
            relay.call("POST", "/owner-link", token: "-", fields: own).body)["path"]
        let signedIn = try relay.call("GET", link as? String ?? "", token: "-")
        expect(signedIn.status == 200 && signedIn.head.contains("Set-Cookie: beemed-"))
    }

    @Test func `another site's page cannot use that`() throws {
        let relay = try relay()
        for origin in ["http://evil.example", "http://homeassistant.local", "null"] {
            let answer = try relay.call(
                "POST", "/log/water", token: "-",
                fields: [IngressTests.ingress, IngressTests.host, "Origin: \(origin)"])
            expect(answer.status, is: 403, "\(origin)")
        }
        let none = [IngressTests.ingress, IngressTests.host]
        try expect(relay.call("POST", "/log/water", token: "-", fields: none).status, is: 403)
        let fetched =
            none + ["Sec-Fetch-Site: cross-site", "Origin: http://homeassistant.local:8123"]
        try expect(relay.call("POST", "/log/water", token: "-", fields: fetched).status, is: 403)
    }

    @Test func `who is not the ingress is nobody, whatever it says`() throws {
        let configured = try relay()
        let without = try configured.call("GET", "/devices", token: "-")
        expect(without.status, is: 401)
        let odd = try configured.call(
            "GET", "/devices", token: "-", fields: ["X-Forwarded-Prefix: /api/hassio_ingress/x"])
        expect(odd.status, is: 401)
        configured.stop()
        let copy = try folder.copy()
        for trusted in [[], [Address([127, 0, 0, 1])]] {
            let other = try RunningRelayProgram(in: copy) { settings in
                settings.ingressProxies = [Address([172, 30, 32, 2])]
                settings.trustedProxies = trusted
            }
            let fields = [IngressTests.ingress]
            try expect(other.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
            let home = try other.call("GET", "/", token: "-", fields: fields)
            expect(!home.body.contains("<main id=\"view\""))
        }
    }

    @Test func `devices are told the relay's own port, which needs no session`() throws {
        let relay = try relay()
        let fields = [IngressTests.ingress, IngressTests.host, "X-Forwarded-Proto: https"]
        let url = "http://homeassistant.local:\(relay.endpoint.port)"
        let answer = try members(relay.call("GET", "/devices", token: "-", fields: fields).body)
        expect(answer["url"] as? String, is: url)
        let manual = try relay.call("GET", "/docs", token: "-", fields: fields).body
        expect(manual.contains("\(url)/log/"))
        expect(!manual.contains("hassio_ingress") && !manual.contains(":8123/log"))
    }

    @Test func `behind a proxy with a path, cookies and addresses are below it`() throws {
        let relay = try relay(ingress: [], trusted: [Address([127, 0, 0, 1])]) {
            $0.hostNames = ["home.example"]
            $0.oauthClientID = "c"
        }
        let link = try relay.signInLink()
        let proxied = [
            "X-Forwarded-Host: home.example", "X-Forwarded-Proto: https",
            "X-Forwarded-Prefix: /beemed/",
        ]
        let login = try relay.call("GET", link, token: "-", fields: proxied)
        expect(login.head.contains("; Path=/beemed/; HttpOnly; SameSite=Strict; "))
        expect(login.body.contains("content=\"0; url=./\""))
        let devices = try relay.call("GET", "/devices", token: relay.owner, fields: proxied)
        try expect(members(devices.body)["url"] as? String, is: "https://home.example/beemed")
        let start = try relay.call("GET", "/oauth/start", token: relay.owner, fields: proxied)
        expect(start.head.contains("https%3A%2F%2Fhome.example%2Fbeemed%2Foauth%2Fcallback"))
        expect(start.head.contains("; Path=/beemed/oauth; HttpOnly; "))
        let shell = try relay.call(
            "GET", "/docs/recipes/press.sh", token: "-", fields: proxied)
        expect(shell.body.contains("RELAY_URL=https://home.example/beemed"))
    }

    @Test(arguments: [
        "beemed", "/", "/a b", "/a;Path=/", "//evil.example", "/a\"b", "/a/../b\u{7f}",
        "/" + String(repeating: "a", count: 300),
    ])
    func `a path that is none is ignored`(_ path: String) throws {
        let relay = try relay(ingress: [], trusted: [Address([127, 0, 0, 1])])
        let link = try relay.signInLink()
        let login = try relay.call(
            "GET", link, token: "-", fields: ["X-Forwarded-Prefix: \(path)"])
        expect(login.status == 400 || login.head.contains("; Path=/; HttpOnly"), "\(login.head)")
    }

    @Test(arguments: [
        ("/", "./"), ("/docs", "./"), ("/docs/", "../"), ("/docs/recipes/x", "../../"),
        ("/log/a%2Fb", "../"), ("//x", "../"),
    ])
    func `links lead to the root from every path`(_ path: String, _ root: String) throws {
        expect(Target(path: path).root, is: root)
        let relay = try relay()
        let fields = ["Accept: text/html"]
        let page = try relay.call("GET", path, token: "-", fields: fields).body
        let links = page.matches(of: /(?:href|src|action)="([^"]*)"/).map { String($0.1) }
        expect(links.count >= 3)
        for link in links {
            expect(
                link.hasPrefix("#") || link.hasPrefix(root) || link == "docs"
                    || link.hasPrefix("https://www.beeminder.com/"), "\(link) at \(path)")
        }
    }
}
