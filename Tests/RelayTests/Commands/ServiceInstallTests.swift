import Foundation
import Testing

@testable import RelayCommands
@testable import RelayTrunk

#if os(Linux)
    /// `service install` of a user, with a `systemctl` that does what the test says.
    struct ServiceInstallTests {
        private let folder = TemporaryFolder()
        private var unit: String {
            "\(folder.path)/config/systemd/user/beemed-relay.service"
        }

        /// - Parameter failing: the calls of `systemctl` that fail, as a pattern of the shell.
        /// - Returns: also the calls of `systemctl`, a line each.
        private func service(
            _ arguments: String..., failing: String = "-", environment: [String: String] = [:]
        ) throws -> (code: Int32, output: String, complaint: String, calls: [String]) {
            try folder.make()
            let calls = "\(folder.path)/calls"
            try Data().write(to: URL(fileURLWithPath: calls))
            let tool = "\(folder.path)/systemctl"
            try """
            #!/bin/sh
            echo "$*" >> '\(calls)'
            case "$*" in \(failing)) exit 1;; esac
            """.write(toFile: tool, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
            let done = try Executable.run(
                ["service"] + arguments,
                environment: [
                    "PATH": "\(folder.path):/usr/bin:/bin", "HOME": folder.path,
                    "XDG_CONFIG_HOME": "\(folder.path)/config",
                ].merging(environment) { $1 }, input: "")
            let called = try String(contentsOfFile: calls, encoding: .utf8)
                .split(separator: "\n").map(String.init)
            return (done.code, done.output, done.complaint, called)
        }

        @Test func `that fails at the start leaves no unit that is tried again`() throws {
            let failed = try service("install", "--user", failing: "*restart*")
            expect(failed.code, is: 69)
            expect(!FileManager.default.fileExists(atPath: unit))
            expect(
                failed.calls.suffix(2),
                is: [
                    "--user disable --now beemed-relay", "--user daemon-reload",
                ])
            expect(failed.complaint.contains("nothing is installed"))
            expect(failed.complaint.contains("journalctl --user -u beemed-relay"))
            expect(!failed.complaint.contains("without a session"))
        }

        @Test(arguments: [
            ["--data", "/x\nExecStartPre=/bin/sh"], ["--data", "/x\r\nUser=root"],
            ["--data", "/x\u{85}y"], ["--data", "/x\u{1B}[2J"],
        ])
        func `that is given a line break writes no unit`(_ given: [String]) throws {
            for print in [["--print"], []] {
                let done = try service(
                    "install", "--user", given[0], given[1], print.first ?? "--user")
                expect(done.code, is: 64, "\(done)")
                expect(done.complaint.contains("control character"), "\(done.complaint)")
                expect(!done.output.contains("ExecStartPre"))
                expect(!FileManager.default.fileExists(atPath: unit))
            }
        }

        @Test func `that finds no service manager names the other way`() throws {
            let failed = try service("install", "--user", failing: "*daemon-reload*")
            expect(failed.code, is: 69)
            expect(failed.complaint.contains("without a session of yours, use: sudo "))
            expect(!failed.complaint.contains("journalctl"))
            expect(!FileManager.default.fileExists(atPath: unit))
        }

        @Test func `has the full path of a data folder, and one that it may write to`() throws {
            let printed = try service("install", "--user", "--print", "--data", "some/where")
            let here = FileManager.default.currentDirectoryPath
            expect(printed.output.contains("serve --data \(here)/some/where"))
            let refused = try service("install", "--system", "--print", "--data", "/srv/beem")
            expect(refused.code, is: ExitCode.usage.rawValue)
        }

        @Test func `that fails where a unit was leaves the new one, and says so`() throws {
            try expect(service("install", "--user").code, is: 0)
            for failing in ["*restart*", "*daemon-reload*"] {
                let failed = try service(
                    "install", "--user", "--listen", "127.0.0.1:21651", failing: failing)
                expect(failed.code, is: 69)
                let text = try String(contentsOfFile: unit, encoding: .utf8)
                expect(text.contains("--listen 127.0.0.1:21651"))
                expect(failed.complaint.contains("installed, but did not start; run this again"))
                expect(!failed.complaint.contains("nothing is installed"))
                expect(!failed.calls.contains { $0.contains("disable") })
            }
        }

        @Test func `gives the service what this shell's environment says`() throws {
            let printed = try service(
                "install", "--user", "--print",
                environment: [
                    "BEEMED_LISTEN": "127.0.0.1:21652", "BEEMED_DATA": "\(folder.path)/data",
                ])
            expect(
                printed.output.contains(
                    "serve --data \(folder.path)/data --listen 127.0.0.1:21652"))
        }

        @Test func `state and removal need no valid settings`() throws {
            let wrong = ["BEEMED_LISTEN": "nowhere", "BEEMED_RATE_LIMIT": "fast"]
            try expect(service("install", "--user").code, is: 0)
            let status = try service(
                "status", "--user", failing: "*is-active*", environment: wrong)
            expect(status.code == 69 && status.output == "installed, not running")
            expect(status.complaint.contains("journalctl --user -u beemed-relay"))
            try expect(service("uninstall", "--user", environment: wrong).code, is: 0)
            expect(!FileManager.default.fileExists(atPath: unit))
        }
    }
#endif
