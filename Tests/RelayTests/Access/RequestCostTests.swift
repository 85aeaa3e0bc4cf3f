import Foundation
import Testing

@testable import BeeminderSimulator
@testable import RelayHTTP
@testable import RelayTrunk

/// A request must not cost others more than its sender may ask for.
struct RequestCostTests {
    private let folder = TemporaryFolder()

    private func request(_ body: String, _ fields: String = "") -> Request {
        var parser = RequestParser()
        let head = "POST /log HTTP/1.1\r\nHost: a\r\n\(fields)"
        parser.feed(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8).span)
        guard case .request(let request)? = try? parser.next() else {
            preconditionFailure("it is a request")
        }
        return request
    }

    @Test func `a stranger's content is read only if it is short`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let most = Relay.strangerBodyBytes
        for (token, bytes, status) in [
            (relay.token, most, 200), ("br_wrong", most, 401), (relay.token, most + 1, 413),
        ] {
            var body = "value=1&token=\(token)&comment="
            body += String(repeating: "a", count: bytes - body.utf8.count)
            try expect(relay.call("POST", "/log/water", body, token: "-").status, is: status)
        }
    }

    @Test func `what is longer than anybody's is not looked through`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        // A path, a host, cookies, tags and pairs.
        let long = String(repeating: "a", count: 3_000)
        try expect(relay.call("POST", "/log/\(long)", "1").status, is: 404)
        try expect(relay.call("POST", "/" + String(repeating: "/", count: 600)).status, is: 404)
        try expect(
            relay.call(
                "GET", "/", fields: ["If-None-Match: " + String(repeating: "\"a\", ", count: 2_000)]
            )
            .status, is: 200)
        let address = "/reminders/services/s3cret\(long)"
        try expect(relay.call("DELETE", address, token: relay.owner).status, is: 404)
        try expect(!relay.call("GET", "/requests", token: relay.owner).body.contains("s3cret"))
        let pairs = String(repeating: "a&", count: 255)
        for (query, status) in [(pairs, 200), (pairs + "a&", 401)] {
            let target = "/context?\(query)token=\(relay.token)"
            // Other parameters of the context are unknown.
            let answer = try relay.call("GET", target, token: "-").status
            expect(answer, is: (status == 200 ? 400 : 401), "\(query.count)")
        }
    }

    @Test func `content in very small chunks is taken, of a stranger if it is short`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        let chunks = { (text: String) in
            text.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
        }
        let comment = String(repeating: "a", count: 3_000)
        let rows: [(String, String, String)] = [
            ("Authorization: Bearer \(relay.token)\r\n", "value=1&comment=\(comment)", "200"),
            ("", "value=1&comment=\(comment)&token=\(relay.token)", "413"),
            ("", "value=1&id=2&token=\(relay.token)", "200"),
        ]
        for (field, body, status) in rows {
            let client = Client(relay.endpoint)
            client.send(
                "POST /log/water HTTP/1.1\r\nHost: 127.0.0.1\r\n\(field)"
                    + "Transfer-Encoding: chunked\r\n\r\n\(chunks(body))")
            expect(client.answer()?.contains(" \(status) "), is: true, "\(status)")
        }
    }

    @Test func `a session is found behind the cookies of other servers`() {
        let others = { String(repeating: "a=b; ", count: $0) }
        let cookie = { (text: String) in
            Credentials.cookie(named: "beemed-1", in: request("", "Cookie: \(text)\r\n"))
        }
        expect(cookie("beemed-1=x; beemed-2=y"), is: "x")
        expect(cookie("a=beemed-1=z;;; beemed-2=w;beemed-1=y"), is: "y")
        expect(cookie(others(170) + "beemed-1=x"), is: "x")
        expect(cookie(others(300) + "beemed-1=x") == nil)
    }

    @Test(arguments: ["token", "Token", "TOKEN", "%74oken"])
    func `a token in the query is found however its name is written`(_ name: String) throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        for (method, path) in [("POST", "/log/water"), ("GET", "/log/water/trigger")] {
            let target = "\(path)?\(name)=\(relay.token)"
            try expect(relay.call(method, target, token: "-").status, is: 200, "\(method)")
        }
    }

    @Test func `a device above its rate is refused before its content is read`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder) { $0.requestsPerSecond = 0.1 }
        // A device that may not log is not told what is wrong with the content, either.
        let token = try relay.add(#"{"name":"eye","can":["read"]}"#)
        try expect(relay.call("POST", "/log/water", "{", token: token).status, is: 403)
        let statuses = try (0..<25).map { _ in try relay.call("POST", "/log/water", "{").status }
        expect(Set(statuses), is: [400, 429])
    }

    @Test func `a form of very many fields is refused`() throws {
        let most = PressFields.maxGiven
        let fields = try BodyReader.fields(
            Array(("value=7" + String(repeating: "&a", count: most - 1)).utf8))
        expect(fields[.value], is: "7")
        for body in [
            "value=7" + String(repeating: "&a", count: most),
            String(
                repeating: "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n",
                count: most + 1) + "--b--\r\n",
        ] {
            #expect(throws: Problem.tooManyFields) {
                try BodyReader.fields(Array(body.utf8))
            }
        }
    }

    @Test func `a page of long events ends early, and the next one goes on`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let comment = String(repeating: #"\u0001"#, count: 4_096)
        let queue = (1...25).map { #"{"goal":"water","id":"n\#($0)","comment":"\#(comment)"}"# }
        for part in [queue.prefix(13), queue.dropFirst(13)] {
            let answer = try relay.call("POST", "/events", "[\(part.joined(separator: ","))]")
            expect(answer.status, is: 200)
        }
        var (ids, next): ([String], Int?) = ([], nil)
        var pages = 0
        repeat {
            let place = next.map { "&before=\($0)" } ?? ""
            let answer = try relay.call("GET", "/events?limit=500\(place)")
            expect(answer.body.utf8.count < 300 << 10)
            let page = try members(answer.body)
            let events = try require(page["events"] as? [[String: Any]])
            ids += events.compactMap { $0["id"] as? String }
            next = page["next"] as? Int
            pages += 1
        } while next != nil && pages < 10
        expect(ids, is: (1...25).reversed().map { "n\($0)" })
        expect(pages > 1)
    }
}
