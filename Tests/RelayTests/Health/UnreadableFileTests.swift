import BeemedDomain
import Foundation
import Testing

@testable import RelayHealth
@testable import RelayTrunk

/// A file that cannot be read is not one that is missing: nothing is put in its place.
struct UnreadableFileTests {
    private let folder = TemporaryFolder()

    /// Puts a link in the place of a file or folder, which the relay does not follow.
    private func hide(_ name: String) throws {
        let (path, place) = ("\(folder.path)/\(name)", "\(folder.path)/hidden")
        let files = FileManager.default
        if files.fileExists(atPath: path) {
            try files.moveItem(atPath: path, toPath: place)
        } else {
            try Data().write(to: URL(fileURLWithPath: place))
        }
        try files.createSymbolicLink(atPath: path, withDestinationPath: place)
    }

    private func isHidden(_ name: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/\(name)"))
            != nil
    }

    @Test(arguments: [
        "owner-token", "devices.json", "presets.json", "rules.json", "reminders.json", "moved-to",
        "history", "quarantine",
    ])
    func `a start is refused, and changes nothing`(_ name: String) throws {
        let added = try Executable.run(["device", "add", "esp32", "--data", folder.path])
        expect(added.code, is: 0)
        try hide(name)
        let served = try Executable.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"])
        expect(served.code, is: ExitCode.ioError.rawValue, "\(served.output)")
        expect(isHidden(name))
    }

    @Test(arguments: ["owner-token", "devices.json", "presets.json"])
    func `a start with a pipe in the place of a file is refused in words`(_ name: String) throws {
        let added = try Executable.run(["device", "add", "esp32", "--data", folder.path])
        expect(added.code, is: 0)
        let path = "\(folder.path)/\(name)"
        try? FileManager.default.removeItem(atPath: path)
        expect(unsafe mkfifo(path, 0o600), is: 0)
        let served = try Executable.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"], input: "")
        expect(served.code, is: ExitCode.ioError.rawValue, "\(served.output)")
        expect(served.complaint.contains("\(path)"), "\(served.complaint)")
        expect(served.complaint.contains("a pipe, a socket or a device"), "\(served.complaint)")
    }

    @Test func `a day keeps its samples`() throws {
        let rule = HealthRule(metric: "steps", goal: "walk")
        let (store, day) = (RelayStore(folder: folder.path), Daystamp(number: 20_370))
        let name = try require(RuleName("walk"))
        try folder.make()
        try store.save(SampleSet(for: rule), of: day, name)
        let file = "health/walk-\(day).json"
        try hide(file)
        #expect(throws: DiskError.self) { try store.samples(of: day, name, rule) }
        expect(isHidden(file))
    }
}
