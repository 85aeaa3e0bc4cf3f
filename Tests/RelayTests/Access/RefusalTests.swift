import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import RelayTrunk

/// What those hear who are not let in, and what it costs.
struct RefusalTests {
    private let folder = TemporaryFolder()

    @Test func `tells apart no token, an unknown one, and one without the word Bearer`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let rows: [(fields: [String], words: String)] = [
            ([], "no token came"), (["Authorization: Bearer br_wrong"], "not known here"),
            (["X-Relay-Token: br_wrong"], "not known here"),
            (["Authorization: Basic eDpicl93cm9uZw=="], "not known here"),
            (
                ["Authorization: Basic " + Data("\(relay.token):".utf8).base64EncodedString()],
                "send it as the password"
            ),
            (["Authorization: \(relay.token)"], "word Bearer"),
            (["Authorization: Token \(relay.token)"], "word Bearer"),
            (["Authorization: Bearer"], "no token after it"),
            (["Authorization: Bearer "], "no token after it"),
            (["Cookie: beemed=br_wrong"], "not signed in"),
        ]
        var details: Set<String> = []
        for row in rows {
            for (method, path) in [("GET", "/context"), ("POST", "/log/water")] {
                let answer = try relay.call(method, path, token: "-", fields: row.fields)
                expect(answer.status, is: 401, "\(row.fields)")
                let problem = try members(answer.body)
                expect(problem["code"] as? String, is: "unauthorized")
                let detail = try require(problem["detail"] as? String)
                expect(detail.contains(row.words), "\(row.fields): \(detail)")
                expect(!detail.contains(relay.token))
                details.insert(detail)
            }
        }
        expect(details.count, is: 6)
    }

    @Test func `asks programs for a password, and no browser`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let rows: [(fields: [String], isAsked: Bool)] = [
            (["User-Agent: Wget/1.21"], true), (["User-Agent: curl/8.5.0"], true), ([], true),
            (["User-Agent: Python-urllib/3.12"], true), (["User-Agent: libsoup/3.4"], true),
            (["User-Agent: Lynx/2.9.0 libwww-FM/2.14", "Accept: text/html, text/plain"], true),
            (["User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"], false),
            (["Accept: text/html,application/xhtml+xml"], false), (["Sec-Fetch-Mode: cors"], false),
            (["Sec-Fetch-Site: cross-site"], false), (["Sec-Fetch-Dest: image"], false),
        ]
        for (fields, isAsked) in rows {
            let answer = try relay.call("GET", "/context", token: "-", fields: fields)
            expect(answer.head.contains("\r\nWWW-Authenticate: Bearer realm="))
            let asksForPassword = answer.head.contains("\r\nWWW-Authenticate: Basic realm=")
            expect(asksForPassword, is: isAsked, "\(fields)")
        }
    }

    @Test func `a picture on a page logs nothing with a password that the browser knows`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let basic = "Authorization: Basic " + Data("x:\(relay.token)".utf8).base64EncodedString()
        let browser = "User-Agent: Mozilla/5.0"
        let rows: [(fields: [String], status: Int)] = [
            ([browser], 403), ([browser, "Accept: image/avif,image/*"], 403),
            (["Accept: text/html"], 403), (["Sec-Fetch-Site: cross-site"], 403),
            ([browser, "Origin: http://evil.example"], 403),
            ([browser, "Sec-Fetch-Site: none"], 200),
            ([browser, "Sec-Fetch-Site: same-origin"], 200),
            ([browser, "Origin: http://127.0.0.1"], 200),
            ([], 200), (["User-Agent: Wget/1.21"], 200), (["User-Agent: curl/8.5.0"], 200),
            (["User-Agent: Lynx/2.9.0", "Accept: text/html"], 200),
        ]
        for path in [
            "/log/water/trigger", "/log/water/trigger/", "/log/water/%74rigger",
            "/%6cog/water/trigger?value=1",
        ] {
            for row in rows {
                let answer = try relay.call(
                    "GET", path, token: "-", fields: row.fields + [basic])
                expect(answer.status, is: row.status, "\(path) \(row.fields)")
            }
        }
        // Looking is nobody's harm, and a token in the URL is no password that a browser knows.
        try expect(
            relay.call("GET", "/context", token: "-", fields: [browser, basic]).status, is: 200)
        let trigger = "/log/water/trigger?token=\(relay.token)"
        try expect(relay.call("GET", trigger, token: "-", fields: [browser]).status, is: 200)
    }

    @Test func `logs the first refusals of a kind in a minute, and then their number`() {
        var log = RefusalLog()
        let start = Monotonic(milliseconds: 0)
        let kind = RefusalLog.Kind(peer: Address([10, 0, 0, 1]), code: .unauthorized)
        let other = RefusalLog.Kind(peer: Address([10, 0, 0, 1]), code: .notFound)
        let lines = (0..<1_000).map { _ in log.count(kind, at: start) }
        expect(lines.filter { $0 }.count, is: RefusalLog.maxLines)
        expect(lines.prefix(RefusalLog.maxLines).allSatisfy { $0 })
        let isOtherLogged = log.count(other, at: start)
        expect(isOtherLogged, "another kind has lines of its own")
        let early = log.takeSummary(at: start.adding(seconds: 59))
        expect(early == nil)
        let summary = log.takeSummary(at: start.adding(seconds: 60))
        expect(summary?.count, is: 1)
        expect(summary?.first?.kind == kind && summary?.first?.count == 995)
        expect(log.summaryAt == nil)
        let isLoggedAgain = log.count(kind, at: start.adding(seconds: 61))
        expect(isLoggedAgain, "the next minute begins anew")
    }

    @Test func `counts a bounded number of kinds`() {
        var log = RefusalLog()
        let start = Monotonic(milliseconds: 0)
        var lines = 0
        for number in 0..<10_000 {
            let address = Address([10, 0, UInt8(number >> 8), UInt8(number & 0xFF)])
            if log.count(RefusalLog.Kind(peer: address, code: .unauthorized), at: start) {
                lines += 1
            }
        }
        expect(lines, is: RefusalLog.maxKinds)
        let own = RefusalLog.Kind(peer: nil, code: .diskFull)
        let ownLines = (0..<RefusalLog.maxLines).map { _ in log.count(own, at: start) }
        expect(ownLines.allSatisfy { $0 }, "what the relay itself has met is always told")
        let summary = log.takeSummary(at: start.adding(seconds: 60))
        expect(summary?.map(\.count), is: [10_000 - RefusalLog.maxKinds])
        expect(summary?.first?.kind == nil)
    }

    @Test func `a press that is sent again and again fills no log, and is counted`() throws {
        let lines = WrittenLines()
        let relay = try RunningRelayProgram(in: folder, log: lines.log)
        let client = Client(relay.endpoint)
        let body = #"{"id":"again"}"#
        for _ in 0..<200 {
            client.send(
                "POST /log/water HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(relay.token)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            expect(client.answer()?.hasPrefix("HTTP/1.1 200"), is: true)
        }
        let event = #"{"id":"again","goal":"water"}"#
        let batch = (0..<200).map { _ in event }.joined(separator: "\n")
        let answer = try relay.call("POST", "/events", batch)
        expect(answer.status == 200 && answer.body.contains(#""accepted":200"#))
        relay.stop()
        // A minute may end in between.
        let count = lines.count(of: "duplicate=true")
        expect((1...(2 * RefusalLog.maxLines)).contains(count), "\(count)")
        expect(lines.count(of: "msg=accepted requestid"), is: count + 1)
    }
}
