import Foundation
import Testing

@testable import BeeminderSimulator

/// `press.sh` beside another run of itself, and what it tells to whom.
struct ShellRecipeTests {
    private let folder = TemporaryFolder()
    private static let isShellWanted = Tool.isWanted("sh", "curl")

    /// - Parameter curl: lines that run before each call of curl.
    private func press(
        _ relay: RunningRelayProgram, _ arguments: String..., curl: String = ""
    ) throws -> (code: Int32, output: String) {
        let tools = folder.path + "/tools"
        let files = FileManager.default
        try files.createDirectory(atPath: tools, withIntermediateDirectories: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let script = "#!/bin/sh\n\(curl)\nPATH='\(path)' exec curl \"$@\"\n"
        try script.write(toFile: tools + "/curl", atomically: true, encoding: .utf8)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tools + "/curl")
        return try require(Tool("sh")).run(
            [SourceTree.root + "/recipes/press.sh"] + arguments,
            environment: [
                "RELAY_URL": "http://\(relay.endpoint)", "RELAY_TOKEN": relay.token,
                "PRESS_DIR": folder.path + "/presses", "XDG_CONFIG_HOME": folder.path,
                "PATH": "\(tools):\(path)",
            ])
    }

    private func files(_ place: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/presses" + place)
            .sorted()
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `a press that another run sends meanwhile is sent whole, and counts once`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        // Without flock the other run may remove the file at any moment.
        let result = try press(
            relay, "water", "0.5", curl: "rm -f '\(folder.path)'/presses/sh-*")
        expect(result.code, is: 0, "\(result)")
        try expect(files(""), is: ["new"])
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [0.5])
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `the token is no argument that others on the machine can read`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        let seen = folder.path + "/arguments"
        try expect(press(relay, "water", curl: "echo \"$*\" >'\(seen)'").code, is: 0)
        let arguments = try String(contentsOfFile: seen, encoding: .utf8)
        expect(arguments.contains("/log") && !arguments.contains(relay.token))
        try expect(files("/new"), is: ["lock"], "the file with the token goes")
    }
}
