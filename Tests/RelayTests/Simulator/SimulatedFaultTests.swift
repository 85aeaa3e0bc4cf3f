import RelayHTTP
import Testing

@testable import BeeminderSimulator

struct SimulatedFaultTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let fault: SimulatedFault
        let status: Int
        var ending = SimulatedAction.Ending.whole
        var type = "text/html; charset=utf-8"
        var testDescription: String { fault.summary }
    }

    @Test func `a fault strikes what it is meant for`() {
        // Answers with the fault, applied or not.
        for row in [
            Case(fault: SimulatedFault(.status(503)), status: 503),
            Case(fault: SimulatedFault(.status(504), isApplied: true), status: 504),
            Case(
                fault: SimulatedFault(.status(401)), status: 401,
                type: "application/json; charset=utf-8"),
            Case(
                fault: SimulatedFault(.status(404)), status: 404,
                type: "application/json; charset=utf-8"),
            Case(fault: SimulatedFault(.html), status: 200),
            Case(
                fault: SimulatedFault(.throttled(retryAfterSeconds: nil)), status: 429,
                type: "text/plain"),
            Case(fault: SimulatedFault(.redirect), status: 302),
            Case(
                fault: SimulatedFault(.slow, isApplied: true, delaySeconds: 2), status: 200,
                type: "application/json; charset=utf-8"),
        ] as [Case] {
            var world = SimulatedWorld()
            world.beeminder.faults = [row.fault]
            let reply = world.post("value=1")
            expect(reply.status, is: row.status, "\(row)")
            expect(reply.action.response.field("Content-Type"), is: row.type, "\(row)")
            expect(reply.action.delaySeconds, is: row.fault.delaySeconds, "\(row)")
            expect(world.beeminder.datapoints(of: "test").count, is: (row.fault.isApplied ? 1 : 0))
        }
        // Hangs up, or cuts the answer, before or after the datapoint is taken.
        for (kind, ending, isApplied) in [
            (.hangUp, .hangUp, false), (.hangUp, .hangUp, true),
            (.cutShort(bytes: 9), .cutShort(bytes: 9), false),
            (.cutShort(bytes: 9), .cutShort(bytes: 9), true),
        ] as [(SimulatedFault.FaultKind, SimulatedAction.Ending, Bool)] {
            var world = SimulatedWorld()
            world.beeminder.faults = [SimulatedFault(kind, isApplied: isApplied)]
            let reply = world.post("value=1&requestid=a")
            expect(reply.action.ending, is: ending)
            expect(reply.action.posted.count, is: (isApplied ? 1 : 0))
            world.beeminder.faults = []
            expect(world.post("value=1&requestid=a").status, is: (isApplied ? 422 : 200))
        }
        part("says when to come back only when told to") {
            var world = SimulatedWorld()
            world.beeminder.faults = [SimulatedFault(.throttled(retryAfterSeconds: 7))]
            expect(world.post("value=1").action.response.field("Retry-After"), is: "7")
            world.beeminder.faults = [SimulatedFault(.throttled(retryAfterSeconds: nil))]
            let reply = world.post("value=1")
            expect(reply.action.response.field("Retry-After") == nil)
            expect(reply.text, is: "Retry later\n")
        }
        // Strikes the calls it is meant for.
        for (timing, statuses) in [
            (SimulatedFault.Timing.always, [503, 503, 503]), (.onCall(2), [200, 503, 200]),
            (.firstCalls(2), [503, 503, 200]), (.chance(0), [200, 200, 200]),
            (.chance(1), [503, 503, 503]),
        ] as [(SimulatedFault.Timing, [Int])] {
            var world = SimulatedWorld()
            world.beeminder.faults = [SimulatedFault(.status(503), timing: timing)]
            expect((0..<3).map { _ in world.post("value=1").status } == statuses, "\(timing)")
        }
        part("repeats its luck with the seed") {
            let run = { () -> [Int] in
                var world = SimulatedWorld()
                world.beeminder.faults = [SimulatedFault(.status(503), timing: .chance(0.5))]
                return (0..<50).map { _ in world.post("value=1").status }
            }
            let first = run()
            expect(first, is: run())
            expect((10..<40).contains(first.count { $0 == 503 }))
        }
        part("keeps to its method, route and goal") {
            var world = SimulatedWorld()
            world.beeminder.add(GoalPlan(slug: "other", units: "x", rate: 1), to: 0, at: world.now)
            world.beeminder.faults = [
                SimulatedFault(.status(500), method: .post, route: "datapoints", goal: "other")
            ]
            expect(world.post("value=1").status, is: 200)
            expect(world.get("users/me/goals/other/datapoints.json").status, is: 200)
            let path = "/api/v1/users/me/goals/other/datapoints.json"
            expect(world.send(.post, path, "value=1").status, is: 500)
        }
    }

    @Test func `limits and a wrong host`() {
        part("throttles by the minute when that is switched on") {
            var world = SimulatedWorld()
            world.beeminder.quirks.callsPerMinute = 2
            expect((0..<3).map { _ in world.post("value=1").status } == [200, 200, 429])
            world.now += 60
            expect(world.post("value=1").status, is: 200)
        }
        part("takes so many datapoints of a day and no more") {
            var world = SimulatedWorld()
            world.beeminder.quirks.datapointsPerDay = 3  // The initial datapoint counts, too.
            _ = world.post("value=1&requestid=a")
            _ = world.post("value=1")
            expect(world.post("value=1").status, is: 422)
            expect(world.post("value=2&requestid=a").status, is: 200)
            expect(world.post("value=1&daystamp=20260120").status, is: 200)
        }
        part("loses what was posted to the wrong host, and then looks like success") {
            var world = SimulatedWorld()
            world.beeminder.quirks.canonicalHost = "www.example.com"
            let path = "/api/v1/users/me/goals/test/datapoints.json"
            let posted = world.beeminder.respond(
                to: SimulatedCall(
                    .post, path, contentType: "application/x-www-form-urlencoded", body: "value=1",
                    host: "example.com", bearer: "oauth"), at: world.now)
            let location = try require(posted.response.field("Location"))
            expect(posted.response.status, is: 302)
            expect(location, is: "http://www.example.com\(path)")
            let read = world.beeminder.respond(
                to: SimulatedCall(.get, path + "?count=1", host: "example.com"), at: world.now)
            expect(read.response.field("Location"), is: "http://www.example.com\(path)?count=1")
            // The next request of a client that follows redirects as browsers do.
            let followed = SimulatedWorld.Reply(
                action: world.beeminder.respond(
                    to: SimulatedCall(.get, path, host: "www.example.com", bearer: "oauth"),
                    at: world.now))
            expect(followed.status, is: 200)
            expect(followed.text.hasPrefix("[{"))
            expect(world.beeminder.datapoints(of: "test").isEmpty)
        }
    }
}
