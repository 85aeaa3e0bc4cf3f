import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct RequestIDTests {
    @Test func `a request id is one datapoint`() {
        part("keeps the id and the time when a request is updated") {
            var world = SimulatedWorld()
            let created = world.post("value=3&requestid=unique-test-id-123")
            world.now += 303
            let updated = world.post("value=999&requestid=unique-test-id-123")
            expect(updated.status, is: 200)
            expect(updated["status"], is: .string("updated"))
            for key in ["id", "timestamp", "created_at", "daystamp"] {
                expect(updated[key], is: created[key])
            }
            expect(updated["updated_at"], is: .number(1_769_381_026))
            expect(world.beeminder.datapoints(of: "test").map(\.value), is: [999])
        }
        part("refuses an exact duplicate and changes nothing") {
            var world = SimulatedWorld()
            _ = world.post("value=3&requestid=a&comment=c&timestamp=1769380000")
            let before = world.beeminder.datapoints(of: "test")
            world.now += 10
            for form in [
                "value=3&comment=c&timestamp=1769380000", "value=3.0", "value=3&comment=c",
            ] {
                let reply = world.post("\(form)&requestid=a")
                expect(reply.status, is: 422)
                expect(reply.text, is: #"{"errors":"Duplicate request"}"#)
                expect(reply.action.posted.isEmpty)
            }
            expect(world.beeminder.datapoints(of: "test"), is: before)
        }
        part("accepts a duplicate where the other variant is switched on") {
            var world = SimulatedWorld()
            world.beeminder.quirks.duplicates = .accepted
            let first = world.post("value=3&requestid=a")
            let second = world.post("value=3&requestid=a")
            expect(second.status, is: 200)
            expect(second["status"], is: .string("duplicate"))
            expect(second["id"], is: first["id"])
        }
        // Takes for an update whatever differs.
        for form in ["comment=other", "timestamp=1769300000", "daystamp=20260101"] {
            var world = SimulatedWorld()
            _ = world.post("value=3&requestid=a")
            expect(world.post("value=3&requestid=a&\(form)")["status"], is: .string("updated"))
            expect(world.beeminder.datapoints(of: "test").count, is: 1, "\(form)")
        }
        part("asks for uniqueness within one goal only") {
            var world = SimulatedWorld()
            world.beeminder.add(GoalPlan(slug: "other", units: "x", rate: 1), to: 0, at: world.now)
            _ = world.post("value=3&requestid=a")
            let path = "/api/v1/users/me/goals/other/datapoints.json"
            expect(world.send(.post, path, "value=3&requestid=a")["status"], is: .string("created"))
        }
        part("tells those who look on what was created and updated") {
            var world = SimulatedWorld()
            let created = world.post("value=3&requestid=a&comment=hi").action.posted
            let updated = world.post("value=4&requestid=a").action.posted
            expect(created.map(\.status), is: [.created])
            expect(
                updated,
                is: [
                    PostedDatapoint(
                        goal: "test", value: 4, comment: "hi", requestID: "a", status: .updated)
                ])
        }
    }
}

struct CreateAllTests {
    static let path = "/api/v1/users/me/goals/test/datapoints/create_all.json"

    @Test func `a list of datapoints is taken`() throws {
        part("answers an array in the order of the request when all is well") {
            var world = SimulatedWorld()
            let reply = world.send(
                .post, Self.path, #"datapoints=[{"value":10},{"value":"11","requestid":"b"}]"#)
            expect(reply.status, is: 200)
            expect(reply.list.map { $0["value"] }, is: [.number(10), .number(11)])
            expect(reply.list.map { $0["status"] }, is: [.string("created"), .string("created")])
            expect(reply.action.posted.count, is: 2)
        }
        // Applies the good ones and names the others.
        for (errors, status) in [
            (SimulatedQuirks.BatchErrors.echoed, 200), (.worded, 200), (.echoed, 422),
        ] as [(SimulatedQuirks.BatchErrors, Int)] {
            var world = SimulatedWorld()
            world.beeminder.quirks.batchErrors = errors
            world.beeminder.quirks.batchStatus = status
            let reply = world.send(
                .post, Self.path,
                #"datapoints=[{"value":1},{"value":"x","requestid":"bad"},{"value":3}]"#)
            expect(reply.status, is: status, "\(errors)")
            expect(reply.keys, is: ["successes", "errors"], "\(errors)")
            expect(world.beeminder.datapoints(of: "test").map(\.value), is: [1, 3], "\(errors)")
            let faults = reply["errors"]?.list ?? []
            let echo = faults.first?["requestid"]
            let words = OrderedJSON.string("Value is not a number")
            expect(errors == .echoed ? echo == .string("bad") : faults == [words], "\(errors)")
        }
        // Names what it did not take in every shape that it may have.
        for (shape, errors) in [
            (
                SimulatedQuirks.BatchErrors.named,
                #"[{"requestid":"bad","error":"Value is not a number"}]"#
            ),
            (.indexed, #"[{"index":1,"error":"Value is not a number"}]"#),
            (.keyed, #"{"bad":"Value is not a number"}"#), (.silent, "[]"),
        ] as [(SimulatedQuirks.BatchErrors, String)] {
            var world = SimulatedWorld()
            world.beeminder.quirks.batchErrors = shape
            let reply = world.send(
                .post, Self.path, #"datapoints=[{"value":1},{"value":"x","requestid":"bad"}]"#)
            expect(reply["errors"], is: OrderedJSON(text: Array(errors.utf8)), "\(shape)")
            expect(world.beeminder.datapoints(of: "test").map(\.value), is: [1], "\(shape)")
        }
        part("forgets to tell of some that it took") {
            var world = SimulatedWorld()
            world.beeminder.quirks.batchForgets = 2
            let reply = world.send(
                .post, Self.path, #"datapoints=[{"value":1},{"value":2},{"value":3},{"value":4}]"#)
            expect(reply.list.map { $0["value"] }, is: [.number(1), .number(3)])
            expect(world.beeminder.datapoints(of: "test").count, is: 4)
        }
        part("gives no more on a page than its bound") {
            var world = SimulatedWorld()
            for value in 1...5 { _ = world.post("value=\(value)") }
            world.beeminder.quirks.longestPage = 2
            let path = "users/me/goals/test/datapoints.json"
            expect(world.get("\(path)?page=1&per=100").list.count, is: 2)
            expect(world.get("\(path)?page=3&per=100").list.count, is: 2)
            expect(world.get("\(path)?page=4&per=100").list.count, is: 0)
        }
        part("counts a duplicate among the errors") {
            var world = SimulatedWorld()
            let body = #"datapoints=[{"value":1,"requestid":"a"}]"#
            _ = world.send(.post, Self.path, body)
            let again = world.send(.post, Self.path, body)
            expect(again["successes"], is: .array([]))
            expect(again.text.contains(#""errors":"Duplicate request""#))
        }
        // Takes a bare array only where that is switched on.
        for isOn in [true, false] as [Bool] {
            var world = SimulatedWorld()
            world.beeminder.quirks.takesBareArrays = isOn
            let call = SimulatedCall(
                .post, Self.path, contentType: "application/json",
                body: #"{"auth_token":"secret","datapoints":[{"value":1}]}"#)
            let action = world.beeminder.respond(to: call, at: world.now)
            expect(action.response.status, is: (isOn ? 200 : 422), "\(isOn)")
        }
        // Refuses what is no list.
        for form in ["", "datapoints=", "datapoints={}", "datapoints=[1"] {
            var world = SimulatedWorld()
            expect(world.send(.post, Self.path, form).status, is: 422, "\(form)")
        }
    }
}
