import Foundation
import Testing

@testable import RelayTrunk

/// A write whose condition is false is not performed (RFC 9110 section 13.1).
struct ConditionTests {
    private let folder = TemporaryFolder()

    @Test func `a write is performed only if its condition holds`() throws {
        let relay = try RunningRelayProgram(in: folder)
        func status(_ method: String, _ path: String, _ body: String, _ field: String) throws -> Int
        {
            try relay.call(method, path, body, token: relay.owner, fields: [field]).status
        }
        let (water, tea) = (#"{"goal":"water"}"#, #"{"goal":"tea"}"#)
        // Made only if it is not there.
        try expect(status("PUT", "/presets/glass", water, "If-None-Match: *"), is: 200)
        try expect(status("PUT", "/presets/glass", tea, "If-None-Match: *"), is: 412)
        try expect(status("DELETE", "/presets/glass", "", #"If-Match: "1""#), is: 412)
        let preset = try relay.call("GET", "/presets/glass", token: relay.owner).body
        expect(preset.contains("water"))
        // Changed only if it is there.
        try expect(status("PUT", "/presets/cup", tea, "If-Match: *"), is: 412)
        try expect(status("PUT", "/presets/glass", tea, "If-Match: *"), is: 200)
        try expect(status("PUT", "/presets/glass", tea, #"If-None-Match: "1""#), is: 200)
        // A resource that can only be written to counts as not there.
        try expect(status("POST", "/log/water", "1", "If-Match: *"), is: 412)
        try expect(status("POST", "/log/water", "1", #"If-Match: "a", "b""#), is: 412)
        try expect(status("POST", "/log/water", "1", "If-None-Match: *"), is: 200)
        let device = #"{"name":"esp"}"#
        try expect(status("POST", "/devices", device, "If-None-Match: *"), is: 412)
        try expect(status("POST", "/devices", device, "If-Match: *"), is: 200)
        try expect(status("DELETE", "/devices/esp", "", "If-None-Match: *"), is: 412)
        try expect(status("PATCH", "/devices/esp", "{}", "If-None-Match: *"), is: 412)
        try expect(status("PATCH", "/devices/esp", "{}", #"If-Match: "1""#), is: 412)
        try expect(status("PATCH", "/devices/esp", "{}", "If-Match: *"), is: 200)
        // A GET that changes something is a write.
        try expect(status("GET", "/log/water/trigger", "", #"If-Match: "1""#), is: 412)
        try expect(status("GET", "/log/water/undo", "", "If-Match: *"), is: 412)
        // Reading has its own rules, and a client that may not write is told that first.
        try expect(status("GET", "/presets", "", #"If-Match: "1""#), is: 200)
        let stranger = try relay.call(
            "PUT", "/presets/glass", water, token: "-", fields: ["If-None-Match: *"])
        expect(stranger.status, is: 401)
        let events = try relay.call("GET", "/events", token: relay.owner).body
        try expect((members(events)["events"] as? [NSDictionary])?.count == 1)
    }
}
