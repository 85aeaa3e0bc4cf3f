import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatedGoalTests {
    /// As recorded 2026-01, in that order.
    static let recordedKeys = """
        slug title description goalval rate goaldate svg_url graph_url thumb_url goal_type autodata
        healthkitmetric autodata_config losedate urgencykey deadline leadtime alertstart
        use_defaults id ephem queued panic updated_at burner yaw lane delta runits limsum frozen
        lost won contract delta_text safebuf safebump safesum autoratchet coasting limsumdate
        limsumdays baremin baremintotal roadstatuscolor colorkey colorhex lasttouch integery
        fineprint todayta hhmmformat timey gunits gunits_singular weekends_off yaxis maxflux tmin
        tmax initday initval curday curval currate lastday dir kyoom odom noisy aggday plotall
        steppy rosy movingav aura numpts road roadall fullroad secret pledge pledge_cap
        mathishard headsum datapublic graphsum rah last_datapoint callback_url tags recent_data
        dueby
        """
        .split(whereSeparator: \.isWhitespace).map(String.init)

    @Test func `a goal has what was recorded of it`() {
        part("sends the recorded keys in the recorded order") {
            var world = SimulatedWorld()
            let path = "users/me/goals/test.json"
            let roads = ["road", "roadall", "fullroad"]
            expect(world.get(path).keys, is: Self.recordedKeys)
            expect(
                world.get(path + "?emaciated=true").keys,
                is: Self.recordedKeys.filter { !roads.contains($0) })
            expect(
                world.get(path + "?datapoints=true").keys, is: Self.recordedKeys + ["datapoints"])
            world.beeminder.quirks.hasStrangeFields = true
            expect(world.get(path).keys, is: Self.recordedKeys + ["zeitgeist"])
        }
        part("nulls what a goal without a graph cannot know") {
            var world = SimulatedWorld()
            world.beeminder.quirks.graphSeconds = 5
            let form = "slug=fresh&goal_type=hustler&gunits=units&rate=1&goaldate=1800919656"
            let reply = world.send(.post, "/api/v1/users/me/goals.json", form)
            let names = """
                description goalval svg_url autodata lane delta limsum delta_text safebuf safebump
                autoratchet coasting baremin baremintotal lasttouch fineprint maxflux tmin tmax
                initday initval curday curval currate lastday odom fullroad mathishard headsum graphsum rah
                callback_url dueby
                """
            expect(reply.status, is: 200)
            let nulls: [String] = names.split(whereSeparator: \.isWhitespace).map(String.init)
            let found: [String] = reply.keys.filter { reply[$0] == .null }
            expect(found, is: nulls)
            expect(reply["colorkey"], is: .string("gray"))
            expect(reply["roadstatuscolor"], is: .string(""))
            expect(reply["queued"], is: .bool(true))
            expect(reply["todayta"], is: .bool(true))
            expect(reply["losedate"], is: .number(world.now))
            expect(reply["urgencykey"], is: .string("FROx;PPRx;DL0000000000;P1000000000;fresh"))
            world.now += 5
            expect(world.get("users/me/goals/fresh.json")["queued"], is: .bool(false))
            expect(world.get("users/me/goals/fresh.json")["curval"], is: .number(0))
        }
        part("derives what was recorded of a goal that is due tomorrow") {
            var world = SimulatedWorld(now: 1_769_348_588)
            var plan = GoalPlan(slug: "clean-view", units: "days", rate: 1)
            (plan.pledge, plan.ageDays) = (10, 883)
            world.beeminder.add(plan, to: 0, at: world.now)
            _ = world.send(.post, "/api/v1/users/me/goals/clean-view/datapoints", "value=883")
            let reply = world.get("users/me/goals/clean-view.json")
            expect(
                reply["urgencykey"], is: .string("FROx;PPRx;DL1769489999;P0999999000;clean-view"))
            let numbers = [
                "losedate": 1_769_489_999.0, "safebuf": 1, "lane": -1, "delta": 0, "safebump": 884,
                "rah": 890, "curval": 883, "curday": 1_769_360_400, "pledge": 10,
            ]
            for (key, value) in numbers { expect(reply[key], is: .number(value), "\(key)") }
            let texts = [
                "colorkey": "orange", "colorhex": "#f89406", "roadstatuscolor": "orange",
                "baremin": "+1", "baremintotal": "884", "limsum": "+1 in 1 day (884)",
                "limsumdate": "+1 due Mon by 12am", "limsumdays": "+1 due in 1 day",
                "lasttouch": "2026-01-25T13:43:08.000Z",
            ]
            for (key, value) in texts { expect(reply[key], is: .string(value), "\(key)") }
            let today = try require(reply["dueby"]?["20260125"])
            let tomorrow = try require(reply["dueby"]?["20260126"])
            expect(today["total"] == .number(883) && today["delta"] == .number(0))
            expect(tomorrow["total"] == .number(884) && tomorrow["delta"] == .number(1))
            expect(reply.text.contains(#""contract":{"amount":10.0,"#))
            expect(reply.text.contains(#""curval":883,"#))
        }
        part("derives what was recorded of a goal that is safe for months") {
            var world = SimulatedWorld(now: 1_769_376_000)
            var plan = GoalPlan(slug: "work", units: "hours", rate: 5.1073298429319385)
            (plan.pledge, plan.rateUnit) = (5, .weekly)
            plan.goalDate = 1_798_736_400
            let place = world.beeminder.add(plan, to: 0, at: world.now)
            world.beeminder.users[0].goals[place.goal].startValue = 1_551.9296933433059
            _ = world.send(.post, "/api/v1/users/me/goals/work/datapoints", "value=1622")
            let reply = world.get("users/me/goals/work.json")
            expect(reply["urgencykey"], is: .string("FROx;PPRx;DL1777780799;P0999999500;work"))
            expect(reply["losedate"], is: .number(1_777_780_799))
            expect(reply["safebuf"] == .number(97) && reply["lane"] == .number(96))
            expect(reply["colorkey"], is: .string("dkgreen"))
            expect(reply["roadstatuscolor"], is: .string("green"))
            for (key, value) in [("delta", 70.07030665669413), ("rah", 1557.0370231862378)] {
                guard case .number(let number)? = reply[key] else { throw Unexpected("no \(key)") }
                expect(abs(number - value) < 1e-6)
            }
        }
        // Colours by safe days.
        for (ahead, safeDays, color) in [
            (-0.5, 0, "red"), (0, 1, "orange"), (1, 2, "blue"), (1.5, 2, "blue"), (2, 3, "green"),
            (5, 6, "green"), (6, 7, "dkgreen"),
        ] as [(Double, Int, String)] {
            var world = SimulatedWorld()
            _ = world.post("value=\(ahead)")
            let reply = world.get("users/me/goals/test.json")
            expect(reply["safebuf"], is: .number(Double(safeDays)), "\(ahead)")
            expect(reply["colorkey"], is: .string(color), "\(ahead)")
        }
    }

    @Test func `a goal changes with its datapoints and its owner`() {
        part("lists the goals by urgency and keeps archived ones apart") {
            var world = SimulatedWorld(history: [1])
            world.beeminder.quirks.closedGoals = .accepted
            for (slug, pledge) in [
                ("later", 0.0), ("dear", 30), ("cheap", 5), ("ice", 0), ("old", 0),
            ] {
                var plan = GoalPlan(slug: slug, units: "x", rate: slug == "later" ? 0 : 1)
                plan.pledge = pledge
                world.beeminder.add(plan, to: 0, at: world.now)
            }
            for (slug, what) in [("ice", "freeze"), ("old", "archive")] {
                expect(world.send(.post, "/control/goals/\(slug)/\(what)").status, is: 200)
            }
            let slugs = { (path: String, world: inout SimulatedWorld) in
                world.get(path).list.compactMap { $0["slug"]?.parameterText }
            }
            // FRO1 sorts before FROx; then time, then the stake, then the name.
            expect(
                slugs("users/me/goals.json", &world), is: ["ice", "dear", "cheap", "test", "later"])
            expect(slugs("users/me/goals/archived.json", &world), is: ["old"])
            expect(world.get("users/me/goals/old.json").status, is: 200)
        }
        part("shows old numbers while the graph is queued, but the new point at once") {
            var world = SimulatedWorld()
            world.beeminder.quirks.graphSeconds = 2
            let path = "users/me/goals/test.json"
            let before = world.get(path)
            world.now += 10
            _ = world.post("value=5")
            let during = world.get(path)
            expect(during["queued"], is: .bool(true))
            expect(during["curval"] == before["curval"] && during["safebuf"] == before["safebuf"])
            expect(during["numpts"] == .number(2) && during["todayta"] == .bool(true))
            expect(during["last_datapoint"]?["value"], is: .number(5))
            expect(during["updated_at"], is: .number(world.now))
            expect(world.get("users/me.json")["updated_at"], is: .number(world.now))
            expect(world.get("users/me/goals/test/refresh_graph.json").text, is: "false")
            world.now += 2
            let after = world.get(path)
            expect(after["queued"] == .bool(false) && after["curval"] == .number(5))
            expect(world.get("users/me/goals/test/refresh_graph.json").text, is: "true")
        }
        part("leaves the graph alone when a duplicate changes nothing") {
            var world = SimulatedWorld()
            world.beeminder.quirks.graphSeconds = 2
            _ = world.post("value=5&requestid=a")
            world.now += 10
            _ = world.post("value=5&requestid=a")
            expect(world.get("users/me/goals/test.json")["queued"], is: .bool(false))
            expect(world.get("users/me.json")["updated_at"], is: .number(world.now - 10))
        }
        // Treats a closed goal as it is told.
        for (quirk, status) in [
            (SimulatedQuirks.ClosedGoals.refused, 422), (.accepted, 200), (.missing, 404),
        ] as [(SimulatedQuirks.ClosedGoals, Int)] {
            for what in ["archive", "freeze"] {
                var world = SimulatedWorld()
                world.beeminder.quirks.closedGoals = quirk
                _ = world.send(.post, "/control/goals/test/\(what)")
                expect(world.post("value=1").status, is: status, "\(quirk)")
                _ = world.send(.post, "/control/goals/test/un\(what)")
                expect(world.post("value=1").status, is: 200, "\(quirk)")
            }
        }
        part("keeps the id when the slug changes, and forgets the old slug") {
            var world = SimulatedWorld()
            let id = world.get("users/me/goals/test.json")["id"]
            _ = world.send(.post, "/control/goals/test/rename", "to=renamed")
            expect(world.post("value=1").status, is: 404)
            expect(world.get("users/me/goals/renamed.json")["id"], is: id)
        }
    }
}

struct SimulatedUserTests {
    static let recordedKeys = """
        username timezone goals created_at updated_at urgency_load deadbeat has_authorized_fitbit
        default_leadtime default_alertstart default_deadline subscription subs_downto subs_freq
        subs_lifetime remaining_subs_credit id
        """
        .split(whereSeparator: \.isWhitespace).map(String.init)

    @Test func `a user`() throws {
        part("sends the recorded keys, and the goals as slugs") {
            var world = SimulatedWorld()
            let reply = world.get("users/me.json")
            expect(reply.keys, is: Self.recordedKeys)
            expect(reply["goals"], is: .array([.string("test")]))
            expect(reply["timezone"], is: .string("America/New_York"))
            expect(world.get("users/felixm").text, is: reply.text)
        }
        part("sends what has changed since a moment") {
            var world = SimulatedWorld()
            world.beeminder.add(GoalPlan(slug: "other", units: "x", rate: 1), to: 0, at: world.now)
            let since = Int(world.now) + 1
            let path = "users/me.json?diff_since=\(since)"
            let quiet = world.get(path)
            expect(quiet.keys, is: Self.recordedKeys + ["deleted_goals"])
            expect(quiet["goals"] == .array([]) && quiet["deleted_goals"] == .array([]))
            world.now += 100
            _ = world.post("value=4")
            let goals = world.get(path)["goals"]?.list
            expect(goals?.map { $0["slug"] }, is: [.string("test")])
            expect(goals?.first?["datapoints"]?.list.map { $0["value"] }, is: [.number(4)])
            _ = world.send(.post, "/control/goals/test/archive")
            _ = world.send(.delete, "/control/goals/other")
            let gone = world.get(path)
            expect(gone["goals"], is: .array([]))
            expect(gone.text.contains(#""deleted_goals":[{"id":"#))
        }
        // Takes a moment before the account was made, and sends all goals.
        for since in [0, 1_000_000_000] as [Int] {
            var world = SimulatedWorld(history: [1, 2])
            let reply = world.get("users/me.json?diff_since=\(since)")
            expect(reply.status, is: 200, "\(since)")
            expect(reply["deleted_goals"], is: .array([]), "\(since)")
            let goals = reply["goals"]?.list
            expect(goals?.map { $0["slug"] }, is: [.string("test")], "\(since)")
            let points = goals?.first?["datapoints"]?.list
            expect(points?.map { $0["value"] }, is: [.number(0), .number(1), .number(2)])
        }
    }
}
