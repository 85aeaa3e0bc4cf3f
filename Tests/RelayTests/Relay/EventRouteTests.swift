import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// Undo, retry, lists, goals, pins and presets, over a real socket to a simulated Beeminder.
struct EventRouteTests {
    private let folder = TemporaryFolder()

    @Test func `takes a press back that Beeminder has`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        try expect(relay.call("POST", "/log/water", #"{"value":2,"id":"a-1"}"#).status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        let undone = try relay.call("DELETE", "/events/a-1")
        expect(undone.status, is: 200)
        try expect(members(undone.body)["state"] as? String, is: "undone")
        try waitUntil("the datapoint is deleted") {
            try members(try relay.call("GET", "/events/a-1").body)["erased"] as? Bool == true
        }
        await expect(beeminder.posted(to: "water").isEmpty)
        try expect(relay.call("DELETE", "/events/nobody").status, is: 404)
        try expect(relay.call("DELETE", "/events/a-1", token: "-").status, is: 401)
        let again = try relay.call("POST", "/log/water", #"{"value":2,"id":"a-1"}"#)
        try expect(members(again.body)["state"] as? String, is: "undone")
    }

    @Test func `lists events by state, a page at a time, to each device its own`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        for number in 1...5 {
            let body = #"{"id":"n\#(number)"}"#
            try expect(relay.call("POST", "/log/water", body).status, is: 200)
        }
        try expect(
            relay.call("POST", "/log/water", #"{"id":"o"}"#, token: relay.owner).status, is: 200)
        await expect(beeminder.awaitPosted(6, to: ["water"]))
        func ids(_ query: String, token: String? = nil) throws -> [String] {
            let answer = try relay.call("GET", "/events?\(query)", token: token ?? relay.token)
            let list = try members(answer.body)["events"] as? [[String: Any]] ?? []
            return list.compactMap { $0["id"] as? String }
        }
        try expect(ids(""), is: ["n5", "n4", "n3", "n2", "n1"])
        try expect(ids("limit=1", token: relay.owner), is: ["o"])
        let page = try members(try relay.call("GET", "/events?limit=2").body)
        let next = try require(page["next"] as? Int)
        try expect(ids("limit=9&before=\(next)"), is: ["n3", "n2", "n1"])
        try expect(ids("state=refused").isEmpty)
        try expect(ids("goal=pushups").isEmpty)
        for query in ["state=lost", "limit=0", "before=x", "since=x", "goal=a/b"] {
            try expect(relay.call("GET", "/events?\(query)").status, is: 400, "\(query)")
        }
    }

    @Test func `uses a preset, guards it, and shows what was logged today`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let preset = #"{"goal":"water","value":0.25,"comment":"a glass","minimumInterval":600}"#
        try expect(relay.call("PUT", "/presets/glass", preset, token: relay.owner).status, is: 200)
        try expect(relay.call("PUT", "/presets/glass", preset).status, is: 403)
        for (name, body) in [
            ("water", preset), ("x", #"{"goal":"water","minimumInterval":0}"#), ("a.b", preset),
        ] {
            let path = "/presets/\(name)"
            try expect(relay.call("PUT", path, body, token: relay.owner).status, is: 422, "\(name)")
        }
        let first = try members(try relay.call("POST", "/log/glass").body)
        let second = try relay.call("POST", "/log/glass")
        expect(first["value"] as? Double, is: 0.25)
        expect(first["goal"] as? String, is: "water")
        expect(second.status, is: 200)
        try expect(members(second.body)["state"] as? String, is: "guarded")
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        let goals = try members(try relay.call("GET", "/goals").body)["goals"] as? [[String: Any]]
        let water = try require(goals?.first { $0["slug"] as? String == "water" })
        expect(water["today"] as? Double, is: 0.25)
        try expect(relay.call("DELETE", "/presets/glass", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/glass").status, is: 404)
    }

    @Test func `pins goals in order, and keeps them`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        func pins() throws -> [String]? {
            try members(try relay.call("GET", "/pins").body)["pins"] as? [String]
        }
        try relay.awaitGoals()
        for goal in ["water", "pushups"] {
            try expect(relay.call("PUT", "/pins/\(goal)", token: relay.owner).status, is: 200)
        }
        try expect(pins(), is: ["water", "pushups"])
        let moved = try relay.call("PUT", "/pins/pushups?position=1", token: relay.owner)
        expect(moved.status, is: 200)
        try expect(relay.call("PUT", "/pins/none", token: relay.owner).status, is: 404)
        try expect(relay.call("PUT", "/pins/water").status, is: 403)
        expect(
            RelayStore(folder: folder.path).saved(.pins, [String].self), is: ["pushups", "water"])
        let context = try members(try relay.call("GET", "/context").body)
        let shown = context["pinnedGoals"] as? [[String: Any]]
        expect(shown?.compactMap { $0["slug"] as? String }, is: ["pushups", "water"])
        try expect(relay.call("DELETE", "/pins/water", token: relay.owner).status, is: 200)
        try expect(pins(), is: ["pushups"])
        try expect(relay.call("POST", "/goals/refresh").status, is: 200)
    }

    @Test func `pins a goal that is newer than the list, and takes its pin away`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        await beeminder.change { world in
            _ = world.add(
                GoalPlan(slug: "brandnew", units: "pages", rate: 1), to: 0,
                at: Double(Instant.wallNanoseconds) / 1e9)
        }
        let pinned = try relay.call("PUT", "/pins/brandnew", token: relay.owner)
        expect(pinned.status == 200 && pinned.body == #"{"pins":["brandnew"]}"#)
        let none = try relay.call("PUT", "/pins/nonesuch", token: relay.owner)
        expect(none.status == 404 && none.body.contains("nonesuch"))
        for path in ["/pins/brandnew?position=0", "/pins/brandnew?position=x"] {
            try expect(relay.call("PUT", path, token: relay.owner).status, is: 400)
        }
        let gone = try relay.call("DELETE", "/pins/brandnew", token: relay.owner)
        expect(gone.status == 200 && gone.body == #"{"pins":[]}"#)
        try expect(relay.call("DELETE", "/pins/brandnew", token: relay.owner).status, is: 404)
    }

    @Test func `a list ends at a time, and has what contains a text`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let now = Int(Date().timeIntervalSince1970)
        for (id, goal, comment, age) in [
            ("a", "water", "With Milk", 300), ("b", "water", "Grüße", 200),
            ("c", "tea-milk", "", 100),
        ] {
            let body = #"{"id":"\#(id)","comment":"\#(comment)","timestamp":\#(now - age)}"#
            try expect(relay.call("POST", "/log/\(goal)", body).status, is: 200)
        }
        func ids(_ query: String) throws -> [String] {
            let answer = try relay.call("GET", "/events?\(query)")
            expect(answer.status, is: 200, "\(query): \(answer.body)")
            let list = try members(answer.body)["events"] as? [[String: Any]] ?? []
            return list.compactMap { $0["id"] as? String }
        }
        for (query, expected) in [
            ("until=\(now - 200)", ["b", "a"]), ("until=\(now - 201)", ["a"]), ("until=0", []),
            ("since=\(now - 200)&until=\(now - 200)", ["b"]), ("q=milk", ["c", "a"]),
            ("q=MILK&goal=water", ["a"]), ("q=gr%C3%9C%C3%9Fe", ["b"]), ("q=.b", ["b"]),
            ("q=nothing", []), ("q=milk&until=\(now - 300)", ["a"]), ("q=th+m", ["a"]),
        ] {
            try expect(ids(query), is: expected, "\(query)")
        }
        for query in [
            "until=x", "until=-1", "until=", "q=", "q=\(String(repeating: "x", count: 65))",
            "until=99999999999999999999",
        ] {
            try expect(relay.call("GET", "/events?\(query)").status, is: 400, "\(query)")
        }
    }

    @Test func `a parameter that would be ignored is refused with those that there are`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for (method, path, words) in [
            ("GET", "/events?stat=refused", "'state', 'goal'"),
            ("GET", "/events?State=refused", "'state'"),
            ("GET", "/events?limit=1&utnil=5", "'until'"),
            ("GET", "/events/a?limit=1", "leave it out"),
            ("HEAD", "/events?x=1", ""), ("DELETE", "/events/a?goal=b", "leave it out"),
            ("POST", "/events/a/retry?gaol=b", "'goal'"), ("GET", "/goals?day=3", "'days'"),
            ("POST", "/goals/refresh?now=1", "leave it out"),
            ("GET", "/pins?limit=1", "leave it out"),
            ("PUT", "/pins/water?postion=1", "'position'"),
            ("DELETE", "/pins/water?position=1", ""),
            ("GET", "/presets?q=a", ""), ("PUT", "/presets/a?goal=b", ""),
            ("GET", "/rules?metric=a", ""),
            ("PUT", "/rules/a?goal=b", ""), ("GET", "/health/seen?since=1", ""),
            ("GET", "/context?limt=3", "'limit'"), ("GET", "/context/stream?wait=3", "'limit'"),
            ("GET", "/export?fromat=jsonl", "'format'"), ("GET", "/export?since=1", "'format'"),
            ("POST", "/import?dryrun=1", "'dryRun'"), ("GET", "/import?dryRun=1", "leave it out"),
            ("POST", "/flush?goal=a", ""), ("GET", "/connection?user=a", ""),
            ("GET", "/devices?name=a", ""), ("DELETE", "/devices/a?force=1", ""),
            ("POST", "/devices/a/rotate?x", ""), ("PUT", "/devices/a/expect?time=1d", ""),
            ("GET", "/reminders?goal=a", ""), ("POST", "/reminders/snooze?hour=1", "'hours'"),
            ("DELETE", "/reminders/snooze?hours=1", "'goal'"),
            ("POST", "/reminders/test?service=a", ""),
            ("GET", "/goals/water/reminder?hours=1", ""), ("GET", "/requests?limit=1", ""),
            ("GET", "/metrics?name=a", ""), ("GET", "/settings?name=a", ""),
            ("POST", "/logout?all=1", ""), ("DELETE", "/sessions?x=1", ""),
            ("POST", "/owner-link?x=1", ""), ("POST", "/qr?text=a", ""),
        ] {
            let answer = try relay.call(method, path, token: relay.owner)
            expect(answer.status, is: 400, "\(path): \(answer)")
            expect(answer.body.contains("unknown parameter ") || method == "HEAD", "\(answer.body)")
            expect(words.isEmpty || answer.body.contains(words), "\(path): \(answer.body)")
            // A client without access learns nothing of it.
            try expect(relay.call(method, path, token: "-").status, is: 401, "\(path)")
        }
    }

    @Test func `the token is no parameter, and clients may add their own where they do`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for (method, path, status) in [
            ("GET", "/events?token=TOKEN&limit=1", 200), ("GET", "/context?token=TOKEN", 200),
            ("POST", "/log/water?battery=3", 200),
            ("GET", "/log/water/trigger?id=shelly&hum=40", 200),
            ("GET", "/log/water/undo?hum=40", 200), ("GET", "/healthz?_=17", 200),
            ("GET", "/readyz?verbose", 200), ("GET", "/docs?utm_source=a", 200),
            ("GET", "/?source=pwa", 200),
            ("POST", "/import?dry_run=1&goal=water", 400), ("GET", "/goals?days=3", 200),
        ] {
            let isHeldIn = path.contains("TOKEN")
            let path = path.replacing("TOKEN", with: relay.owner)
            let token = isHeldIn ? "-" : path.contains("/log/") ? relay.token : relay.owner
            let answer = try relay.call(method, path, token: token)
            expect(answer.status, is: status, "\(path): \(answer)")
            expect(!answer.body.contains("unknown parameter"), "\(answer.body)")
        }
    }

    @Test func `an answer says which guard of which preset keeps a press`() async throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        func set(_ name: String, _ guards: String) throws {
            let preset = #"{"goal":"water","value":1,\#(guards)}"#
            try expect(
                relay.call("PUT", "/presets/\(name)", preset, token: relay.owner).status, is: 200)
        }
        try set("sip", #""minimumInterval":600"#)
        try set("pill", #""oncePerDay":true"#)
        let interval: NSDictionary = ["preset": "sip", "minimumInterval": 600]
        let daily: NSDictionary = ["preset": "pill", "oncePerDay": true]
        func told(_ answer: (status: Int, body: String, head: String)) throws -> NSDictionary? {
            expect(answer.status, is: 200, "\(answer.body)")
            return try members(answer.body)["guard"] as? NSDictionary
        }
        try expect(told(try relay.call("POST", "/log/sip", #"{"id":"1"}"#)) == nil)
        for (path, body, expected) in [
            ("/log/sip", #"{"id":"2"}"#, interval), ("/log/sip", #"{"id":"2"}"#, interval),
            ("/log/sip", "1 ml", interval), ("/log/pill", #"{"id":"3"}"#, daily),
            ("/log/sip?dry_run=1", "1", interval), ("/log/pill?dry_run=1", "1", daily),
        ] {
            try expect(told(try relay.call("POST", path, body)), is: expected, "\(path) \(body)")
        }
        try expect(told(try relay.call("GET", "/events/2")), is: interval)
        try expect(told(try relay.call("GET", "/events/3")), is: daily)
        let batch = try relay.call("POST", "/events", #"[{"goal":"pill","id":"4"}]"#)
        let outcome = (try members(batch.body)["events"] as? [NSDictionary])?.first
        expect(outcome?["guard"] as? NSDictionary, is: daily)
        // Sent all the same, it is guarded no more.
        try expect(told(try relay.call("POST", "/events/3/retry")) == nil)
    }
}
