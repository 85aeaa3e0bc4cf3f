import Foundation
import Testing

@testable import RelayCommands
@testable import RelayTrunk

/// The files of `service install`. `make units` has systemd itself read its units.
struct UnitsTests {
    private let odd = Units(
        program: "/opt/R&D <1>/beemed-relay", arguments: ["--data", "/srv/a b/100% $x\"y"],
        isOfMachine: false, home: "/Users/alice")

    @Test func `launchd's property list is whole, whatever the paths are`() throws {
        let read = unsafe try PropertyListSerialization.propertyList(
            from: Data(odd.launchd.utf8), format: nil)
        let list = try require(read as? [String: Any])
        expect(list["Label"] as? String, is: Units.label)
        expect(
            list["ProgramArguments"] as? [String],
            is: [
                "/opt/R&D <1>/beemed-relay", "serve", "--data", "/srv/a b/100% $x\"y",
            ])
        expect(list["RunAtLoad"] as? Bool, is: true)
        expect(list["KeepAlive"] as? [String: Bool], is: ["SuccessfulExit": false])
        expect(list["Umask"] as? Int, is: 0o077)
        let log = "/Library/Logs/beemed-relay.log"
        expect(list["StandardErrorPath"] as? String, is: "/Users/alice\(log)")
        let machine = Units(program: "/usr/local/bin/beemed-relay", isOfMachine: true)
        expect(machine.launchd.contains("<string>\(log)</string>"))
    }

    @Test func `systemd's command line is quoted, whatever the paths are`() throws {
        let line = try require(
            odd.systemd.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
        expect(
            line,
            is: #"ExecStart="/opt/R&D <1>/beemed-relay" serve --data "#
                + #""/srv/a b/100%% $$x\"y""#)
        for code in [ExitCode.usage, .tempFail, .noPermission, .config] {
            let rule = odd.systemd.firstMatch(of: /RestartPreventExitStatus=(.*)/)?.1 ?? ""
            expect(rule.split(separator: " ").contains("\(code.rawValue)"))
        }
    }
}
