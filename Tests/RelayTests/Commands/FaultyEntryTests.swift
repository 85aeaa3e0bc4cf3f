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

    private func copyNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/quarantine")
    }

    private func copies() throws -> [String] {
        try copyNames().map { name in
            String(
                decoding: try Data(
                    contentsOf: URL(fileURLWithPath: "\(folder.path)/quarantine/\(name)")),
                as: UTF8.self)
        }
    }

    /// Entries that cannot be read, or that no request could make, and one that is good, for each
    /// file.
    private static let rows: [(file: String, path: String, contents: String, alarms: [String])] = [
        (
            "presets.json", "/presets",
            #"{"presets":{"good":{"goal":"water"},"a":{"goal":"water","value":"0.25"},"b":7,"#
                + #""c":{"value":1}}}"#,
            [
                "the preset 'a' is left out: 'value' has a value of another kind",
                "the preset 'b' is left out: it has another form",
                "the preset 'c' is left out: 'goal' is missing",
            ]
        ),
        (
            "rules.json", "/rules",
            #"{"rules":{"good":{"goal":"water","metric":"steps"},"a":{"goal":"water"},"#
                + #""b":{"goal":"water","metric":["x"]}}}"#,
            [
                "the rule 'a' is left out: 'metric' is missing",
                "the rule 'b' is left out: 'metric' has a value of another kind",
            ]
        ),
        (
            "reminders.json", "/reminders",
            #"{"goals":{"good":3,"a":"x"},"snoozes":{"c":"y"},"#
                + #""services":[{"SECRET":7},"http://127.0.0.1:9/good"]}"#,
            [
                "address 1 of 'services' is left out",
                "the lead of 'a' is left out", "the snooze of 'c' is left out",
            ]
        ),
        (
            "presets.json", "/presets",
            #"{"presets":{"good":{"goal":"water"},"a":{"goal":"water","mergeSeconds":-5},"#
                + #""b":{"goal":"water","minimumInterval":100000000000000000},"#
                + #""c":{"goal":"water","value":1e300},"d":{"goal":"a b"},"#
                + #""e f":{"goal":"water"}}}"#,
            [
                "the preset 'a' is left out: 'mergeSeconds'", "'b' is left out: 'minimumInterval'",
                "'c' is left out: 'value'", "'d' is left out: 'goal'", "'e f' is left out: name a",
            ]
        ),
        (
            "rules.json", "/rules",
            #"{"rules":{"good":{"goal":"water","metric":"steps","unit":"km"},"#
                + #""a":{"goal":"a b","metric":"x"},"b":{"goal":"water","metric":"-"},"#
                + #""c":{"goal":"water","metric":"x","unit":"ells"},"#
                + #""e f":{"goal":"water","metric":"x"}}}"#,
            [
                "the rule 'a' is left out: 'goal'", "'b' is left out: 'metric'",
                "'c' is left out: 'ells'", "'e f' is left out: name a",
            ]
        ),
        (
            "reminders.json", "/reminders",
            #"{"goals":{"good":3,"a b":4},"snoozes":{},"#
                + #""services":["SECRET","http://127.0.0.1:9/good"]}"#,
            ["address 1 of 'services' is left out", "the lead of 'a b' is left out"]
        ),
    ]

    @Test(arguments: rows)
    func `an entry that cannot be read costs no other one, and the file is copied`(
        _ row: (file: String, path: String, contents: String, alarms: [String])
    ) throws {
        let file = try write(row.contents, to: row.file)
        let relay = try RunningRelayProgram(in: folder)
        let all = try members(relay.call("GET", "/healthz").body)["alarms"] as? [String] ?? []
        let alarms = all.filter { $0.hasPrefix(row.file) }
        expect(alarms.count, is: row.alarms.count, "\(alarms)")
        for words in row.alarms {
            expect(
                alarms.contains { $0.contains(words) && $0.contains("correct it there") },
                "\(words): \(alarms)")
        }
        expect(!alarms.contains { $0.contains("SECRET") })
        let list = try relay.call("GET", row.path, token: relay.owner).body
        expect(list.contains("good") && !list.contains("a b") && !list.contains("e f"))
        try expect(relay.call("GET", "\(row.path)/a", token: relay.owner).status, is: 404)
        relay.stop()
        try expect(Data(contentsOf: file), is: Data(row.contents.utf8))
        try RunningRelayProgram(in: folder).stop()
        // One copy, however often the relay starts.
        try expect(copies(), is: [row.contents])
        let name = try require(copyNames().first)
        expect(alarms.allSatisfy { $0.contains("copied as quarantine/\(name)") }, "\(alarms)")
    }

    @Test func `the name of a preset that is left out is no goal's while the relay runs`() throws {
        let contents =
            #"{"presets":{"water":{"goal":"tea","value":1e300},"b":{"goal":"a b"},"#
            + #""milk":{"goal":"tea","value":"x","note":[1.5,null,true]}}}"#
        let file = try write(contents, to: "presets.json")
        let relay = try RunningRelayProgram(in: folder)
        for name in ["glass", "cup"] {
            for (name, words) in [
                ("water", "'value' must be"), ("milk", "'value' has a value of another kind"),
            ] {
                let answer = try relay.call("POST", "/log/\(name)", token: relay.owner)
                expect(answer.status, is: 422, "\(name)")
                expect(answer.body.contains("presets.json") && answer.body.contains(words))
            }
            let change = try relay.call(
                "PUT", "/presets/\(name)", #"{"goal":"water"}"#, token: relay.owner)
            expect(change.status, is: 200)
        }
        // Set anew, or removed, the name has a meaning again.
        let tea = #"{"goal":"tea"}"#
        try expect(relay.call("PUT", "/presets/water", tea, token: relay.owner).status, is: 200)
        let press = try relay.call("POST", "/log/water", token: relay.owner)
        expect(press.status == 200 && press.body.contains("tea"))
        for name in ["b", "milk"] {
            let removal = try relay.call("DELETE", "/presets/\(name)", token: relay.owner)
            expect(removal.status, is: 200)
            try expect(relay.call("POST", "/log/\(name)", token: relay.owner).status, is: 200)
        }
        relay.stop()
        let saved = try members(String(decoding: Data(contentsOf: file), as: UTF8.self))
        let presets = try require(saved["presets"] as? [String: Any])
        expect(presets.keys.sorted(), is: ["cup", "glass", "water"])
        try expect(copies(), is: [contents])
    }

    @Test func `reminders that are left out are in the copy when the settings change`() throws {
        let contents =
            #"{"goals":{"a b":4,"a":"x","c":5},"snoozes":{"c d":99999999999},"#
            + #""services":["SECRET",7]}"#
        let file = try write(contents, to: "reminders.json")
        let relay = try RunningRelayProgram(in: folder)
        let added = try relay.call(
            "POST", "/reminders/services", #"{"url":"http://127.0.0.1:9/good"}"#,
            token: relay.owner)
        expect(added.status, is: 200, "\(added.body)")
        relay.stop()
        let saved = try members(String(decoding: Data(contentsOf: file), as: UTF8.self))
        let expected = try members(
            #"{"goals":{"c":5},"snoozes":{},"services":["http://127.0.0.1:9/good"]}"#)
        expect(saved, is: expected)
        try expect(copies(), is: [contents])
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
