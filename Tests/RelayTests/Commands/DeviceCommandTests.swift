import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// `device add` and `device import` with goals that the account does not have.
struct DeviceCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ words: [String], input: String = "") throws -> (
        code: Int32, output: String, complaint: String
    ) {
        try Executable.run(words + ["--data", folder.path], input: input)
    }

    /// Makes the folder of a relay that knows the demo's goals and has the preset `glass`.
    private func learnGoals(from beeminder: RunningBeeminder) throws {
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let body = #"{"goal":"water","value":0.25}"#
        try expect(relay.call("PUT", "/presets/glass", body, token: relay.owner).status, is: 200)
        relay.stop()
    }

    @Test(arguments: [
        ("log,read", "log", "-d '+1' http://192.0.2.7:8080/log/water")
    ])
    func `on a terminal a line tries what the token may do`(
        _ rights: String, _ name: String, _ end: String
    ) throws {
        let terminal = try Terminal()
        let command = try Executable(
            [
                "device", "add", name, "--can", rights, "--goal", "water", "--data", folder.path,
            ], environment: ["BEEMED_LISTEN": "192.0.2.7:8080"], terminal: terminal)
        try terminal.closeProgramEnd()
        expect(command.wait(), is: 0)
        let token = try require(terminal.line())
        let line = try require(command.log.split(separator: "\n").first { $0.contains("curl") })
        expect(line.contains("Bearer \(token)\"") && line.hasSuffix(end), "\(line)")
    }

    @Test(arguments: [true, false])
    func `a goal that the account does not have is warned of, and taken`(
        _ isRunning: Bool
    ) throws {
        let beeminder = try RunningBeeminder()
        try learnGoals(from: beeminder)
        let relay = isRunning ? try RunningRelayProgram(in: folder, beeminder) : nil
        defer { relay?.stop() }
        let done = try run(["device", "add", "kitchen", "--goals", "watr,pushups,zzzzzzzz,watr"])
        expect(done.code == 0 && done.output.hasPrefix("br_"))
        expect(
            done.complaint,
            is: """
                beemed-relay: 'kitchen' may log to 'watr', which is none of your goals; \
                did you mean 'water'?
                beemed-relay: 'kitchen' may log to 'zzzzzzzz', which is none of your goals
                beemed-relay: make that goal at Beeminder, or remove the device and add it again: \
                beemed-relay device remove kitchen

                """)
        let goal = try run(["device", "add", "esp", "--goal", "pushup"])
        expect(goal.code == 0 && goal.complaint.contains("did you mean 'pushups'?"))
        for words in [["--goals", "water,pushups,glass"], ["--goal", "glass"], []] {
            let name = "d\(words.count)\(words.first == "--goal")"
            try expect(run(["device", "add", name] + words).complaint, is: "", "\(words)")
        }
        let lines = try run(["device", "export", "kitchen"]).output
        try expect(run(["device", "remove", "kitchen"]).complaint, is: "")
        let taken = try run(["device", "import"], input: lines)
        expect(taken.output, is: "kitchen\tadded")
        expect(taken.complaint.contains("did you mean 'water'?"))
    }

    @Test func `nothing is said of goals before Beeminder has told them`() throws {
        let done = try run(["device", "add", "kitchen", "--goals", "watr", "--goal", "watr"])
        expect(done.code, is: 0)
        // A folder that is new is probably a mistyped one.
        expect(
            done.complaint, is: "beemed-relay: made the data folder \(folder.path), which is new\n")
        try expect(run(["device", "add", "esp", "--goals", "watr"]).complaint.isEmpty)
    }

    @Test(arguments: [
        (["--can", "log", "--can", "read"], "--can is given twice"),
        (["--goals", "a", "--goals", "b"], "--goals is given twice"),
        (["--goals", ""], "--goals names nothing"), (["--can", ","], "--can names nothing"),
    ])
    func `a token that would do other things than it seems is not made`(
        _ options: [String], _ words: String
    ) throws {
        let done = try run(["device", "add", "kitchen"] + options)
        expect(done.code == 64 && done.output.isEmpty)
        expect(done.complaint.contains(words), "\(done.complaint)")
    }

    @Test func `a name that is taken, and a device that is removed, are explained`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let added = try run(["device", "add", "kitchen"])
        let again = try run(["device", "add", "kitchen"])
        expect(again.code != 0)
        expect(
            again.complaint.contains(
                "there is a device 'kitchen' already; for another token: beemed-relay device "
                    + "rotate kitchen; for another device choose another name"))
        try expect(run(["device", "list"]).output.contains("  +1           never"))
        try expect(relay.call("POST", "/log/water", token: added.output).status, is: 200)
        let end =
            "Added again, it counts as another device: what it sends again counts again."
        try expect(
            run(["device", "remove", "kitchen"]).output,
            is: "kitchen is shut out; 1 press of it waits and is still delivered. \(end)")
        try expect(run(["device", "add", "esp", "--goal", "water"]).code, is: 0)
        try expect(run(["device", "list"]).output.contains("  +1 to water  "))
        try expect(run(["device", "remove", "esp"]).output, is: "esp is shut out. \(end)")
        relay.stop()
    }

    @Test func `the devices of a folder are listed alike while a relay runs and without one`()
        throws
    {
        let words = ["device", "add", "kitchen", "--goal", "water", "--expect", "1d", "--strict"]
        try expect(run(words).code, is: 0)
        func listed() throws -> NSArray? {
            try members(run(["device", "list", "--json"]).output)["devices"] as? NSArray
        }
        let saved = try require(try listed())
        expect(((saved.firstObject as? NSDictionary)?["expect"]) as? String, is: "1d")
        let relay = try RunningRelayProgram(in: folder)
        let kept = try require(try listed()).filter {
            ($0 as? NSDictionary)?["name"] as? String == "kitchen"
        }
        expect(kept as NSArray, is: saved)
        relay.stop()
    }

    @Test(arguments: ["owner", "import", "reminder", "health"])
    func `a reserved name is called reserved`(_ name: String) throws {
        let done = try run(["device", "add", name])
        expect(done.code == 64 && done.complaint.contains("'\(name)' is reserved"))
    }

    @Test func `commands at the same time keep what each has changed`() throws {
        let names = (1...6).map { "d\($0)" }
        let commands = try names.map {
            try Executable(["device", "add", $0, "--data", folder.path])
        }
        for command in commands { expect(command.wait(), is: 0, "\(command.log)") }
        let listed = try run(["device", "list"]).output.split(separator: "\n")
            .dropFirst().map { $0.prefix { $0 != " " } }
        expect(Set(listed), is: Set(names.map { Substring($0) }))
    }
}
