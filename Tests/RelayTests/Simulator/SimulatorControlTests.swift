import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatorControlTests {
    @Test func `its controls`() {
        part("adds faults and takes them away") {
            var world = SimulatedWorld()
            let form =
                "mood=status&status=502&applied=1&method=post&route=datapoints&goal=test"
                + "&first_calls=1"
            expect(world.send(.post, "/control/faults", form).status, is: 200)
            expect(world.post("value=1").status, is: 502)
            expect(world.post("value=1").status, is: 200)
            expect(world.beeminder.datapoints(of: "test").count, is: 2)
            _ = world.send(.post, "/control/faults", "mood=hang_up")
            expect(world.send(.delete, "/control/faults").status, is: 200)
            expect(world.beeminder.faults.isEmpty)
        }
        // Refuses what it does not understand, and says why.
        for (path, form) in [
            ("/control/faults", "mood=bad"), ("/control/faults", "mood=status&status=42"),
            ("/control/faults", "mood=html&method=FETCH"), ("/control/faults", "mood=html&delay=x"),
            ("/control/quirks", "nonsense=1"), ("/control/quirks", "duplicates=sometimes"),
            ("/control/goals", "slug=test"), ("/control/goals", ""),
            ("/control/goals/test/rename", "to=test"), ("/control/goals/nothing/archive", ""),
            ("/control/goals/test/explode", ""), ("/control/nothing", ""), ("/control/apps", ""),
        ] as [(String, String)] {
            var world = SimulatedWorld()
            let reply = world.send(.post, path, form, token: nil)
            expect(reply.status == 404 || reply.status == 422, "\(path)")
            expect(reply.keys, is: ["error"], "\(path)")
            expect(world.beeminder.faults.isEmpty, "\(path)")
        }
        part("switches every quirk by its name") {
            var world = SimulatedWorld()
            let form = [
                "graphSeconds=2.5", "batchForgets=3", "longestPage=25", "duplicates=accepted",
                "batchErrors=worded", "batchStatus=422", "takesBareArrays=false",
                "closedGoals=missing", "takesPersonalTokenAsBearer=true", "hasStrangeFields=true",
                "callsPerMinute=60", "retryAfterSeconds=3", "datapointsPerDay=300",
                "authorizesAtOnce=false", "canonicalHost=here",
            ]
            let reply = world.send(
                .post, "/control/quirks", form.joined(separator: "&"), token: nil)
            let quirks = try require(reply["quirks"])
            for pair in form {
                let halves = pair.split(separator: "=").map(String.init)
                expect(quirks[halves[0]]?.parameterText, is: halves[1], "\(halves[0])")
            }
        }
        part("makes and deletes goals and datapoints as the web does") {
            var world = SimulatedWorld()
            _ = world.send(.post, "/control/goals", "slug=steps&units=pages&rate=5&pledge=5")
            expect(world.get("users/me/goals/steps.json")["pledge"], is: .number(5))
            _ = world.post("value=1")
            let id = world.beeminder.datapoints(of: "test")[0].id
            expect(world.send(.delete, "/control/goals/test/datapoints/\(id)").status, is: 200)
            expect(world.send(.delete, "/control/goals/test/datapoints/\(id)").status, is: 404)
            expect(world.beeminder.datapoints(of: "test").isEmpty)
            _ = world.send(.delete, "/control/goals/test")
            expect(world.post("value=1").status, is: 404)
        }
    }

    @Test func `its page`() {
        part("leads back to the page from each of its buttons") {
            var world = SimulatedWorld()
            let fault = world.send(.post, "/control/faults", "mood=html&back=1", token: nil)
            expect(fault.status, is: 302)
            expect(fault.action.response.field("Location"), is: "/")
            expect(world.beeminder.faults.map(\.mood), is: [.html])
            let quirk = world.send(.post, "/control/quirks", "callsPerMinute=2&back=1", token: nil)
            expect(quirk.status, is: 302)
            expect(world.beeminder.quirks.callsPerMinute, is: 2)
            let goal = world.send(.post, "/control/goals/test/archive", "back=1", token: nil)
            expect(goal.status, is: 302)
            expect(world.beeminder.goal("test")?.isArchived, is: true)
            _ = world.send(.post, "/control/faults", "mood=good&back=1", token: nil)
            expect(world.beeminder.faults.isEmpty)
        }
        part("shows only buttons that it understands") {
            var world = SimulatedWorld()
            let call = SimulatedCall(.get, "/", host: "here")
            let page = world.send(call)
                .text
            let forms = page.components(separatedBy: "<form method=post action=\"").dropFirst()
            expect(forms.count >= 14)
            for form in forms {
                let path = String(form.prefix { $0 != "\"" })
                let fields = form.components(separatedBy: "<input type=hidden name=\"").dropFirst()
                let pairs = fields.map { field in
                    let pieces = field.components(separatedBy: "\"")
                    return "\(pieces[0])=\(pieces[2])"
                }
                let reply = world.send(.post, path, pairs.joined(separator: "&"), token: nil)
                expect(reply.status, is: 302, "\(path) \(pairs)")
            }
        }
        part("lets nothing that was sent become markup") {
            var world = SimulatedWorld()
            _ = world.post("value=1&comment=<script>&requestid=\"><img>&")
            let call = SimulatedCall(.get, "/", host: "<b>:80")
            let reply = world.send(call)
            expect(reply.status, is: 200)
            expect(reply.text.contains("&lt;script&gt;"))
            expect(!reply.text.contains("<script") && !reply.text.contains("<img"))
            expect(!reply.text.contains("<b>:80") && reply.text.contains("http://&lt;b&gt;:80"))
            expect(reply.text.contains(#"<meta http-equiv="refresh" content="2">"#))
        }
        part("begins the demo with a goal due today, one soon and one safe") {
            var world = SimulatedBeeminder.demo(authToken: "t", at: SimulatedWorld.recordedAt)
            let action = world.respond(
                to: SimulatedCall(.get, "/api/v1/users/alice/goals.json?auth_token=t"),
                at: SimulatedWorld.recordedAt)
            let goals = SimulatedWorld.Reply(action: action).list
            expect(goals.map { $0["slug"]?.parameterText }, is: ["pushups", "water", "reading"])
            expect(goals.map { $0["colorkey"]?.parameterText }, is: ["red", "blue", "dkgreen"])
            expect(goals.allSatisfy { $0["queued"] == .bool(false) })
        }
    }
}
