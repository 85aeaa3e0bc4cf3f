import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Changes of the settings are in effect at once, and their answers wait until they are saved.
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

    @Test func `changes that wait for the disk hold up no removal, and are answered together`()
        throws
    {
        let relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let proceed = relay.holdSettings()
        let flood = (0..<40).map { _ in relay.begin(Self.snooze, token: knob) }
        let preset = relay.begin("PUT /presets/glass", #"{"goal":"water"}"#, token: relay.owner)
        try waitUntil("the changes are in effect") {
            try relay.call("GET", "/presets/glass").status == 200
                && relay.call("GET", "/reminders").body.contains(#""goal":"water","until""#)
        }
        let removal = relay.begin("DELETE /devices/knob", token: relay.owner)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: knob) }
        expect(!preset.canRead(withinMilliseconds: 50), "it is not durable yet")
        proceed()
        expect(status(removal) == "200" && status(preset) == "200")
        // The last ones may have come behind the removal.
        let statuses = Set(flood.map(status))
        expect(statuses.contains("200") && statuses.isSubset(of: ["200", "401"]), "\(statuses)")
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
        try waitUntil("the change is in effect") {
            try relay.call("GET", "/devices", token: relay.owner).body.contains(#""expect":"1d""#)
        }
        let removal = relay.begin("DELETE /devices/knob", token: relay.owner)
        try awaitRefusal { try relay.call("POST", "/log/water", "1", token: knob) }
        proceed()
        expect(status(change), is: "200")
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
        expect(status(removal), is: "200")
    }

    /// Puts a folder in the place of a file.
    ///
    /// - Returns: puts the file back.
    private func obstruct(_ file: String) throws -> () throws -> Void {
        let file = URL(fileURLWithPath: "\(folder.path)/\(file)")
        let saved = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        return {
            try FileManager.default.removeItem(at: file)
            try saved.write(to: file)
        }
    }

    @Test func `a removal that cannot be saved holds until a restart, and is told`() throws {
        var relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let clear = try obstruct("devices.json")
        let refused = try relay.call("DELETE", "/devices/knob", token: relay.owner)
        expect(refused.status == 507 && refused.body.contains("until the relay restarts"))
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
        try clear()
        relay.stop()
        relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 200)
        try expect(relay.call("DELETE", "/devices/knob", token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
    }

    @Test func `a token that cannot be saved replaces none`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let clear = try obstruct("devices.json")
        let path = "/devices/knob/rotate"
        let refused = try relay.call("POST", path, token: relay.owner)
        expect(refused.status == 507 && refused.body.contains("nothing was changed"))
        expect(!refused.body.contains("br_"))
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 200)
        try clear()
        try expect(relay.call("POST", path, token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
    }

    @Test func `a removal that could not be saved is saved when it is repeated`() throws {
        var relay = try RunningRelayProgram(in: folder)
        let knob = try add(relay, "knob")
        let clear = try obstruct("devices.json")
        for _ in 0..<2 {
            try expect(
                relay.call("DELETE", "/devices/knob", token: relay.owner).status, is: 507)
        }
        try clear()
        try expect(relay.call("DELETE", "/devices/knob", token: relay.owner).status, is: 404)
        relay.stop()
        relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 401)
    }

    @Test func `a device that cannot be saved is added when that is repeated`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let clear = try obstruct("devices.json")
        let refused = try relay.call("POST", "/devices", #"{"name":"knob"}"#, token: relay.owner)
        expect(refused.status == 507 && refused.body.contains("nothing was changed"))
        expect(!refused.body.contains("br_"))
        let list = try relay.call("GET", "/devices", token: relay.owner).body
        expect(!list.contains("knob"), "\(list)")
        try clear()
        let knob = try add(relay, "knob")
        try expect(relay.call("POST", "/log/water", "1", token: knob).status, is: 200)
    }
}
