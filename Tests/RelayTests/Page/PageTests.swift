import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayPage
@testable import RelayTrunk

/// The web page's routes. `make browser` tries the page itself in a browser.
struct PageTests {
    private let folder = TemporaryFolder()

    private func cookie(_ relay: RunningRelayProgram) throws -> String {
        let answer = try relay.call("GET", try relay.signInLink(), token: "-")
        let cookie = try require(answer.head.firstMatch(of: /Set-Cookie: ([^;]+);/)?.1)
        return "Cookie: \(cookie)"
    }

    private static let reader = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

    @Test func `is shown to a browser that is signed in, and explains itself to others`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let home = try relay.call("GET", "/", token: "-", fields: [cookie(relay)])
        expect(home.status == 200 && home.body.contains("\"page/main.js\""))
        expect(home.head.contains("\r\nVary: Cookie"))
        let style = try require(home.body.firstMatch(of: /<style>((?s:.*))<\/style>/)?.1)
        let digest = Data(SHA256Digest.of(Array(style.utf8))).base64EncodedString()
        expect(home.head.contains("; style-src 'self' 'sha256-\(digest)'; "))
        expect(!home.body.contains("stylesheet") && !home.head.contains("unsafe"))
        let stranger = try relay.call("GET", "/", token: "-")
        expect(stranger.status == 200 && stranger.body.contains("beemed-relay owner-link"))
        expect(stranger.body.contains("A demo shows the link"))
        expect(!stranger.body.contains("<script"))
        let tag = try require(home.head.firstMatch(of: /ETag: ("[0-9a-f]+")/)?.1)
        let again = try relay.call(
            "GET", "/", token: "-", fields: [cookie(relay), "If-None-Match: \(tag)"])
        expect(again.status == 304 && again.body.isEmpty)
    }

    @Test func `every file has its type, a tag and a policy without anything inline`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let kinds = [
            "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
            "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
            "webmanifest": "application/manifest+json",
        ]
        expect(Page.files.count >= 27)
        for (name, file) in Page.files {
            let kind = String(name.split(separator: ".").last ?? "")
            let path = "/page/\(name)"
            let looked = try relay.call("HEAD", path, token: "-")
            expect(looked.status, is: 200, "\(name)")
            let type = kinds[kind] ?? "none"
            expect(looked.head.contains("\r\nContent-Type: \(type)\r\n"), "\(name)")
            expect(looked.head.contains("\r\nX-Content-Type-Options: nosniff"))
            expect(looked.head.contains("\r\nContent-Security-Policy: default-src 'none';"))
            expect(!looked.head.contains("unsafe"))
            let tag = try require(file.field("ETag"))
            let again = try relay.call("GET", path, token: "-", fields: ["If-None-Match: \(tag)"])
            expect(again.status, is: 304, "\(name)")
        }
        try expect(relay.call("GET", "/page/nothing.js", token: "-").status, is: 404)
        try expect(relay.call("GET", "/page/..%2Fmanual.css", token: "-").status, is: 404)
        let worker = try relay.call("GET", "/page/worker.js", token: "-")
        expect(worker.head.contains("\r\nService-Worker-Allowed: ../\r\n"))
    }

    @Test func `needs nothing from elsewhere, and only files that there are`() throws {
        for (name, file) in Page.files where !name.hasSuffix(".png") {
            let text = String(decoding: file.body, as: UTF8.self)
            for match in text.matches(of: /"page\/([a-z0-9.-]+)"/) {
                expect(Page.files[String(match.1)] != nil, "\(match.1)")
            }
            // A path from the root would leave the prefix of a proxy.
            let root = /(?:href|src|action)[=:] ?["'`]\/|fetch\(["'`]\/|call\("[A-Z]+", ["`]\//
            expect(text.firstMatch(of: root) == nil, "\(name)")
            for match in text.matches(of: /(?:from|import\()"\.\/([a-z.]+)"/) {
                expect(Page.files[String(match.1)] != nil, "\(match.1) in \(name)")
            }
            expect(!text.contains("innerHTML") && !text.contains("eval("), "\(name)")
            expect(text.firstMatch(of: /<style|style=|<script>|\son[a-z]+="/) == nil, "\(name)")
        }
    }

    /// Uncompressed.
    @Test func `weighs less than 100,000 bytes`() {
        expect(Page.files.values.reduce(0) { $0 + $1.body.count } < 100_000)
    }

    /// The contract's paths, of which the page's one module that talks may use no others.
    @Test func `talks to the relay in one file, and by routes of the contract`() throws {
        let source = { (name: String) throws -> String in
            try SourceTree.file("Sources/BeemedRelay/CEmbedded/page/\(name)").text
        }
        for name in Page.files.keys where name.hasSuffix(".js") && name != "worker.js" {
            let talks = try source(name).contains("fetch(")
            expect(talks, is: (name == "api.js"), "\(name)")
        }
        let routes = ContractRoute.all(in: try SourceTree.file("openapi.yaml").text)
        let calls = try source("api.js").matches(of: /call\("([A-Z]+)", ["`]([a-z-]+)/)
        expect(calls.count >= 20)
        for call in calls {
            expect(
                routes.contains { $0.method == call.1 && $0.path.hasPrefix("/\(call.2)") },
                "\(call.1) \(call.2)")
        }
    }

    @Test(arguments: [
        ("/nothing", 404, "There is nothing here"), ("/context", 401, "not signed in"),
        ("/login?code=used", 403, "This link is used up"),
        ("/log/water", 405, "This address takes presses"),
        ("/oauth/callback?access_token=x", 403, "/oauth/start"),
    ])
    func `a browser gets a refusal as a page`(
        _ path: String, _ status: Int, _ words: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        let page = try relay.call("GET", path, token: "-", fields: [PageTests.reader])
        expect(page.status, is: status)
        expect(page.head.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"))
        expect(page.head.contains("\r\nContent-Security-Policy: default-src 'none'; style-src 's"))
        expect(page.body.contains(words), "\(page.body)")
        let script = try relay.call(
            "GET", path, token: "-", fields: [PageTests.reader, "Sec-Fetch-Dest: empty"])
        let program = try relay.call("GET", path, token: "-", fields: ["Accept: */*"])
        for answer in [script, program] {
            expect(answer.status, is: status)
            expect(answer.head.contains("\r\nContent-Type: application/problem+json\r\n"))
        }
    }

    @Test func `a refusal shows what came with the request as text`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let page = try relay.call(
            "GET", "/page/%3Cimg%20src=x%3E", token: "-", fields: [PageTests.reader])
        expect(page.status == 404 && page.body.contains("&lt;img src=x&gt;"))
        expect(!page.body.contains("<img src=x>"))
    }

    @Test func `a name that is not ours gets a page that needs nothing else`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        client.send(
            "GET / HTTP/1.1\r\nHost: evil.example\r\n\(PageTests.reader)\r\n"
                + "Connection: close\r\n\r\n")
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 421 "))
        expect(answer.contains("<style>") && answer.contains("Unknown name"))
    }

    @Test func `the style of a small page is the one that its policy allows`() throws {
        let page = Response.page("Title <b>", "<p>text</p>", root: "../")
        let body = String(decoding: page.body, as: UTF8.self)
        let style = try require(body.firstMatch(of: /<style>((?s:.*))<\/style>/)?.1)
        let digest = Data(SHA256Digest.of(Array(style.utf8))).base64EncodedString()
        expect(page.field("Content-Security-Policy")?.contains("'sha256-\(digest)'"), is: true)
        expect(body.contains("<h1>Title &lt;b&gt;</h1>"))
        expect(body.contains("href=\"../page/icon.svg\""))
    }

    @Test func `devices are told an address that they can reach`() throws {
        let relay = try RunningRelayProgram(in: folder) {
            $0.listen = Endpoint(Address([0, 0, 0, 0]), port: 0)
        }
        let answer = try members(relay.call("GET", "/devices", token: relay.owner).body)
        let address = try require(answer["address"] as? String)
        let shown = FirstSteps.address(of: relay.endpoint)
        expect(address, is: (shown.address.isLoopback ? "127.0.0.1" : "\(shown)"))
        let named = try relay.call(
            "GET", "/devices", token: relay.owner, fields: ["X-Forwarded-Host: evil.example"])
        expect(!named.body.contains("evil"))
    }
}
