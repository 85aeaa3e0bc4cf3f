import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// `PUT /users/u/goals/g.json`, by the API reference and one answer recorded 2026-01.
struct SimulatedGoalUpdateTests {
    private static let path = "/api/v1/users/me/goals/test.json"

    @Test func `a goal is changed`() throws {
        // A title is changed, and the goal queued.
        for method in [RelayHTTP.Method.put, .patch] as [RelayHTTP.Method] {
            var world = SimulatedWorld()
            world.beeminder.quirks.graphSeconds = 5
            world.now += 10
            let reply = world.send(
                method, Self.path, "title=Work+Out+More&slug=other&goal_type=biker")
            expect(reply.status, is: 200, "\(method)")
            expect(reply.keys, is: SimulatedGoalTests.recordedKeys, "\(method)")
            expect(reply["title"], is: .string("Work Out More"), "\(method)")
            expect(reply["slug"], is: .string("test"), "the API changes no slug")
            expect(reply["goal_type"], is: .string("hustler"), "\(method)")
            expect(reply["queued"], is: .bool(true), "\(method)")
            expect(reply["updated_at"], is: .number(world.now), "\(method)")
            expect(world.get("users/me.json")["updated_at"], is: .number(world.now), "\(method)")
        }
        part("what a user sets comes back, and what is not sent stays") {
            var world = SimulatedWorld()
            let form = "yaxis=pages&tmin=2026-01-01&tmax=20261231&secret=false&datapublic=true"
            let tags = "&tags%5B%5D=home&tags%5B%5D=work2"
            let reply = world.send(.put, Self.path, form + tags + "&datasource=ifttt")
            expect(reply.status, is: 200)
            let all = world.send(.put, Self.path, "title=x")
            for reply in [reply, all] {
                expect(reply["yaxis"], is: .string("pages"))
                expect(reply["tmin"], is: .string("2026-01-01"))
                expect(reply["tmax"], is: .string("2026-12-31"))
                expect(reply["secret"] == .bool(false) && reply["datapublic"] == .bool(true))
                expect(reply["tags"], is: .array([.string("home"), .string("work2")]))
                expect(reply["autodata"], is: .string("ifttt"))
            }
            let cleared = world.send(.put, Self.path, "datasource=&tags=[]")
            expect(cleared["autodata"] == .null && cleared["tags"] == .array([]))
        }
        // A straight line is taken.
        for road in [
            "[[1769317200,5,null],[1800919656,null,2]]",
            #"[["20260125",5,null],["2027-01-25",null,2.0]]"#,
        ] {
            var world = SimulatedWorld(rate: 1)
            let reply = world.send(.put, Self.path, "roadall=\(road)")
            expect(reply.status, is: 200, "\(road)")
            expect(reply["rate"] == .number(2) && reply["initval"] == .number(5), "\(road)")
            expect(reply["dueby"]?["20260126"]?["total"], is: .number(7), "\(road)")
        }
        part("the line that was read can be written") {
            var world = SimulatedWorld(rate: 3)
            let before = world.get("users/me/goals/test.json")
            let road = String(decoding: try require(before["roadall"]).bytes, as: UTF8.self)
            let call = SimulatedCall(
                .put, Self.path + "?auth_token=secret", contentType: "application/json",
                body: #"{"roadall":\#(road)}"#)
            let after = world.send(call)
            expect(after.status, is: 200)
            for key in ["rate", "initval", "initday", "losedate", "dueby", "rah"] {
                expect(after[key], is: before[key], "\(key)")
            }
        }
        part("a line by its end has the rate that leads there") {
            var world = SimulatedWorld()
            let byValue = world.send(
                .put, Self.path, #"roadall=[["20260125",0,null],["20260204",20,null]]"#)
            expect(byValue["rate"], is: .number(2))
            let byRate = world.send(
                .put, Self.path, #"roadall=[["20260125",0,null],[null,20,4]]"#)
            expect(byRate["rate"], is: .number(4))
            expect(
                byRate["mathishard"], is: .array([.number(1_769_792_400), .number(20), .number(4)]))
        }
        // A form that cannot be read changes nothing.
        for form in [
            "roadall=1769317200", "roadall=[]", "roadall=[[1,2,3],[4,5,6]]",
            "roadall=[[1769317200,0,null],[1769403600,null,1],[1800919656,null,2]]",
            "roadall=[[1800919656,0,null],[1769317200,null,1]]",
            "roadall=[[1769317200,0,null],[1e300,null,1]]",
            "roadall=[[1769317200,0,null],[null,1e300,1]]", "tmin=yesterday", "tags=a",
            "tags%5B%5D=two%20words",
        ] {
            var world = SimulatedWorld()
            let before = world.get("users/me/goals/test.json").text
            let name = try require(form.split(whereSeparator: { "=%".contains($0) }).first)
            let reply = world.send(.put, Self.path, "title=new&" + form)
            expect(reply.status, is: 422, "\(form)")
            expect(reply.text, is: #"{"errors":{"message":"Error parsing params (\#(name))"}}"#)
            expect(world.get("users/me/goals/test.json").text, is: before, "\(form)")
        }
    }
}
