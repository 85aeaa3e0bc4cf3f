import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatedAccessTests {
    static let badAuthToken =
        #"{"errors":{"auth_token":"bad_token","message":"No such auth_token found."#
        + #" (Did you mix up auth_token and access_token?)"}}"#
    static let badAccessToken =
        #"{"errors":{"access_token":"bad_token","message":"No such access_token found."#
        + #" (Did you mix up auth_token and access_token?)"}}"#

    struct Case: CustomTestStringConvertible, Sendable {
        var query = ""
        var bearer: String?
        let status: Int
        var body: String?
        var testDescription: String { "\(query) \(bearer ?? "-")" }
    }

    @Test func `tokens`() {
        // Lets in by the right token in the right place.
        for row in [
            Case(query: "?auth_token=secret", status: 200),
            Case(query: "?access_token=oauth", status: 200),
            Case(bearer: "oauth", status: 200),
            Case(query: "?auth_token=wrong", status: 401, body: Self.badAuthToken),
            Case(query: "?auth_token=oauth", status: 401, body: Self.badAuthToken),
            Case(query: "?access_token=secret", status: 401, body: Self.badAccessToken),
            Case(bearer: "secret", status: 401, body: Self.badAccessToken),
            Case(
                status: 401,
                body: #"{"error":"You need to log in or sign up before continuing."}"#),
        ] as [Case] {
            var world = SimulatedWorld()
            let call = SimulatedCall(
                .get, "/api/v1/users/me/goals.json" + row.query, bearer: row.bearer)
            let reply = world.send(call)
            expect(reply.status, is: row.status, "\(row)")
            if let body = row.body { expect(reply.text, is: body) }
        }
        part("forgets the tokens of apps when they are revoked") {
            var world = SimulatedWorld()
            world.beeminder.apps = [
                SimulatedApp(
                    clientID: "someapp", redirectURI: "http://a/", deauthorizeURL: "http://a/bye")
            ]
            let gone = world.beeminder.revokeAccessTokens()
            expect(gone, is: [SimulatedCallback(url: "http://a/bye", form: "access_token=oauth")])
            let call = SimulatedCall(.get, "/api/v1/users/me.json", bearer: "oauth")
            expect(world.send(call).status, is: 401)
        }
        part("gives the token to the browser that is signed in") {
            var world = SimulatedWorld()
            expect(world.get("auth_token.json").status, is: 401)
            world.beeminder.signedInUser = "felixm"
            expect(
                world.get("auth_token.json").text,
                is: #"{"username":"felixm","auth_token":"secret"}"#)
        }
    }

    @Test func `apps`() {
        part("hands the app's token over in the query") {
            var world = SimulatedWorld()
            world.beeminder.signedInUser = "felixm"
            world.beeminder.apps = [SimulatedApp(clientID: "id", redirectURI: "http://a/?x=1")]
            let target = "/apps/authorize?client_id=id&response_type=token&redirect_uri="
            let reply = world.send(.get, target + "http%3A%2F%2Fa%2F%3Fx%3D1", token: nil)
            let location = try require(reply.action.response.field("Location"))
            expect(reply.status, is: 302)
            expect(location.hasPrefix("http://a/?x=1&access_token="))
            expect(location.hasSuffix("&username=felixm"))
            let token = location.dropFirst("http://a/?x=1&access_token=".count).prefix { $0 != "&" }
            let call = SimulatedCall(.get, "/api/v1/users/me.json", bearer: String(token))
            expect(world.send(call).status, is: 200)
            expect(world.send(.get, target + "http%3A%2F%2Fb%2F", token: nil).status, is: 400)
        }
        part("asks before it lets an app in, where that is switched on") {
            var world = SimulatedWorld()
            world.beeminder.signedInUser = "felixm"
            world.beeminder.quirks.authorizesAtOnce = false
            world.beeminder.apps = [SimulatedApp(clientID: "id", redirectURI: "beemed://back/")]
            let target =
                "/apps/authorize?client_id=id&response_type=token"
                + "&redirect_uri=beemed%3A%2F%2Fback%2F"
            expect(world.send(.get, target, token: nil).status, is: 200)
            let reply = world.send(.get, target + "&decision=allow", token: nil)
            expect(
                reply.action.response.field("Location")?.hasPrefix("beemed://back/?access"),
                is: true)
            world.beeminder.signedInUser = nil
            expect(world.send(.get, target, token: nil).status, is: 401)
        }
        part("asks the app that feeds a goal for fresh data") {
            var world = SimulatedWorld()
            let app = "client_id=id&redirect_uri=http://a/&autofetch_url=http://a/fetch"
            _ = world.send(.post, "/control/apps", app)
            _ = world.send(.post, "/control/goals", "slug=fed&autodata=id")
            let reply = world.get("users/me/goals/fed/refresh_graph.json")
            expect(reply.text, is: "true")
            expect(
                reply.action.callbacks,
                is: [
                    SimulatedCallback(url: "http://a/fetch", form: "username=felixm&slug=fed")
                ])
            expect(world.get("users/me/goals/test/refresh_graph.json").action.callbacks.isEmpty)
        }
    }

    @Test func `routes and bodies`() {
        // Answers the routes that there are.
        for (method, path, status) in [
            (RelayHTTP.Method.get, "/api/v1/users/felixm/goals/nothing.json", 404),
            (.get, "/api/v1/users/somebody/goals.json", 404), (.get, "/api/v1/nothing", 404),
            (.get, "/api/v2/users/me.json", 404), (.post, "/api/v1/users/me.json", 404),
            (.post, "/api/v1/users/me/goals/test/datapoints/abc.json", 404),
            (.post, "/api/v1/users/me/goals/nothing/datapoints.json", 404),
            (.post, "/api/v1/users/me/goals/test/refresh_graph.json", 404),
            (.get, "/api/v1/me.json", 200), (.head, "/api/v1/users/me.json", 200),
        ] as [(RelayHTTP.Method, String, Int)] {
            var world = SimulatedWorld()
            let reply = world.send(method, path, "value=1")
            expect(reply.status, is: status, "\(method)")
            if status == 404 { expect(reply.text.hasPrefix(#"{"error":""#)) }
        }
        part("says of JSON that is none that it cannot be read") {
            var world = SimulatedWorld()
            let call = SimulatedCall(
                .post, "/api/v1/users/me/goals/test/datapoints.json?auth_token=secret",
                contentType: "application/json", body: "{")
            let reply = world.send(call)
            expect(reply.status, is: 400)
            expect(reply.text, is: #"{"errors":{"message":"Error parsing params"}}"#)
        }
        part("ignores a body whose type it does not know") {
            var world = SimulatedWorld()
            let call = SimulatedCall(
                .post, "/api/v1/users/me/goals/test/datapoints.json?auth_token=secret",
                contentType: "text/plain", body: "value=1")
            expect(world.send(call).status, is: 422)
        }
    }
}
