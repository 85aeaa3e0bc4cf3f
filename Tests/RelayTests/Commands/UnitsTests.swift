import Foundation
import Testing

@testable import RelayCommands
@testable import RelayTrunk

/// The files of `service install`. What systemd itself says of its unit, `make units` tries.
@Suite struct UnitsTests {
    private let odd = Units(
        program: "/opt/R&D <1>/beemed-relay", arguments: ["--data", "/srv/a b/100% $x\"y"],
        isOfMachine: false, home: "/Users/alice")

    @Test func `launchd's property list is whole, whatever the paths are`() throws {
        let read = unsafe try PropertyListSerialization.propertyList(
            from: Data(odd.launchd.utf8), format: nil)
        let list = try #require(read as? [String: Any])
        #expect(list["Label"] as? String == Units.label)
        #expect(
            list["ProgramArguments"] as? [String] == [
                "/opt/R&D <1>/beemed-relay", "serve", "--data", "/srv/a b/100% $x\"y",
            ])
        #expect(list["RunAtLoad"] as? Bool == true)
        #expect(list["KeepAlive"] as? [String: Bool] == ["SuccessfulExit": false])
        #expect(list["Umask"] as? Int == 0o077)
        let log = "/Library/Logs/beemed-relay.log"
        #expect(list["StandardErrorPath"] as? String == "/Users/alice\(log)")
        let machine = Units(program: "/usr/local/bin/beemed-relay", isOfMachine: true)
        #expect(machine.launchd.contains("<string>\(log)</string>"))
    }

    @Test func `systemd's command line is quoted, whatever the paths are`() throws {
        let line = try #require(
            odd.systemd.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        #expect(
            line == #"ExecStart="/opt/R&D <1>/beemed-relay" serve --data "#
                + #""/srv/a b/100%% $$x\"y""#)
        for code in [ExitCode.usage, .tempFail, .noPermission, .config] {
            let rule = odd.systemd.firstMatch(of: /RestartPreventExitStatus=(.*)/)?.1 ?? ""
            #expect(rule.split(separator: " ").contains("\(code.rawValue)"))
        }
    }

    /// A user's service, with a `systemctl` that does what the test says.
    private func service(
        _ arguments: String..., in folder: TemporaryFolder, systemctl: String
    ) throws -> (code: Int32, output: String) {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let tool = "\(folder.path)/systemctl"
        try "#!/bin/sh\n\(systemctl)\n".write(toFile: tool, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
        return try Executable.run(
            ["service"] + arguments,
            environment: [
                "PATH": "\(folder.path):/usr/bin:/bin", "XDG_CONFIG_HOME": "\(folder.path)/config",
                "HOME": folder.path,
            ])
    }

    #if os(Linux)
        @Test func `an install that fails leaves the unit that was there`() throws {
            let folder = TemporaryFolder()
            let file = "\(folder.path)/config/systemd/user/beemed-relay.service"
            let failing = "exit 1"
            #expect(try service("install", "--user", in: folder, systemctl: failing).code == 69)
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(try service("install", "--user", in: folder, systemctl: "exit 0").code == 0)
            let former = try String(contentsOfFile: file, encoding: .utf8)
            let failed = try service(
                "install", "--user", "--listen", "127.0.0.1:7001", in: folder, systemctl: failing)
            #expect(failed.code == 69)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == former)
        }

        @Test func `a unit has the full path of a data folder, and one that it may write to`()
            throws
        {
            let folder = TemporaryFolder()
            let printed = try service(
                "install", "--user", "--print", "--data", "some/where", in: folder,
                systemctl: "exit 0")
            let here = FileManager.default.currentDirectoryPath
            #expect(printed.output.contains("serve --data \(here)/some/where"))
            let refused = try service(
                "install", "--system", "--print", "--data", "/srv/beem", in: folder,
                systemctl: "exit 0")
            #expect(refused.code == ExitCode.usage.rawValue)
        }
    #endif
}
