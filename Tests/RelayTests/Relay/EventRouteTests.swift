import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay
@testable import BeeminderSimulator

/// Undo, retry, lists, goals, pins and presets, over a real socket to a simulated Beeminder.
@Suite struct EventRouteTests {
    private let folder = TemporaryFolder()

    @Test func `takes a press back that Beeminder has`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        #expect(try relay.call("POST", "/log/water", #"{"value":2,"id":"a-1"}"#).status == 200)
        #expect(await beeminder.awaitPosted(1, to: ["water"]))
        let undone = try relay.call("DELETE", "/events/a-1")
        #expect(undone.status == 200)
        #expect(try members(undone.body)["state"] as? String == "undone")
        while try members(try relay.call("GET", "/events/a-1").body)["erased"] as? Bool != true {}
        #expect(await beeminder.posted(to: "water").isEmpty)
        #expect(try relay.call("DELETE", "/events/nobody").status == 404)
        #expect(try relay.call("DELETE", "/events/a-1", token: "-").status == 401)
        let again = try relay.call("POST", "/log/water", #"{"value":2,"id":"a-1"}"#)
        #expect(try members(again.body)["state"] as? String == "undone")
    }

    @Test func `lists events by state, a page at a time, to each device its own`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        for number in 1...5 {
            let body = #"{"id":"n\#(number)"}"#
            #expect(try relay.call("POST", "/log/water", body).status == 200)
        }
        #expect(
            try relay.call("POST", "/log/water", #"{"id":"o"}"#, token: relay.owner).status == 200)
        #expect(await beeminder.awaitPosted(6, to: ["water"]))
        func ids(_ query: String, token: String? = nil) throws -> [String] {
            let answer = try relay.call("GET", "/events?\(query)", token: token ?? relay.token)
            let list = try members(answer.body)["events"] as? [[String: Any]] ?? []
            return list.compactMap { $0["id"] as? String }
        }
        #expect(try ids("") == ["n5", "n4", "n3", "n2", "n1"])
        #expect(try ids("limit=1", token: relay.owner) == ["o"])
        let page = try members(try relay.call("GET", "/events?limit=2").body)
        let next = try #require(page["next"] as? Int)
        #expect(try ids("limit=9&before=\(next)") == ["n3", "n2", "n1"])
        #expect(try ids("state=refused").isEmpty)
        #expect(try ids("goal=pushups").isEmpty)
        for query in ["state=lost", "limit=0", "before=x", "since=x", "goal=a/b"] {
            #expect(try relay.call("GET", "/events?\(query)").status == 400, "\(query)")
        }
    }

    @Test func `uses a preset, guards it, and shows what was logged today`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        try relay.awaitGoals()
        let preset = #"{"goal":"water","value":0.25,"comment":"a glass","minimumInterval":600}"#
        #expect(
            try relay.call("PUT", "/presets/glass", preset, token: relay.owner).status == 200)
        #expect(try relay.call("PUT", "/presets/glass", preset).status == 403)
        for (name, body) in [
            ("water", preset), ("x", #"{"goal":"water","minimumInterval":0}"#), ("a.b", preset),
        ] {
            let path = "/presets/\(name)"
            #expect(try relay.call("PUT", path, body, token: relay.owner).status == 422, "\(name)")
        }
        let first = try members(try relay.call("POST", "/log/glass").body)
        let second = try relay.call("POST", "/log/glass")
        #expect(first["value"] as? Double == 0.25)
        #expect(first["goal"] as? String == "water")
        #expect(second.status == 200)
        #expect(try members(second.body)["state"] as? String == "guarded")
        #expect(await beeminder.awaitPosted(1, to: ["water"]))
        let goals = try members(try relay.call("GET", "/goals").body)["goals"] as? [[String: Any]]
        let water = try #require(goals?.first { $0["slug"] as? String == "water" })
        #expect(water["today"] as? Double == 0.25)
        #expect(
            try relay.call("DELETE", "/presets/glass", token: relay.owner).status == 200)
        #expect(try relay.call("POST", "/log/glass").status == 404)
    }

    @Test func `pins goals in order, and keeps them`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        func pins() throws -> [String]? {
            try members(try relay.call("GET", "/pins").body)["pins"] as? [String]
        }
        try relay.awaitGoals()
        for goal in ["water", "pushups"] {
            #expect(try relay.call("PUT", "/pins/\(goal)", token: relay.owner).status == 200)
        }
        #expect(try pins() == ["water", "pushups"])
        let moved = try relay.call("PUT", "/pins/pushups?position=1", token: relay.owner)
        #expect(moved.status == 200)
        #expect(try relay.call("PUT", "/pins/none", token: relay.owner).status == 404)
        #expect(try relay.call("PUT", "/pins/water").status == 403)
        #expect(RelayStore(folder: folder.path).pins() == ["pushups", "water"])
        let context = try members(try relay.call("GET", "/context").body)
        let shown = context["pinnedGoals"] as? [[String: Any]]
        #expect(shown?.compactMap { $0["slug"] as? String } == ["pushups", "water"])
        #expect(try relay.call("DELETE", "/pins/water", token: relay.owner).status == 200)
        #expect(try pins() == ["pushups"])
        #expect(try relay.call("POST", "/goals/refresh").status == 200)
    }

    @Test func `pins a goal that is newer than the list, and takes its pin away`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        defer { relay.stop() }
        try relay.awaitGoals()
        await beeminder.change { world in
            _ = world.add(
                GoalPlan(slug: "brandnew", units: "pages", rate: 1), to: 0,
                at: Double(Instant.wallNanoseconds) / 1e9)
        }
        let pinned = try relay.call("PUT", "/pins/brandnew", token: relay.owner)
        #expect(pinned.status == 200 && pinned.body == #"{"pins":["brandnew"]}"#)
        let none = try relay.call("PUT", "/pins/nonesuch", token: relay.owner)
        #expect(none.status == 404 && none.body.contains("nonesuch"))
        for path in ["/pins/brandnew?position=0", "/pins/brandnew?position=x"] {
            #expect(try relay.call("PUT", path, token: relay.owner).status == 400)
        }
        let gone = try relay.call("DELETE", "/pins/brandnew", token: relay.owner)
        #expect(gone.status == 200 && gone.body == #"{"pins":[]}"#)
        #expect(try relay.call("DELETE", "/pins/brandnew", token: relay.owner).status == 404)
    }
}
