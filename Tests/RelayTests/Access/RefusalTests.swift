import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import RelayTrunk

/// The answers to clients without access, and the log lines that refusals cost.
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
                "user name of Basic"
            ),
            (["Authorization: \(relay.token)"], "word Bearer"),
            (["Authorization: Token \(relay.token)"], "word Bearer"),
            (["Authorization: Bearer"], "variable with the token"),
            (["Authorization: Bearer "], "variable with the token"),
            ([try relay.cookie("br_wrong")], "not signed in"),
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
        expect(details.count, is: 4)
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

    /// Records that write to a log.
    private func records(_ lines: WrittenLines) -> RequestRecords {
        RequestRecords(RouteTable(of: []), lines.log, clock: SystemClock.moment)
    }

    @Test func `logs the first refusals of a kind, and their number with the next line`() {
        let lines = WrittenLines()
        let records = records(lines)
        let peer = Address([10, 0, 0, 1])
        for _ in 0..<1_000 { _ = records.name(.signedOut, from: peer) }
        // A slow machine may have one more.
        expect((5...7).contains(lines.count(of: "code=unauthorized")), "\(lines.text)")
        _ = records.name(.crossSite, from: peer)
        let others = lines.text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /unlogged=(\d+)/).flatMap { Int($0.1) }
        }
        expect(others.reduce(0, +) + lines.count(of: "code=unauthorized"), is: 1_000)
        let last = lines.text.split(separator: "\n").last ?? ""
        expect(last.contains("code=") && last.contains("unlogged="), "\(last)")
    }

    @Test func `logs a bounded number of refusals of all addresses, and every finding`() {
        let lines = WrittenLines()
        let records = records(lines)
        for number in 0..<10_000 {
            let peer = Address([10, 0, UInt8(number >> 8), UInt8(number & 0xFF)])
            _ = records.name(.signedOut, from: peer)
        }
        expect((300...400).contains(lines.count(of: "code=unauthorized")))
        for _ in 0..<3 { records.logRejection(DiskError("write", code: ENOSPC)) }
        expect(lines.count(of: "nothing of the batch was taken"), is: 3)
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
        // A slow machine may have some more.
        let count = lines.count(of: "duplicate=true")
        expect((5...10).contains(count), "\(count)")
        expect(lines.count(of: "msg=accepted requestid"), is: count + 1)
    }
}
