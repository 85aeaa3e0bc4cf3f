import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// Taking back the last press, for devices that cannot name it.
struct UndoRouteTests {
    private let folder = TemporaryFolder()

    private func state(_ id: String, _ relay: RunningRelayProgram) throws -> String? {
        try members(try relay.call("GET", "/events/\(id)").body)["state"] as? String
    }

    private func press(_ id: String, _ goal: String, _ relay: RunningRelayProgram) throws {
        let answer = try relay.call("POST", "/log/\(goal)", #"{"id":"\#(id)","value":2}"#)
        expect(answer.status, is: 200)
    }

    @Test func `the last press is taken back, then the one before`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for (id, goal) in [("1", "water"), ("2", "water"), ("3", "pushups")] {
            try press(id, goal, relay)
        }
        let first = try relay.call("POST", "/log/water/undo")
        expect(first.status, is: 200)
        expect(
            first.body.trimmed,
            is: #"{"ok":true,"id":"2","goal":"water","value":2,"state":"undone"}"#)
        let path = "/log/water/undo?token=\(relay.token)"
        let second = try members(try relay.call("GET", path, token: "-").body)
        expect(second["id"] as? String, is: "1")
        let none = try relay.call("GET", path, token: "-")
        expect(none.status, is: 404)
        try expect(members(none.body)["code"] as? String, is: "not_found")
        try expect(state("3", relay) != "undone")
    }

    @Test func `a named press is taken back, as often as that is asked for`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for id in ["1", "2"] { try press(id, "water", relay) }
        for _ in 0..<2 {
            let answer = try relay.call("GET", "/log/water/undo?id=1")
            try expect(members(answer.body)["id"] as? String, is: "1")
        }
        try expect(state("2", relay) != "undone")
        try expect(relay.call("GET", "/log/pushups/undo?id=2").status, is: 404)
        try expect(relay.call("GET", "/log/water/undo?id=9").status, is: 404)
        try expect(relay.call("POST", "/log/water/undo", #"{"id":"2"}"#).status, is: 200)
        try expect(state("2", relay), is: "undone")
    }

    @Test(arguments: [
        "1", "press=1", #"{"ID ":"1"}"#, #"{"value":2}"#, #"{"id":""}"#, #"{"comment":"1"}"#,
    ])
    func `a body that says something takes back no press that it does not name`(
        _ body: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        try press("1", "water", relay)
        let answer = try relay.call("POST", "/log/water/undo", body)
        expect(answer.status == 422 && answer.body.contains("which press is meant?"))
        try expect(relay.call("GET", "/log/water/undo?id=").status, is: 422)
        try expect(state("1", relay) != "undone")
        try expect(relay.call("POST", "/log/water/undo", #"{"goal":"water"}"#).status, is: 200)
    }

    @Test func `an id beside other fields names the press`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for id in ["1", "2", "3"] { try press(id, "water", relay) }
        try expect(relay.call("GET", "/log/water/undo?id=1&mac=aabb").status, is: 200)
        let body = #"{"id":"2","rssi":-60,"value":2}"#
        try expect(relay.call("POST", "/log/water/undo", body).status, is: 200)
        for id in ["1", "2"] { try expect(state(id, relay), is: "undone") }
        try expect(state("3", relay) != "undone")
    }

    @Test func `nothing is taken back by looking`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try press("1", "water", relay)
        let path = "/log/water/undo?token=\(relay.token)"
        try expect(relay.call("HEAD", path, token: "-").status, is: 200)
        for field in ["Sec-Purpose: prefetch", "Purpose: prefetch", "X-Moz: prefetch"] {
            try expect(relay.call("GET", path, token: "-", fields: [field]).status, is: 200)
        }
        try expect(relay.call("GET", path + "&dry_run=1", token: "-").status, is: 200)
        try expect(state("1", relay) != "undone")
        let basic = Data("x:\(relay.token)".utf8).base64EncodedString()
        let forged = try relay.call(
            "GET", "/log/water/undo", token: "-",
            fields: ["Authorization: Basic \(basic)", "Sec-Fetch-Site: cross-site"])
        expect(forged.status, is: 403)
        try expect(relay.call("GET", "/log/water/undo", token: "-").status, is: 401)
        try expect(state("1", relay) != "undone")
    }

    @Test func `a preset's press is its own, and each device's too`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let preset = #"{"goal":"water","value":0.25}"#
        try expect(relay.call("PUT", "/presets/glass", preset, token: relay.owner).status, is: 200)
        try press("1", "glass", relay)
        try press("2", "water", relay)
        try expect(relay.call("POST", "/log/water/undo", token: relay.owner).status, is: 404)
        let own = try members(try relay.call("POST", "/log/glass/undo").body)
        expect(own["id"] as? String, is: "1")
        try expect(relay.call("POST", "/log/glass/undo").status, is: 404)
        let other = try members(try relay.call("POST", "/log/water/undo").body)
        expect(other["id"] as? String, is: "2")
    }

    @Test func `a device takes back only what it may log`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try relay.add(#"{"name":"hall","goals":["pushups"]}"#)
        try expect(relay.call("POST", "/log/water/undo", token: token).status, is: 403)
        try expect(relay.call("POST", "/log/pushups/undo", token: token).status, is: 404)
    }
}
