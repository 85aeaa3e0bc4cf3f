import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// The relay's steps before it ends.
struct StoppingTests {
    private let folder = TemporaryFolder()

    @Test func `sends what waits for other presses before it ends`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        // No presses are merged before the clock was compared with Beeminder's.
        try relay.awaitGoals()
        let preset = #"{"goal":"water","mergeSeconds":86400}"#
        try expect(relay.call("PUT", "/presets/glass", preset, token: relay.owner).status, is: 200)
        for id in ["1", "2", "3"] {
            try expect(relay.call("POST", "/log/glass", #"{"id":"\#(id)"}"#).status, is: 200)
        }
        try expect(members(try relay.call("GET", "/context").body)["queued"] as? Int, is: 3)
        await expect(beeminder.posted(to: "water").isEmpty)
        relay.stop()
        await expect(beeminder.posted(to: "water").map(\.value), is: [3])
    }

    @Test func `ends although nobody takes what waits for other presses`() throws {
        let silent = try SilentBeeminder()
        defer { silent.stop() }
        let relay = try RunningRelayProgram(in: folder, beeminder: silent.base)
        let preset = #"{"goal":"water","mergeSeconds":86400}"#
        try expect(relay.call("PUT", "/presets/glass", preset, token: relay.owner).status, is: 200)
        try expect(relay.call("POST", "/log/glass").status, is: 200)
        relay.stop()
        // It has closed its journal, with the press in it.
        let journal = "\(folder.path)/journal"
        let names = try FileManager.default.contentsOfDirectory(atPath: journal)
        let lines = try names.filter { $0.hasSuffix(".jnl") }
            .map { try String(contentsOfFile: "\(journal)/\($0)", encoding: .utf8) }.joined()
        expect(lines.contains(#"{"t":"put""#) && lines.contains(#"{"t":"close""#))
    }
}
