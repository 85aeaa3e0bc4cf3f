import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// A request that comes again on its connection is not read again, and must mean exactly what it
/// would have meant, over real sockets.
struct SamePressTests {
    private let folder = TemporaryFolder()

    private func request(_ body: String, token: String, path: String = "/log") -> String {
        "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Sends a request and returns the status and the members of its answer.
    private func answer(
        _ client: Client, _ request: String
    ) throws -> (status: Int, members: [String: Any]) {
        client.send(request)
        let answer = try require(client.answer())
        let body = try require(answer.components(separatedBy: "\r\n\r\n").last)
        let members = try require(try members(body) as? [String: Any])
        return (Int(answer.dropFirst(9).prefix(3)) ?? 0, members)
    }

    @Test(arguments: [
        (#"{"goal":"water","value":0.25,"comment":"a glass"}"#, "/log"), ("", "/log/water"),
        ("value=2&comment=x", "/log/water"), ("2 \"sets\"", "/log/water"),
        (#"{"value":1,"timestamp":1,"colour":"red"}"#, "/log/water"),
    ])
    func `the same request again is another press`(_ body: String, _ path: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        let press = request(body, token: relay.token, path: path)
        var (ids, rest) = (Set<String>(), [[String: String]]())
        for _ in 0..<5 {
            let answer = try answer(client, press)
            expect(answer.status, is: 200)
            ids.insert(try require(answer.members["id"] as? String))
            rest.append(
                answer.members.filter { !["id", "requestid"].contains($0.key) }
                    .mapValues { "\($0)" })
        }
        expect(ids.count, is: 5)
        expect(Set(rest).count, is: 1, "\(rest)")
        let events = try members(try relay.call("GET", "/events").body)["events"] as? [Any]
        expect(events?.count, is: 5)
    }

    @Test func `the same request with an id is the same press`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        let press = request(#"{"goal":"water","id":"17"}"#, token: relay.token)
        let duplicates = try (0..<3).map { _ in
            try answer(client, press).members["duplicate"] as? Bool
        }
        expect(duplicates, is: [false, true, true])
    }

    @Test func `another program's event is the same with a token or an option beside it`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let body = #"{"id":5,"action":"opened"}"#
        func log(_ query: String) throws -> [String: Any]? {
            try members(relay.call("POST", "/log/water?\(query)", body).body) as? [String: Any]
        }
        let id = try require(log("x=1")?["id"] as? String)
        for query in ["x=1&token=\(relay.token)", "dry_run=1&x=1", "strict=0&x=1"] {
            let again = try log(query)
            expect(again?["id"] as? String, is: id, "\(query)")
            expect(again?["duplicate"] as? Bool, is: true, "\(query)")
        }
        try expect(log("x=2")?["id"] as? String != id)
    }

    @Test func `the id in a dry run is the one that the press gets`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for path in ["/log/water", "/log/pushups?dry_run=1", "/log/pushups"] {
            let answer = try members(relay.call("POST", path, #"{"id":"e1"}"#).body)
            expect(
                answer["id"] as? String, is: path == "/log/water" ? "e1" : "e1~pushups", "\(path)")
        }
    }

    @Test func `another body on the same connection is what it says`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for value in [1, 1, 2, 2, 1, 3, 3, 3] {
            let body = #"{"goal":"water","value":\#(value)}"#
            let answer = try answer(client, request(body, token: relay.token))
            expect(answer.members["value"] as? Int, is: value)
        }
        let wrong = request(#"{"goal":"water","value":x}"#, token: relay.token)
        for _ in 0..<2 { try expect(answer(client, wrong).status, is: 400) }
        let dry = request(#"{"goal":"water","dry_run":1}"#, token: relay.token)
        for _ in 0..<2 { try expect(answer(client, dry).members["dryRun"] as? Bool, is: true) }
        let events = try members(try relay.call("GET", "/events").body)["events"] as? [Any]
        expect(events?.count, is: 8)
    }

    @Test func `presses that differ in value, comment and id only are what they say`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for number in 0..<12 {
            let body =
                #"{"goal":"water","value":\#(number).5,"comment":"glass \#(number % 5)","#
                + #""id":"n\#(number)"}"#
            let answer = try answer(client, request(body, token: relay.token)).members
            expect(answer["value"] as? Double, is: Double(number) + 0.5)
            expect(answer["id"] as? String, is: "n\(number)")
            expect(answer["duplicate"] as? Bool, is: false)
        }
        let list = try members(try relay.call("GET", "/events").body)
        let events = try require(list["events"] as? [[String: Any]])
        expect(
            events.compactMap { $0["comment"] as? String }.sorted(),
            is: (0..<12).map { "glass \($0 % 5)" }.sorted())
        let again = request(
            #"{"goal":"water","value":3.5,"comment":"glass 4","id":"n3"}"#, token: relay.token)
        try expect(answer(client, again).status, is: 409)
    }

    @Test func `presses of two forms in turns are what they say`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for number in 0..<24 {
            let goal = ["water", "tea", "water"][number % 3]
            let order = number % 4 < 2
            let body =
                order
                ? #"{"goal":"\#(goal)","value":\#(number)}"#
                : #"{"value":\#(number),"goal":"\#(goal)"}"#
            let answer = try answer(client, request(body, token: relay.token)).members
            expect(answer["value"] as? Int, is: number)
            expect(answer["goal"] as? String, is: goal)
        }
    }

    @Test(arguments: ["Idempotency-Key: k1\r\n", "Idempotency-Key: \"k1\"\r\n"])
    func `an id beside the body is compared with each body`(_ field: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        for (id, status) in [("k1", 200), ("k1", 200), ("k1", 200), ("k2", 422), ("k1", 200)] {
            let body = #"{"goal":"water","id":"\#(id)"}"#
            let answer = try answer(
                client,
                "POST /log HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(relay.token)\r\n"
                    + "\(field)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            expect(answer.status, is: status, "\(answer.members)")
        }
    }

    @Test func `a preset that has changed counts from the next press on`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        let press = request(#"{"goal":"glass"}"#, token: relay.token)
        var seen: [String] = []
        for preset in ["", #"{"goal":"water","value":2}"#, #"{"goal":"tea","value":3}"#] {
            if !preset.isEmpty {
                let put = try relay.call("PUT", "/presets/glass", preset, token: relay.owner)
                expect(put.status, is: 200)
            }
            for _ in 0..<2 {
                let answer = try answer(client, press).members
                seen.append("\(answer["goal"] ?? "") \(answer["value"] ?? "")")
            }
        }
        expect(seen, is: ["glass 1", "glass 1", "water 2", "water 2", "tea 3", "tea 3"])
    }

    @Test func `the rate limit counts it`() throws {
        let relay = try RunningRelayProgram(in: folder) { $0.requestsPerSecond = 0.01 }
        let client = Client(relay.endpoint)
        let press = request("", token: relay.token, path: "/log/water")
        let statuses = try (0..<25).map { _ in try answer(client, press).status }
        expect(statuses, is: Array(repeating: 200, count: 20) + Array(repeating: 429, count: 5))
    }

    @Test func `the list of requests shows it like the first one`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let client = Client(relay.endpoint)
        let press = request(#"{"goal":"water","colour":"red"}"#, token: relay.token)
        for _ in 0..<3 { _ = try answer(client, press) }
        let list = try members(try relay.call("GET", "/requests", token: relay.owner).body)
        let requests = try require(list["requests"] as? [[String: Any]])
        let shown = requests.map { NSDictionary(dictionary: $0.filter { $0.key != "time" }) }
        expect(Set(shown).count, is: 1, "\(shown)")
        expect(shown.count, is: 3)
        expect(shown.first?["parsed"] as? String, is: "json")
        expect(shown.first?["status"] as? Int, is: 200)
        let metrics = try relay.call("GET", "/metrics", token: relay.owner).body
        expect(metrics.contains(#"route="/log",status="200"} 3"#), "\(metrics)")
    }

    @Test func `presses of one turn have their own answers and lines`() throws {
        let names = ["esp", "knob"]
        let tokens = try names.map { name in
            try Executable.run(["device", "add", name, "--data", folder.path]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let relay = try Executable.relay(on: folder)
        let endpoint = try Executable.endpoint(relay.line())
        let clients = (0..<24).map { _ in Client(endpoint) }
        var expected: [String] = []
        for round in 0..<4 {
            // Neighbours differ in the device, the goal, the value, in all, and in nothing.
            for (number, client) in clients.enumerated() {
                let goal = number % 8 < 4 ? "water" : "tea"
                let notes = number % 12 == 11 ? #","timestamp":1"# : ""
                let body = #"{"goal":"\#(goal)","value":\#(number / 4 % 3 + round)\#(notes)}"#
                client.send(request(body, token: tokens[number / 2 % 2]))
            }
            for (number, client) in clients.enumerated() {
                let text = try require(client.answer()?.components(separatedBy: "\r\n\r\n").last)
                let answer = try members(text)
                let goal = number % 8 < 4 ? "water" : "tea"
                let (id, value) = (try require(answer["requestid"] as? String), answer["value"])
                expect(id.hasPrefix("\(names[number / 2 % 2])-"))
                expect(id.hasSuffix(".\(answer["id"] ?? "")"))
                expect(answer["goal"] as? String, is: goal)
                expect(value as? Int, is: number / 4 % 3 + round)
                expect((answer["timeNote"] != nil) == (number % 12 == 11))
                expected.append("msg=accepted requestid=\(id) goal=\(goal) value=\(value ?? "")")
            }
        }
        expect(relay.terminate(), is: 0)
        let lines = relay.log.split(separator: "\n").filter { $0.contains("msg=accepted") }
        expect(lines.allSatisfy { $0.hasPrefix("time=") })
        let logged = lines.compactMap { line in
            line.range(of: "msg=").map { String(line[$0.lowerBound...]) }
        }
        expect(logged.sorted(), is: expected.sorted())
        try expect(Executable.run(["journal", "verify", "--data", folder.path]).code, is: 0)
    }
}
