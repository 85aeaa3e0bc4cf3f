import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// The README's table of promises, one test a row, under the row's own words. Each is held to the
/// running relay; the simulations and the fault matrix look for the corners.
@Suite(.serialized) struct PromiseTests {
    private let folder = TemporaryFolder()

    private func press(_ id: String, _ members: String = "") -> String {
        #"{"goal":"water","value":1,"id":"\#(id)"\#(members.isEmpty ? "" : "," + members)}"#
    }

    private func events(_ relay: RunningRelayProgram, _ query: String = "") throws
        -> [[String: Any]]
    {
        let body = try relay.call("GET", "/events?limit=500\(query)", token: relay.owner).body
        return try require(try members(body)["events"] as? [[String: Any]])
    }

    /// A relay that cannot reach Beeminder.
    private func alone(_ folder: TemporaryFolder? = nil) throws -> RunningRelayProgram {
        try RunningRelayProgram(
            in: folder ?? self.folder, beeminder: "http://127.0.0.1:9",
            account: .personalToken("x"))
    }

    /// The journal's segments, the newest last.
    private func segments(_ folder: TemporaryFolder) throws -> [String] {
        let path = "\(folder.path)/journal"
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.wholeMatch(of: /\d+\.\w+/) != nil }
            .sorted().map { "\(path)/\($0)" }
    }

    /// Whether the journal's last file has the event, now.
    private func holds(_ id: String) throws -> Bool {
        let data = try Data(contentsOf: URL(fileURLWithPath: try require(segments(folder).last)))
        return data.range(of: Data(#""id":"\#(id)""#.utf8)) != nil
    }

    @Test func `200 means on disk`() throws {
        let relay = try alone()
        for number in 1...20 {
            try expect(relay.call("POST", "/log", press("p\(number)")).status, is: 200)
            try expect(holds("p\(number)"), "before the answer")
        }
        // Another process finds the answered presses, and no others, in a copy made now.
        let copy = try folder.copy()
        relay.stop()
        let other = try alone(copy)
        defer { other.stop() }
        let known = try events(other).compactMap { $0["id"] as? String }
        expect(Set(known), is: Set((1...20).map { "p\($0)" }))
    }

    @Test func `Nothing disappears`() async throws {
        let beeminder = try RunningBeeminder()
        await beeminder.set([
            SimulatedFault(.status(422), method: .post, goal: "pushups"),
            SimulatedFault(.hangUp, method: .post, goal: "reading"),
        ])
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        for goal in ["water", "pushups", "reading"] {
            try expect(relay.call("POST", "/log/\(goal)", #"{"id":"to-\#(goal)"}"#).status, is: 200)
        }
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        var states: [String: String] = [:]
        try waitUntil("one press is refused, and one delivered") {
            let list = try events(relay)
            expect(list.count, is: 3)
            for event in list {
                states[event["goal"] as? String ?? ""] = event["state"] as? String
                guard event["state"] as? String == "refused" else { continue }
                let refusal = event["refusal"] as? [String: Any]
                expect(refusal?["status"] as? Int, is: 422)
                expect((refusal?["why"] as? String)?.isEmpty == false)
            }
            return states["pushups"] == "refused" && states["water"] == "delivered"
        }
        expect(["queued", "sending", "held"].contains(states["reading"]))
    }

    @Test func `One press, one datapoint`() async throws {
        let beeminder = try RunningBeeminder()
        // Beeminder takes the first, and its answer is lost.
        await beeminder.set([
            SimulatedFault(.hangUp, isApplied: true, method: .post, timing: .onCall(1))
        ])
        var relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let token = relay.token
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 {
                group.addTask { [relay, press] in
                    try relay.call("POST", "/log", press("once", ""), token: token).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(answers, is: [200, 200, 200, 200, 200])
        relay.stop()
        relay = try RunningRelayProgram(in: folder, beeminder)
        try expect(relay.call("POST", "/log", press("once"), token: token).status, is: 200)
        try expect(relay.call("POST", "/log", press("next"), token: token).status, is: 200)
        try waitUntil("both are delivered") {
            try events(relay, "&state=delivered").count >= 2
        }
        relay.stop()
        let ids = await beeminder.posted(to: "water").map(\.requestID)
        let device = try folder.identity(of: "first")
        expect(ids, is: ["\(device).once", "\(device).next"])
    }

    @Test func `A press keeps its own time`() async throws {
        let relay = try alone()
        let token = relay.token
        let before = Int(Date().timeIntervalSince1970)
        try expect(
            relay.call("POST", "/log", press("old", #""timestamp":\#(before - 90_000)"#))
                .status, is: 200)
        // A device without a clock counts the seconds since.
        try expect(relay.call("POST", "/log", press("aged", #""age":3600"#)).status, is: 200)
        try expect(relay.call("POST", "/log", press("now")).status, is: 200)
        let after = Int(Date().timeIntervalSince1970)
        relay.stop()
        let beeminder = try RunningBeeminder()
        let later = try RunningRelayProgram(in: folder, beeminder)
        defer { later.stop() }
        try expect(later.call("POST", "/log", press("later"), token: token).status, is: 200)
        await expect(beeminder.awaitPosted(4, to: ["water"]))
        let times = await beeminder.posted(to: "water").map(\.timestamp)
        expect(times[0], is: before - 90_000)
        expect((before - 3_600...after - 3_600).contains(times[1]))
        expect((before...after).contains(times[2]))
    }

    /// The damage that people and crashes leave in a data folder.
    private static let leftovers: [(name: String, spoil: @Sendable (String) throws -> Void)] = [
        ("a torn tail", { try append("{\"t\":\"put\",\"q\":", to: $0) }),
        ("bytes of another program", { try append("\u{0}\u{1}garbage\n\n", to: $0) }),
        (
            "half of the last file",
            { path in
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: path))
            }
        ),
        ("an empty file", { try Data().write(to: URL(fileURLWithPath: $0)) }),
        ("no file", { try FileManager.default.removeItem(atPath: $0) }),
    ]

    private static func append(_ text: String, to path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path)) + Data(text.utf8)
        try data.write(to: URL(fileURLWithPath: path))
    }

    @Test func `It starts after any crash`() throws {
        let relay = try alone()
        try expect(relay.call("POST", "/log", press("a")).status, is: 200)
        let used = try folder.copy()  // As a kill leaves it.
        relay.stop()
        for (name, spoil) in PromiseTests.leftovers {
            let folder = try used.copy()
            try spoil(try require(segments(folder).last))
            let again = try alone(folder)
            let health = try members(try again.call("GET", "/healthz", token: again.owner).body)
            let journal = try require(health["journal"] as? [String: Any])
            let found = ["tornTailBytes", "damagedBytes", "missingRecords"]
                .compactMap { journal[$0] as? Int }.reduce(0, +)
            let alarms = health["alarms"] as? [String] ?? []
            expect(found > 0 || !alarms.isEmpty, "\(name) was not noticed: \(health)")
            try expect(
                again.call("POST", "/log", press("b"), token: again.owner).status, is: 200,
                "after \(name)")
            again.stop()
        }
    }

    /// The operations of openapi.yaml that need a token, with names put in.
    private static func closedRoutes() throws -> [(method: String, path: String)] {
        var routes: [(method: String, path: String)] = []
        var path = ""
        let lines = try SourceTree.file("openapi.yaml").lines
        for (index, line) in lines.enumerated() {
            if line == "components:" { break }
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
                path.replace(/\{\w+\}/, with: "water")
            }
            guard let method = line.wholeMatch(of: /\ {4}(get|post|put|delete):.*/)?.1,
                !path.isEmpty
            else { continue }
            let members = lines[(index + 1)...].prefix { $0.hasPrefix("      ") }
            let isOpen = members.contains {
                $0.hasPrefix("      security: []") || $0.hasPrefix("      security: [{},")
            }
            if !isOpen { routes.append((method.uppercased(), path)) }
        }
        return routes
    }

    @Test func `No stranger gets in`() throws {
        let relay = try alone()
        let added = try relay.call(
            "POST", "/devices", #"{"name":"hall","goals":["water"],"can":["log"]}"#,
            token: relay.owner)
        let hall = try require(try members(added.body)["token"] as? String)
        let routes = try PromiseTests.closedRoutes()
        expect(routes.count > 30)
        for route in routes {
            for token in ["-", "br_wrong"] {
                try expect(
                    relay.call(route.method, route.path, token: token).status, is: 401,
                    "\(route.method) \(route.path)")
            }
        }
        try expect(relay.call("POST", "/log/water", "1", token: hall).status, is: 200)
        try expect(relay.call("POST", "/log/pushups", "1", token: hall).status, is: 403)
        try expect(relay.call("GET", "/events", token: hall).status, is: 403)
        try expect(relay.call("GET", "/devices", token: hall).status, is: 403)
        try expect(relay.call("DELETE", "/devices/hall", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "1", token: hall).status, is: 401)
        try expect(
            relay.call("POST", "/log/water", "1", fields: ["Host: evil.example"]).status != 200)
    }
}
