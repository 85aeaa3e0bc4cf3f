import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// The data folder as people leave it, and copies of it.
struct FolderDamageTests {
    private let folder = TemporaryFolder()

    private func press(_ relay: RunningRelayProgram, _ ids: String...) throws {
        for id in ids {
            try expect(
                relay.call("POST", "/log", #"{"goal":"water","id":"\#(id)"}"#).status, is: 200)
        }
    }

    /// Leaves a folder in which these were pressed.
    private func use(_ folder: TemporaryFolder, _ ids: [String]) throws {
        let relay = try RunningRelayProgram(in: folder)
        for id in ids { try press(relay, id) }
        relay.stop()
    }

    private func alarms(_ relay: RunningRelayProgram) throws -> [String] {
        try members(relay.call("GET", "/healthz").body)["alarms"] as? [String] ?? []
    }

    private func known(_ path: String) throws -> [String] {
        try Recovery.replay(SystemDisk(dataFolder: path)).entries.map(\.event.key.id.description)
    }

    @Test(arguments: ["{", "", "[]", "\u{0}\u{1}"])
    func `damaged presets are set aside with an alarm, and presses go on`(
        _ contents: String
    ) throws {
        try RunningRelayProgram(in: folder).stop()
        let path = "\(folder.path)/presets.json"
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        let relay = try RunningRelayProgram(in: folder)
        try expect(alarms(relay).contains { $0.contains("presets.json is damaged") })
        try expect(relay.call("POST", "/log/water", token: relay.owner).status, is: 200)
        try expect(
            relay.call(
                "PUT", "/presets/glass", #"{"goal":"water","value":0.25}"#, token: relay.owner
            ).status, is: 200)
        relay.stop()
        let names = try FileManager.default.contentsOfDirectory(
            atPath: "\(folder.path)/quarantine")
        let kept = try require(names.first { $0.hasPrefix("presets.json-") })
        let bytes = try Data(
            contentsOf: URL(fileURLWithPath: "\(folder.path)/quarantine/\(kept)"))
        expect(bytes, is: Data(contents.utf8))
        let again = try RunningRelayProgram(in: folder)
        try expect(!alarms(again).contains { $0.contains("presets") })
        try expect(again.call("GET", "/presets", token: again.owner).body.contains("glass"))
    }

    @Test(arguments: ["presets.json", "presets.json.tmp", "devices.json.tmp", "journal/x.tmp"])
    func `a folder in the place of a file keeps no relay from starting`(_ name: String) throws {
        try use(folder, ["a"])
        try folder.make(name)
        let again = try RunningRelayProgram(in: folder)
        try press(again, "b")
        try expect(
            again.call(
                "PUT", "/presets/glass", #"{"goal":"water"}"#, token: again.owner
            ).status, is: 200)
        try expect(
            again.call("POST", "/devices", #"{"name":"d"}"#, token: again.owner).status < 300)
        again.stop()
        try expect(known(folder.path), is: ["a", "b"])
    }

    @Test func `a segment of another store is set aside, and verify names it`() throws {
        let other = TemporaryFolder()
        try use(other, ["x", "y"])
        try use(folder, ["a", "b"])
        try FileManager.default.copyItem(
            atPath: "\(other.path)/journal/00000001.jnl",
            toPath: "\(folder.path)/journal/00000007.jnl")
        let verified = try Executable.run(["journal", "verify", folder.path])
        expect(verified.code, is: ExitCode.dataError.rawValue)
        expect(verified.output.contains("segment 7 belongs to another store"))
        let again = try RunningRelayProgram(in: folder)
        try expect(alarms(again).contains { $0.contains("segment 7 belongs to another store") })
        again.stop()
        try expect(known(folder.path), is: ["a", "b"])
        try expect(Executable.run(["journal", "verify", folder.path]).code, is: 0)
    }

    // MARK: Copies

    @Test(arguments: [true, false])
    func `a backup holds all that was acknowledged, and starts`(_ isRunning: Bool) throws {
        let relay = try RunningRelayProgram(in: folder)
        try press(relay, "a", "b", "c")
        if !isRunning { relay.stop() }
        let copy = TemporaryFolder()
        let made = try Executable.run(["backup", copy.path, "--data", folder.path])
        expect(made.code, is: 0)
        expect(made.output.contains("3 events are pending, 0 delivered, 0 refused"))
        let real = try require(PrivateFile.realPath(folder.path))
        expect(made.output.contains("move all that is in \(real) to another place, and run: "))
        if isRunning { relay.stop() }
        for name in ["", "/devices.json", "/owner-token", "/journal"] {
            let mode = try FileManager.default.attributesOfItem(
                atPath: copy.path + name)[.posixPermissions]
            expect((mode as? Int ?? 0o777) & 0o077 == 0, "\(name)")
        }
        let restored = try RunningRelayProgram(in: copy)
        try expect(
            alarms(restored).allSatisfy { !$0.contains("missing") && !$0.contains("damage") })
        expect(restored.owner, is: relay.owner)
        restored.stop()
        try expect(known(copy.path), is: ["a", "b", "c"])
        try expect(Executable.run(["backup", copy.path, "--data", folder.path]).code, is: 64)
    }

    @Test(arguments: ["", "'s"])
    func `a backup is restored by the printed line, also into a folder that must stay`(
        _ end: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        try press(relay, "a", "b")
        relay.stop()
        let copy = TemporaryFolder()
        let place = copy.path + end
        defer { try? FileManager.default.removeItem(atPath: place) }
        let made = try Executable.run(["backup", place, "--data", folder.path])
        expect(made.code, is: 0)
        let line = try require(
            made.output.components(separatedBy: " and run: ").last
        ).trimmed
        let shell = try require(Tool("sh"))
        try expect(shell.run(["-c", line]).code != 0, "nothing is put among other files")
        // A volume of a container is emptied, and is its folder before and after.
        let files = FileManager.default
        func number() throws -> Int? {
            try files.attributesOfItem(atPath: folder.path)[.systemFileNumber] as? Int
        }
        let before = try number()
        for name in try files.contentsOfDirectory(atPath: folder.path) {
            try files.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try folder.make("lost+found")
        let restored = try shell.run(["-c", line])
        expect(restored.code, is: 0, "\(restored.output)")
        try expect(number(), is: before)
        try expect(known(folder.path), is: ["a", "b"])
        let again = try RunningRelayProgram(in: folder)
        expect(again.owner, is: relay.owner)
    }

    @Test func `a backup is not made in the data folder, whatever it is called there`() throws {
        try use(folder, ["a"])
        let other = TemporaryFolder()
        try other.make()
        try FileManager.default.createSymbolicLink(
            atPath: "\(other.path)/link", withDestinationPath: folder.path)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = URL(fileURLWithPath: folder.path).lastPathComponent
        let places = [
            "\(folder.path)/copy", "\(folder.path)/journal/copy/", folder.path,
            "\(other.path)/link/copy", "\(other.path)/link/../\(name)/copy",
        ]
        for place in places {
            let line = ["backup", place, "--data", "\(other.path)/link"]
            let done = try Executable.run(line, input: "")
            expect(done.code == 64 && done.output.isEmpty, "\(place)")
            expect(done.complaint.contains("name a place elsewhere"), "\(done.complaint)")
        }
        try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), is: before)
        // A neighbour whose name begins alike is another place.
        let beside = "\(folder.path)-copy"
        defer { try? FileManager.default.removeItem(atPath: beside) }
        try expect(Executable.run(["backup", beside, "--data", folder.path]).code, is: 0)
    }

    /// A running relay removes files that the backup has listed already.
    @Test func `a backup goes on when a listed file is removed meanwhile`() throws {
        try use(folder, ["a"])
        try folder.make("health")
        let hand = RemovingHand("\(folder.path)/health")
        defer { hand.stop() }
        for _ in 0..<10 {
            let copy = TemporaryFolder()
            #expect(throws: Never.self) { try Backup(of: folder.path, to: copy.path).make() }
        }
    }

    @Test func `a backup tells of damage in the history`() throws {
        try use(folder, ["a"])
        let history = "\(folder.path)/history"
        let file = URL(fileURLWithPath: "\(history)/00000001.jnl")
        try Data("no line of a journal\n".utf8).write(to: file)
        let copy = TemporaryFolder()
        let made = try Executable.run(["backup", copy.path, "--data", folder.path])
        expect(made.code, is: ExitCode.dataError.rawValue, "\(made.output)")
        expect(made.output.contains("history/00000001.jnl: 21 bytes are damaged"))
    }
}

/// Makes and removes files in a folder until it is stopped.
private final class RemovingHand: Sendable {
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ folder: String) {
        Thread { [self] in
            while !isOver.load(ordering: .relaxed) {
                for name in 0..<40 { try? PrivateFile.write([0x7B], to: "\(folder)/\(name)") }
                for name in 0..<40 { try? PrivateFile.remove("\(folder)/\(name)") }
            }
            ended.signal()
        }.start()
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        expect(ended.awaitSignal(), "the other hand has not stopped")
    }
}
