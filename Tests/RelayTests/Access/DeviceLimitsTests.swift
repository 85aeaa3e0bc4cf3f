import Foundation
import Testing

@testable import RelayTrunk

/// A device's rights and goals are changed, while its token and its identity stay.
struct DeviceLimitsTests {
    private let folder = TemporaryFolder()

    private func add(_ relay: RunningRelayProgram) throws -> String {
        try relay.add(#"{"name":"knob","goals":["water"],"goal":"water"}"#)
    }

    @Test(arguments: [
        (#"{"goals":["pushups"],"goal":null}"#, "/log/pushups", 200),
        (#"{"goals":["pushups"],"goal":null}"#, "/log/water", 403),
        (#"{"goals":null}"#, "/log/pushups", 200),
        (#"{"can":["read"]}"#, "/log/water", 403),
        (#"{"can":null}"#, "/log/water", 200),
        (#"{"can":["log"]}"#, "/log/pushups", 403),
        ("{}", "/log/water", 200),
    ])
    func `its token counts for what it may do from then on`(
        body: String, path: String, status: Int
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try add(relay)
        try expect(relay.call("POST", "/log/water", "+1", token: token).status, is: 200)
        let changed = try relay.call("PATCH", "/devices/knob", body, token: relay.owner)
        expect(changed.status, is: 200, "\(changed.body)")
        try expect(relay.call("POST", path, "+1", token: token).status, is: status)
    }

    @Test(arguments: [
        ("/devices/knob", #"{"goals":["pushups"]}"#, 422, "not among those"),
        ("/devices/knob", #"{"can":["fly"]}"#, 422, "choose among"),
        ("/devices/knob", #"{"goals":["no goal"]}"#, 422, "Beeminder URL"),
        ("/devices/nobody", "{}", 404, "device list"),
        ("/devices/knob", "[]", 400, "what is left out stays"),
        ("/devices/knob", #"{"goals":"water"}"#, 400, "what is left out stays"),
    ])
    func `a mistake changes nothing and is told`(
        path: String, body: String, status: Int, words: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try add(relay)
        let before = try relay.call("GET", "/devices", token: relay.owner).body
        let answer = try relay.call("PATCH", path, body, token: relay.owner)
        expect(answer.status == status && answer.body.contains(words), "\(answer.body)")
        try expect(relay.call("GET", "/devices", token: relay.owner).body, is: before)
        try expect(relay.call("PATCH", path, body, token: token).status, is: 403)
    }

    @Test func `what was changed stays over a restart`() throws {
        var relay = try RunningRelayProgram(in: folder)
        let token = try add(relay)
        let body = #"{"can":["log"],"goals":["pushups"],"goal":"pushups"}"#
        try expect(relay.call("PATCH", "/devices/knob", body, token: relay.owner).status, is: 200)
        relay.stop()
        relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/log", "+1", token: token).status, is: 200)
        try expect(relay.call("GET", "/context", token: token).status, is: 403)
    }
}
