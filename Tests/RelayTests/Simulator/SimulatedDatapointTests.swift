import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatedDatapointTests {
    static let recordedKeys = [
        "id", "timestamp", "daystamp", "value", "comment", "updated_at", "requestid", "origin",
        "creator", "is_dummy", "is_initial", "urtext", "fulltext", "canonical", "formatted_value",
        "created_at",
    ]

    @Test func `answers a create with 200 and the recorded keys`() {
        var world = SimulatedWorld()
        let reply = world.post("value=3&requestid=unique-test-id-123")
        expect(reply.status, is: 200)
        expect(reply.keys, is: Self.recordedKeys + ["status"])
        expect(reply.text.contains(#""value":3.0,"comment":"","updated_at":1769380723,"#))
        expect(reply.text.contains(#""requestid":"unique-test-id-123","origin":"api","#))
        expect(reply["timestamp"], is: .number(1_769_380_723))
        expect(reply["daystamp"], is: .string("20260125"))
        expect(reply["created_at"], is: .string("2026-01-25T22:38:43.000Z"))
        expect(reply["fulltext"], is: .string("2026-Jan-25 entered at 17:38 via api"))
        expect(reply["status"], is: .string("created"))
    }

    @Test func `makes ids of 24 hex digits that begin with the time and grow`() throws {
        var world = SimulatedWorld()
        let ids = try (0..<20).map { _ in
            try require(world.post("value=1")["id"]?.parameterText)
        }
        expect(ids.allSatisfy { $0.count == 24 && $0.allSatisfy(\.isHexDigit) })
        expect(ids.allSatisfy { $0.hasPrefix("69769b73") })
        expect(ids == ids.sorted() && Set(ids).count == 20)
    }

    @Test(arguments: [
        ("value=2&comment=hi%20there!", #""canonical":"25 2 \"hi there!\"""#),
        ("value=2", #""canonical":"25 2""#),
        ("value=2.5", #""formatted_value":"2.5""#),
        ("value=1e2", #""value":100.0"#),
        ("value=+1", #""value":1.0"#),
        ("urtext=%5E 1:30 \"half\"", #""value":1.5,"comment":"half""#),
        ("urtext=2026 01 20 4", #""daystamp":"20260120""#),
        ("value=1&daystamp=20260120", #""timestamp":1768971599,"daystamp":"20260120""#),
        ("value=1&daystamp=2026-01-20", #""timestamp":1768971599,"daystamp":"20260120""#),
        ("value=1&timestamp=1.769e9", #""timestamp":1769000000"#),
        ("value=1&timestamp=%5E", #""timestamp":1769380723"#),
        ("value=1&timestamp=1769000000&daystamp=20200101", #""daystamp":"20260121""#),
    ])
    func `reads`(form: String, text: String) {
        var world = SimulatedWorld()
        let reply = world.post(form)
        expect(reply.status, is: 200)
        expect(reply.text.contains(text))
    }

    @Test(arguments: [
        ("", #"{"errors":{"value":["can't be blank","is not a number"]}}"#),
        ("value=", #"{"errors":{"value":["can't be blank","is not a number"]}}"#),
        ("value=abc", #"{"errors":{"value":["is not a number"]}}"#),
        ("value=inf", #"{"errors":{"value":["is not a number"]}}"#),
        ("value=0x10", #"{"errors":{"value":["is not a number"]}}"#),
    ])
    func `refuses a value with the words of the live service`(form: String, body: String) {
        var world = SimulatedWorld()
        let reply = world.post(form)
        expect(reply.status, is: 422)
        expect(reply.text, is: body)
        expect(world.beeminder.datapoints(of: "test").isEmpty)
    }

    @Test(arguments: [
        "timestamp=1769380723000", "timestamp=soon", "daystamp=20260230", "daystamp=yesterday",
        "urtext=nonsense",
    ])
    func `refuses a time that is none`(form: String) {
        var world = SimulatedWorld()
        expect(world.post("value=1&\(form)").status, is: 422)
        expect(world.beeminder.datapoints(of: "test").isEmpty)
    }

    @Test(arguments: [
        "/api/v1/users/me/goals/test/datapoints.json", "/api/v1/users/me/goals/test/datapoints",
        "/api/v1/users/felixm/goals/test/datapoints.json",
    ])
    func `takes form, JSON and query alike`(path: String) {
        var world = SimulatedWorld()
        let calls = [
            SimulatedCall(
                .post, path, contentType: "application/x-www-form-urlencoded",
                body: "auth_token=secret&value=2&comment=a+b"),
            SimulatedCall(
                .post, path, contentType: "application/json; charset=utf-8",
                body: #"{"auth_token":"secret","value":2,"comment":"a b"}"#),
            SimulatedCall(.post, path + "?auth_token=secret&value=2&comment=a%20b"),
        ]
        for call in calls {
            let reply = SimulatedWorld.Reply(
                action: world.beeminder.respond(to: call, at: world.now))
            expect(reply.status, is: 200)
            expect(reply["comment"], is: .string("a b"))
        }
        expect(world.beeminder.datapoints(of: "test").map(\.value), is: [2, 2, 2])
    }

    @Test func `lists the newest first and pages`() {
        var world = SimulatedWorld()
        for value in 1...30 { _ = world.post("value=\(value)") }
        let path = "users/me/goals/test/datapoints.json"
        let values = { (query: String, world: inout SimulatedWorld) in
            world.get(path + query).list.map { $0["value"] }
        }
        expect(values("", &world).count, is: 31)  // With the initial one.
        expect(values("?count=2", &world), is: [.number(30), .number(29)])
        expect(values("?page=2&per=10&count=1", &world).first, is: .number(20))
        expect(values("?page=2", &world).count, is: 6)
        expect(values("?sort=value&count=1", &world), is: [.number(30)])
        expect(world.get(path + "?page=0").status, is: 422)
        expect(world.get(path + "?count=1").list.first?.keys, is: Self.recordedKeys)
    }

    @Test(arguments: [RelayHTTP.Method.put, .patch])
    func `updates by id without a status`(method: RelayHTTP.Method) throws {
        var world = SimulatedWorld()
        let id = try require(world.post("value=1&comment=a")["id"]?.parameterText)
        world.now += 82
        let path = "/api/v1/users/me/goals/test/datapoints/\(id).json"
        let reply = world.send(method, path, "value=42")
        expect(reply.status, is: 200)
        expect(reply.keys, is: Self.recordedKeys)
        expect(reply["value"], is: .number(42))
        expect(reply["comment"], is: .string("a"))
        expect(reply["updated_at"], is: .number(1_769_380_805))
        expect(reply["timestamp"], is: .number(1_769_380_723))
    }

    @Test func `deletes once, and then there is nothing to be found`() throws {
        var world = SimulatedWorld()
        let id = try require(world.post("value=1&requestid=a")["id"]?.parameterText)
        _ = world.post("value=2&requestid=b")
        let path = "/api/v1/users/me/goals/test/datapoints/\(id)"
        expect(world.send(.delete, path).keys, is: Self.recordedKeys)
        let again = world.send(.delete, path)
        expect(again.status, is: 404)
        expect(again.text, is: #"{"error":"The requested resource was not found."}"#)
        expect(world.post("value=2&requestid=b").status, is: 422)
        expect(world.post("value=1&requestid=a")["status"], is: .string("created"))
    }
}
