import Foundation
import Testing

@testable import RelayTrunk

/// Entries of settings files that cannot be read as what they should be.
struct FaultyEntryTests {
    private let folder = TemporaryFolder()

    private func write(_ contents: String, to name: String) throws -> URL {
        try RunningRelayProgram(in: folder).stop()
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try Data(contents.utf8).write(to: file)
        return file
    }

    /// Entries that cannot be read, or that no request could make, and the words about the first.
    private static let rows: [(file: String, contents: String, words: String)] = [
        (
            "presets.json", #"{"presets":{"good":{"goal":"water"},"c":{"value":1}}}"#,
            "'presets.c.goal' is missing"
        ),
        (
            "presets.json", #"{"presets":{"a":{"goal":"water","value":"0.25"}}}"#,
            "'presets.a.value' has a value of another kind"
        ),
        (
            "presets.json", #"{"presets":{"b":7}}"#,
            "'presets.b' has a value of another kind"
        ),
        (
            "presets.json", #"{"presets":{"a":{"goal":"water","mergeSeconds":-5}}}"#,
            "the preset 'a': 'mergeSeconds' must be"
        ),
        ("presets.json", #"{"presets":{"d":{"goal":"a b"}}}"#, "the preset 'd': 'goal' must be"),
        ("presets.json", #"{"presets":{"e f":{"goal":"water"}}}"#, "the preset 'e f': name a"),
        ("presets.json", #"{"presets":"#, "it has another form"),
        ("pins.json", #"{"pins":["water"]}"#, "it has another form"),
        (
            "rules.json", #"{"rules":{"c":{"goal":"water","metric":"x","unit":"ells"}}}"#,
            "the rule 'c': "
        ),
        (
            "reminders.json", #"{"goals":{"walk":200},"snoozes":{},"services":[]}"#,
            "the hours of 'walk' must be up to 168"
        ),
        (
            "reminders.json",
            #"{"goals":{},"snoozes":{},"services":["http://127.0.0.1:9/good","SECRET"]}"#,
            "address 2 of 'services' is not a valid service"
        ),
    ]

    @Test(arguments: rows)
    func `a settings file with an entry that cannot be used is set aside whole, and says why`(
        _ row: (file: String, contents: String, words: String)
    ) throws {
        let file = try write(row.contents, to: row.file)
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        let all = try members(relay.call("GET", "/healthz").body)["alarms"] as? [String] ?? []
        let alarm = try require(all.first { $0.hasPrefix(row.file) })
        expect(alarm.contains(row.words) && !alarm.contains("SECRET"), "\(alarm)")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: "\(folder.path)/quarantine")
        let name = try require(names.first { alarm.contains("set aside as quarantine/\($0):") })
        let copy = URL(fileURLWithPath: "\(folder.path)/quarantine/\(name)")
        try expect(Data(contentsOf: copy), is: Data(row.contents.utf8))
        expect(!FileManager.default.fileExists(atPath: file.path))
        try expect(relay.call("POST", "/log/water", token: relay.owner).status, is: 200)
    }

    @Test func `a device that cannot be read is named when the start is refused`() throws {
        let device = #"{"name":"a","generation":"x7k2p1","can":[]}"#
        _ = try write(#"{"devices":[\#(device)]}"#, to: "devices.json")
        let served = try Executable.run(["serve", "--data", folder.path], input: "")
        expect(served.code, is: ExitCode.config.rawValue)
        expect(
            served.complaint.contains("('devices.1.tokenHash' is missing)"),
            "\(served.complaint)")
    }
}
