import Foundation
import Testing

@testable import RelayTrunk

/// A dry run says what the press would hear, and what was changed of it.
struct DryRunTests {
    private let folder = TemporaryFolder()

    private static let now = Int(Date().timeIntervalSince1970)

    static let bodies = [
        #"{"value":1}"#, #"{"age":-5}"#, #"{"age":9999999}"#, #"{"timestamp":1790000000000}"#,
        #"{"timestamp":12}"#, #"{"timestamp":\#(now + 7_200)}"#,
        #"{"timestamp":\#(now - 40 * 86_400)}"#, #"{"timestamp":\#(now - 86_400)}"#,
        #"{"value":1e308}"#, #"{"value":1,"amount":2}"#, #"{"id":"a b"}"#, #"{"goal":"pushups"}"#,
        #"{"daystamp":"20200101"}"#, #"{"foo":1}"#, #"{"foo":1,"strict":true}"#,
    ]

    @Test(
        arguments: [
            (nil, "3600", "age"), (-3_600, "3500", "device"), (9_000, "3600", "age"),
            (-100, "50000", nil), (-100, #""90s""#, nil),
        ] as [(Int?, String, String?)])
    func `an age beside a timestamp counts, or agrees`(
        _ offset: Int?, _ age: String, _ from: String?
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        let now = Int(Date().timeIntervalSince1970)
        let body = #"{"timestamp":\#(offset.map { now + $0 } ?? 0),"age":\#(age)}"#
        let answer = try relay.call("POST", "/log/water", body)
        let said = try members(answer.body)
        guard let from else {
            expect(answer.status == 422 && said["code"] as? String == "unusable_time")
            return
        }
        let id = try require(said["id"] as? String)
        let event = try members(try relay.call("GET", "/events/\(id)").body)
        let time = try require(event["timestamp"] as? Int)
        expect(event["timeFrom"] as? String, is: from)
        expect((-600...600).contains(time - (now - 3_600)), "\(event)")
    }

    private func count(_ relay: RunningRelayProgram) throws -> Int? {
        let list = try members(try relay.call("GET", "/events").body)
        return (list["events"] as? [NSDictionary])?.count
    }

    @Test func `an event of a queue cannot be a dry run alone`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let events = #"[{"goal":"water","dry_run":true}]"#
        let named = try relay.call("POST", "/events?daystamp=20261118&GOAL=a&dry_run=1", events)
        expect(named.body.contains(#""ignored":["GOAL","daystamp"]"#), "\(named.body)")
        let answer = try relay.call("POST", "/events?answer=short", events)
        try expect(members(answer.body)["ok"] as? Bool, is: false)
        expect(answer.body.contains("POST /events?dry_run=1"))
        try expect(relay.call("POST", "/events?dry_run=1", events).body.contains(#""ok":true"#))
        try expect(count(relay), is: 0)
    }

    @Test(arguments: bodies) func `comes to what the press comes to`(_ body: String) async throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        for path in ["/log/water", "/log/watr"] {
            let before = try count(relay)
            let dry = try relay.call("POST", path + "?dry_run=1", body)
            try expect(count(relay), is: before)
            let real = try relay.call("POST", path, body)
            expect(dry.status, is: real.status, "\(path) \(dry.body) \(real.body)")
            let (said, done) = (try members(dry.body), try members(real.body))
            for name in ["code", "detail", "suggestion", "goal", "value", "timeNote", "ignored"] {
                expect(said[name] as? NSObject, is: done[name] as? NSObject, "\(name)")
            }
            if let time = done["time"] as? String { expect(said["time"] as? String, is: time) }
        }
    }

    @Test(
        arguments: [
            (#"{"timestamp":12}"#, "before 2024"), (#"{"timestamp":\#(now + 7_200)}"#, "future"),
            (#"{"timestamp":\#(now - 36 * 86_400)}"#, "35 days"),
        ])
    func `a time that was replaced is said, by a press sent again too`(
        _ body: String, _ why: String
    ) async throws {
        let relay = try RunningRelayProgram(in: folder)
        for _ in 0..<2 {
            let named = body.replacing("{", with: #"{"id":"n","#)
            let answer = try members(try relay.call("POST", "/log/water", named).body)
            expect(answer["time"] as? String, is: "receipt")
            expect((answer["timeNote"] as? String)?.contains(why) == true)
        }
        let good = #"{"timestamp":\#(DryRunTests.now - 34 * 86_400)}"#
        let kept = try members(try relay.call("POST", "/log/water", good).body)
        expect(kept["time"] == nil)
        let dry = try members(try relay.call("POST", "/log/water?dry_run", good).body)
        expect(dry["time"] as? String, is: "device")
        expect(dry["timestamp"] as? Int, is: DryRunTests.now - 34 * 86_400)
    }

    @Test func `sees guards, forbidden goals, and that nobody is connected`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let preset = #"{"goal":"water","oncePerDay":true}"#
        try expect(relay.call("PUT", "/presets/glass", preset, token: relay.owner).status, is: 200)
        // The days of the user are not known yet, so it is decided later whether it is the first.
        let real = try members(try relay.call("POST", "/log/glass").body)
        let dry = try members(try relay.call("POST", "/log/glass?dry_run=1").body)
        expect(dry["state"] as? String == "held" && real["state"] as? String == "held")
        let token = try relay.add(#"{"name":"hall","goals":["pushups"],"strict":true}"#)
        try expect(relay.call("POST", "/log/water?dry_run=1", token: token).status, is: 403)
        let unknown = try relay.call("POST", "/log/pushups", #"{"amuont":5}"#, token: token)
        expect(unknown.status, is: 422)
        try expect(members(unknown.body)["code"] as? String, is: "unknown_field")
        try expect(relay.call("POST", "/log/pushups", "3", token: token).status, is: 200)
        try expect(relay.call("DELETE", "/connection", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water?dry_run=1").status, is: 503)
    }
}
