import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// The ways in which clients send the same call, and what they ask for beside the data.
struct SimulatedCallTests {
    private static let datapoints = "/api/v1/users/me/goals/test/datapoints.json"

    private func multipart(_ fields: [(String, String)]) -> String {
        let parts = fields.map { name, value in
            "--b0und\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        return parts.joined() + "--b0und--\r\n"
    }

    @Test func `the same call in every way`() {
        part("a multipart form is a form") {
            var world = SimulatedWorld()
            let call = SimulatedCall(
                .post, Self.datapoints, contentType: "multipart/form-data; boundary=b0und",
                body: multipart([
                    ("auth_token", "secret"), ("value", "2.5"), ("comment", "a+b\r\nc"),
                ]))
            let reply = world.send(call)
            expect(reply.status, is: 200)
            expect(reply["value"] == .number(2.5) && reply["comment"] == .string("a+b\r\nc"))
        }
        part("a multipart form that is cut off is refused") {
            var world = SimulatedWorld()
            let whole = multipart([("value", "1")])
            let call = SimulatedCall(
                .post, Self.datapoints + "?auth_token=secret",
                contentType: "multipart/form-data; boundary=b0und", body: String(whole.dropLast(6)))
            expect(world.send(call).status, is: 400)
            expect(world.beeminder.datapoints(of: "test").isEmpty)
        }
        // A preflight is answered without a token, and changes nothing.
        for path in [Self.datapoints, "/api/v1/users/me.json", "/api/v1/charges.json"] {
            var world = SimulatedWorld()
            world.beeminder.faults = [SimulatedFault(.status(503))]
            var call = SimulatedCall(.options, path + "?value=1&auth_token=secret")
            call.corsHeaders = "authorization, content-type"
            let response = world.send(call).action.response
            expect(response.status, is: 200, "\(path)")
            expect(response.field("Access-Control-Allow-Origin"), is: "*", "\(path)")
            expect(
                response.field("Access-Control-Allow-Headers"), is: "authorization, content-type")
            expect(response.field("Access-Control-Allow-Methods")?.contains("POST"), is: true)
            expect(world.beeminder.datapoints(of: "test").isEmpty, "\(path)")
            let nowhere = SimulatedCall(.options, "/api/v1/nothing")
            expect(world.send(nowhere).status, is: 404)
        }
        part("a signed-in user is sent where the app says, and nobody else is") {
            var world = SimulatedWorld()
            let path = "/api/v1/users/felixm.json?redirect_to_url="
            let target = "https%3A%2F%2Fwww.beeminder.com%2Fpledges%3Fa%3Db"
            let reply = world.send(.get, path + target + "&auth_token=secret", token: nil)
            expect(reply.status, is: 302)
            expect(
                reply.action.response.field("Location"), is: "https://www.beeminder.com/pledges?a=b"
            )
            expect(world.send(.get, path + target, token: nil).status, is: 401)
            for bad in ["javascript:alert(1)", "https://a/%0d%0aSet-Cookie:a=b", "x"] {
                expect(
                    world.send(.get, path + bad + "&auth_token=secret", token: nil).status, is: 422)
            }
        }
        part("the older filter chooses by burner") {
            var world = SimulatedWorld()
            world.beeminder.add(GoalPlan(slug: "later", units: "x", rate: 1), to: 0, at: world.now)
            expect(world.send(.post, "/control/goals/later/backburner").status, is: 200)
            func slugs(_ filter: String) -> Set<String> {
                let goals = world.get("users/me/goals.json" + filter).list
                return Set(goals.compactMap { $0["slug"]?.parameterText })
            }
            expect(slugs(""), is: ["test", "later"])
            expect(slugs("?filter=all"), is: ["test", "later"])
            expect(slugs("?filter=frontburner"), is: ["test"])
            expect(slugs("?filter=backburner"), is: ["later"])
            expect(world.get("users/me/goals/later.json")["burner"], is: .string("backburner"))
            expect(world.send(.post, "/control/goals/later/frontburner").status, is: 200)
            expect(slugs("?filter=backburner"), is: [])
        }
    }
}
