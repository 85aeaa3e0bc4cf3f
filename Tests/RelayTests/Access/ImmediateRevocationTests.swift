import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// What is taken away is so at once, and is saved before other changes.
struct ImmediateRevocationTests {
    private let folder = TemporaryFolder()

    private func add(
        _ relay: RunningRelayProgram, _ name: String, _ rights: String = #"["log"]"#
    ) throws -> String {
        try relay.add(#"{"name":"\#(name)","can":\#(rights)}"#)
    }

    private func status(_ client: Client) -> String {
        String((client.answer() ?? "").dropFirst(9).prefix(3))
    }

    private static let snooze = "POST /reminders/snooze?goal=water&hours=1"

    private func awaitRefusal(
        of request: () throws -> (status: Int, body: String, head: String)
    ) throws {
        try waitUntil("the credential is refused") { try request().status == 401 }
    }

    @Test(arguments: ["DELETE /devices/knob", "POST /devices/knob/rotate"])
    func `a device is refused while its removal waits for the disk`(_ request: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 200)
        let proceed = relay.holdSettings()
        let removal = relay.begin(request, token: relay.owner)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: knob) }
        expect(!removal.canRead(withinMilliseconds: 50), "it is not durable yet")
        proceed()
        expect(status(removal), is: "200")
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
    }

    @Test(arguments: ["POST /logout", "DELETE /sessions"])
    func `a browser is signed out while that waits for the disk`(_ request: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let login = try relay.call("GET", try relay.signInLink(), token: "-")
        let cookie = try require(login.head.firstMatch(of: /Set-Cookie: ([^;]+)/)).1
        let fields = ["Cookie: \(cookie)"]
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 200)
        let proceed = relay.holdSettings()
        let client = Client(relay.endpoint)
        client.send(
            "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: \(cookie)\r\n"
                + "Origin: http://127.0.0.1\r\n\r\n")
        try awaitRefusal { try relay.call("GET", "/devices", token: "-", fields: fields) }
        proceed()
        expect(status(client), is: "200")
        try expect(relay.call("GET", "/devices", token: "-", fields: fields).status, is: 401)
    }

    @Test func `a device that floods the settings holds up no owner and no removal`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let proceed = relay.holdSettings()
        let flood = (0..<40).map { _ in relay.begin(Self.snooze, token: knob) }
        // Those beyond its share are told so at once.
        expect(flood[39].canRead(withinMilliseconds: Int32(HangLimit.seconds * 1_000)))
        let preset = relay.begin("PUT /presets/glass", #"{"goal":"water"}"#, token: relay.owner)
        let removal = relay.begin("DELETE /devices/knob", token: relay.owner)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: knob) }
        proceed()
        expect(status(removal) == "200" && status(preset) == "200")
        let statuses = Set(flood.map(status))
        // One was being saved; what waited was asked for by a device that is gone.
        expect(statuses.isSuperset(of: ["401", "503"]), "\(statuses)")
        expect(statuses.isSubset(of: ["200", "401", "503"]), "\(statuses)")
    }

    @Test func `a device that may manage and was removed changes nothing any more`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let manager = try add(relay, "manager", #"["manage"]"#)
        let hall = try add(relay, "hall")
        let proceed = relay.holdSettings()
        let first = relay.begin("PUT /presets/a", #"{"goal":"water"}"#, token: relay.owner)
        let back = relay.begin("POST /devices", #"{"name":"back"}"#, token: manager)
        let theft = relay.begin("POST /devices/hall/rotate", token: manager)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: hall) }
        let removal = relay.begin("DELETE /devices/manager", token: relay.owner)
        try awaitRefusal { try relay.call("GET", "/devices", token: manager) }
        proceed()
        expect(status(first) == "200" && status(removal) == "200")
        expect(status(back) == "401" && status(theft) == "401")
        let list = try relay.call("GET", "/devices", token: relay.owner).body
        expect(!list.contains("back") && !list.contains("manager"))
        // Nothing of that was done: the token of the other device is good again.
        try expect(relay.call("POST", "/log/water", "1", token: hall).status, is: 200)
    }

    @Test func `a device may replace its own token`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let manager = try add(relay, "manager", #"["manage","log"]"#)
        let answer = try relay.call("POST", "/devices/manager/rotate", token: manager)
        expect(answer.status, is: 200, "\(answer.body)")
        let new = try require(try members(answer.body)["token"] as? String)
        try expect(relay.call("GET", "/devices", token: new).status, is: 200)
        try expect(relay.call("GET", "/devices", token: manager).status, is: 401)
    }

    @Test func `a removal behind another change of the device is not undone by it`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let proceed = relay.holdSettings()
        let change = relay.begin(
            "PUT /devices/knob/expect", #"{"expect":"1d"}"#, token: relay.owner)
        let removal = relay.begin("DELETE /devices/knob", token: relay.owner)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: knob) }
        proceed()
        expect(["200", "404"].contains(status(change)))
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
        expect(status(removal), is: "200")
    }

    @Test func `a removal that cannot be saved holds until a restart, and is told`() throws {
        var relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let file = "\(folder.path)/devices.json"
        let saved = try Data(contentsOf: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(
            atPath: file, withIntermediateDirectories: false)
        let refused = try relay.call("DELETE", "/devices/knob", token: relay.owner)
        expect(refused.status == 507 && refused.body.contains("until the relay restarts"))
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
        try FileManager.default.removeItem(atPath: file)
        try saved.write(to: URL(fileURLWithPath: file))
        // Another change brings nothing back.
        _ = try add(relay, "hall")
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
        relay.stop()
        relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 200)
        try expect(relay.call("DELETE", "/devices/knob", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
    }
}
