import Foundation
import Testing

@testable import BeeminderSimulator
@testable import RelayHTTP
@testable import RelayTrunk

/// A request must not cost others more than its sender may ask for.
@Suite struct RequestCostTests {
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

    @Test(arguments: [
        ("", false), ("value=1", false), (#"{"goal":"water"}"#, false), ("tokem=x", false),
        ("toke", false), ("token=x", true), (#"{"TOKEN":"x"}"#, true), ("a&ToKeN=x", true),
        ("%74oken=x", true), (#"{"\u0074oken":"x"}"#, true),
        ("--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nx\r\n--b--", true),
    ])
    func `content is looked at for a token before it is read`(_ body: String, _ mayBear: Bool) {
        #expect(Credentials.mayBeField(of: request(body)) == mayBear)
        let bearer = "Authorization: Bearer br_x\r\n"
        #expect(!Credentials.mayBeField(of: request(body, bearer)))
    }

    @Test(arguments: ["token", "Token", "TOKEN", "%74oken"])
    func `a token in the query is found however its name is written`(_ name: String) throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        for (method, path) in [("POST", "/log/water"), ("GET", "/log/water/trigger")] {
            let target = "\(path)?\(name)=\(relay.token)"
            #expect(try relay.call(method, target, token: "-").status == 200, "\(method)")
        }
    }

    @Test func `a device above its rate is refused before its content is read`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder) { $0.requestsPerSecond = 0.1 }
        defer { relay.stop() }
        // Who may not log is not told what is wrong with the content, either.
        let reader = try relay.call(
            "POST", "/devices", #"{"name":"eye","can":["read"]}"#, token: relay.owner)
        let token = try #require(try members(reader.body)["token"] as? String)
        #expect(try relay.call("POST", "/log/water", "{", token: token).status == 403)
        let statuses = try (0..<25).map { _ in try relay.call("POST", "/log/water", "{").status }
        #expect(Set(statuses) == [400, 429])
    }

    @Test func `a form of very many fields is refused`() throws {
        let most = PressFields.mostGiven
        let fields = try BodyReader.fields(
            Array(("value=7" + String(repeating: "&a", count: most - 1)).utf8))
        #expect(fields.value == "7")
        for body in [
            "value=7" + String(repeating: "&a", count: most),
            String(
                repeating: "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n",
                count: most + 1) + "--b--\r\n",
        ] {
            #expect(throws: BodyReader.Fault.tooManyFields) {
                try BodyReader.fields(Array(body.utf8))
            }
        }
    }

    @Test func `a page of long events ends early, and the next one goes on`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        try relay.awaitGoals()
        let comment = String(repeating: #"\u0001"#, count: 4_096)
        let queue = (1...25).map { #"{"goal":"water","id":"n\#($0)","comment":"\#(comment)"}"# }
        for part in [queue.prefix(13), queue.dropFirst(13)] {
            let answer = try relay.call("POST", "/events", "[\(part.joined(separator: ","))]")
            #expect(answer.status == 200)
        }
        var (ids, next): ([String], Int?) = ([], nil)
        var pages = 0
        repeat {
            let place = next.map { "&before=\($0)" } ?? ""
            let answer = try relay.call("GET", "/events?limit=500\(place)")
            #expect(answer.body.utf8.count < 300 << 10)
            let page = try members(answer.body)
            let events = try #require(page["events"] as? [[String: Any]])
            ids += events.compactMap { $0["id"] as? String }
            next = page["next"] as? Int
            pages += 1
        } while next != nil && pages < 10
        #expect(ids == (1...25).reversed().map { "n\($0)" })
        #expect(pages > 1)
    }
}
