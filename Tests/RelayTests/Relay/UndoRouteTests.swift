import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// Taking back the last press, for devices that cannot name it.
@Suite struct UndoRouteTests {
    private let folder = TemporaryFolder()

    private func state(_ id: String, _ relay: RunningRelayProgram) throws -> String? {
        try members(try relay.call("GET", "/events/\(id)").body)["state"] as? String
    }

    private func press(_ id: String, _ goal: String, _ relay: RunningRelayProgram) throws {
        let answer = try relay.call("POST", "/log/\(goal)", #"{"id":"\#(id)","value":2}"#)
        #expect(answer.status == 200)
    }

    @Test func `the last press is taken back, then the one before`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for (id, goal) in [("1", "water"), ("2", "water"), ("3", "pushups")] {
            try press(id, goal, relay)
        }
        let first = try relay.call("POST", "/log/water/undo")
        #expect(first.status == 200)
        #expect(
            first.body.trimmed
                == #"{"ok":true,"id":"2","goal":"water","value":2,"state":"undone"}"#)
        let path = "/log/water/undo?token=\(relay.token)"
        let second = try members(try relay.call("GET", path, token: "-").body)
        #expect(second["id"] as? String == "1")
        let none = try relay.call("GET", path, token: "-")
        #expect(none.status == 404)
        #expect(try members(none.body)["code"] as? String == "not_found")
        #expect(try state("3", relay) != "undone")
    }

    @Test func `a named press is taken back, as often as that is asked for`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for id in ["1", "2"] { try press(id, "water", relay) }
        for _ in 0..<2 {
            let answer = try relay.call("GET", "/log/water/undo?id=1")
            #expect(try members(answer.body)["id"] as? String == "1")
        }
        #expect(try state("2", relay) != "undone")
        #expect(try relay.call("GET", "/log/pushups/undo?id=2").status == 404)
        #expect(try relay.call("GET", "/log/water/undo?id=9").status == 404)
        #expect(try relay.call("POST", "/log/water/undo", #"{"id":"2"}"#).status == 200)
        #expect(try state("2", relay) == "undone")
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
        #expect(answer.status == 422 && answer.body.contains("which press is meant?"))
        #expect(try state("1", relay) != "undone")
        #expect(try relay.call("POST", "/log/water/undo", #"{"goal":"water"}"#).status == 200)
    }

    @Test func `an id beside other fields names the press`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for id in ["1", "2", "3"] { try press(id, "water", relay) }
        #expect(try relay.call("GET", "/log/water/undo?id=1&mac=aabb").status == 200)
        let body = #"{"id":"2","rssi":-60,"value":2}"#
        #expect(try relay.call("POST", "/log/water/undo", body).status == 200)
        for id in ["1", "2"] { #expect(try state(id, relay) == "undone") }
        #expect(try state("3", relay) != "undone")
    }

    @Test func `nothing is taken back by looking`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try press("1", "water", relay)
        let path = "/log/water/undo?token=\(relay.token)"
        #expect(try relay.call("HEAD", path, token: "-").status == 200)
        for field in ["Sec-Purpose: prefetch", "Purpose: prefetch", "X-Moz: prefetch"] {
            #expect(try relay.call("GET", path, token: "-", fields: [field]).status == 200)
        }
        #expect(try relay.call("GET", path + "&dry_run=1", token: "-").status == 200)
        #expect(try state("1", relay) != "undone")
        let basic = Data("x:\(relay.token)".utf8).base64EncodedString()
        let forged = try relay.call(
            "GET", "/log/water/undo", token: "-",
            fields: ["Authorization: Basic \(basic)", "Sec-Fetch-Site: cross-site"])
        #expect(forged.status == 403)
        #expect(try relay.call("GET", "/log/water/undo", token: "-").status == 401)
        #expect(try state("1", relay) != "undone")
    }

    @Test func `a preset's press is its own, and each device's too`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let preset = #"{"goal":"water","value":0.25}"#
        #expect(try relay.call("PUT", "/presets/glass", preset, token: relay.owner).status == 200)
        try press("1", "glass", relay)
        try press("2", "water", relay)
        #expect(try relay.call("POST", "/log/water/undo", token: relay.owner).status == 404)
        let own = try members(try relay.call("POST", "/log/glass/undo").body)
        #expect(own["id"] as? String == "1")
        #expect(try relay.call("POST", "/log/glass/undo").status == 404)
        let other = try members(try relay.call("POST", "/log/water/undo").body)
        #expect(other["id"] as? String == "2")
    }

    @Test func `a device takes back only what it may log`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try relay.add(#"{"name":"hall","goals":["pushups"]}"#)
        #expect(try relay.call("POST", "/log/water/undo", token: token).status == 403)
        #expect(try relay.call("POST", "/log/pushups/undo", token: token).status == 404)
    }
}
