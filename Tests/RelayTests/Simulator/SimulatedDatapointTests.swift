import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatedDatapointTests {
    static let recordedKeys = [
        "id", "timestamp", "daystamp", "value", "comment", "updated_at", "requestid", "origin",
        "creator", "is_dummy", "is_initial", "urtext", "fulltext", "canonical", "formatted_value",
        "created_at",
    ]

    @Test func `what is posted is read as the live service reads it`() {
        part("answers a create with 200 and the recorded keys") {
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
        part("makes ids of 24 hex digits that begin with the time and grow") {
            var world = SimulatedWorld()
            let ids = try (0..<20).map { _ in
                try require(world.post("value=1")["id"]?.parameterText)
            }
            expect(ids.allSatisfy { $0.count == 24 && $0.allSatisfy(\.isHexDigit) })
            expect(ids.allSatisfy { $0.hasPrefix("69769b73") })
            expect(ids == ids.sorted() && Set(ids).count == 20)
        }
        // Reads.
        for (form, text) in [
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
        ] as [(String, String)] {
            var world = SimulatedWorld()
            let reply = world.post(form)
            expect(reply.status, is: 200, "\(form)")
            expect(reply.text.contains(text), "\(form)")
        }
        // Refuses a value with the words of the live service.
        for (form, body) in [
            ("", #"{"errors":{"value":["can't be blank","is not a number"]}}"#),
            ("value=", #"{"errors":{"value":["can't be blank","is not a number"]}}"#),
            ("value=abc", #"{"errors":{"value":["is not a number"]}}"#),
            ("value=inf", #"{"errors":{"value":["is not a number"]}}"#),
            ("value=0x10", #"{"errors":{"value":["is not a number"]}}"#),
        ] as [(String, String)] {
            var world = SimulatedWorld()
            let reply = world.post(form)
            expect(reply.status, is: 422, "\(form)")
            expect(reply.text, is: body, "\(form)")
            expect(world.beeminder.datapoints(of: "test").isEmpty, "\(form)")
        }
        // Refuses a time that is none.
        for form in [
            "timestamp=1769380723000", "timestamp=soon", "daystamp=20260230", "daystamp=yesterday",
            "urtext=nonsense",
        ] {
            var world = SimulatedWorld()
            expect(world.post("value=1&\(form)").status, is: 422, "\(form)")
            expect(world.beeminder.datapoints(of: "test").isEmpty, "\(form)")
        }
        // Takes form, JSON and query alike.
        for path in [
            "/api/v1/users/me/goals/test/datapoints.json", "/api/v1/users/me/goals/test/datapoints",
            "/api/v1/users/felixm/goals/test/datapoints.json",
        ] {
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
                let reply = world.send(call)
                expect(reply.status, is: 200, "\(path)")
                expect(reply["comment"], is: .string("a b"), "\(path)")
            }
            expect(world.beeminder.datapoints(of: "test").map(\.value), is: [2, 2, 2], "\(path)")
        }
    }

    @Test func `datapoints are listed, changed and deleted`() throws {
        part("lists the newest first and pages") {
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
        // Updates by id without a status.
        for method in [RelayHTTP.Method.put, .patch] as [RelayHTTP.Method] {
            var world = SimulatedWorld()
            let id = try require(world.post("value=1&comment=a")["id"]?.parameterText)
            world.now += 82
            let path = "/api/v1/users/me/goals/test/datapoints/\(id).json"
            let reply = world.send(method, path, "value=42")
            expect(reply.status, is: 200, "\(method)")
            expect(reply.keys, is: Self.recordedKeys, "\(method)")
            expect(reply["value"], is: .number(42), "\(method)")
            expect(reply["comment"], is: .string("a"), "\(method)")
            expect(reply["updated_at"], is: .number(1_769_380_805), "\(method)")
            expect(reply["timestamp"], is: .number(1_769_380_723), "\(method)")
        }
        part("deletes once, and then there is nothing to be found") {
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
}
