import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// `connect` without an option, as the README and health advise.
struct ConnectTests {
    private let folder = TemporaryFolder()

    private func connect(
        _ base: String, _ options: [String] = [], input: String = RunningBeeminder.token + "\n"
    ) throws -> (code: Int32, output: String, complaint: String) {
        try Executable.run(
            ["connect", "--data", folder.path, "--beeminder-url", base] + options, input: input)
    }

    @Test func `reads the token from standard input, and calls it connected if it is`() throws {
        let beeminder = try RunningBeeminder()
        let done = try connect(beeminder.base)
        expect(done.code == 0 && done.output.hasPrefix("Connected as alice"), "\(done)")
        let none = try connect(beeminder.base, input: "")
        expect(none.code == 64 && none.complaint.contains("auth_token.json"), "\(none)")
        try expect(connect(beeminder.base, input: "wrong\n").code, is: 77)
        let away = try connect("http://127.0.0.1:9")
        expect(away.code, is: 0)
        expect(away.output.hasPrefix("Saved; not verified yet"))
        let both = try connect(beeminder.base, ["--auth-token", "-", "--access-token", "-"])
        expect(both.code == 64 && both.complaint.contains("exclude each other"))
    }

    /// A relay that is started meanwhile must find the folder free.
    @Test func `waits for Beeminder before the folder is locked`() throws {
        let socket = try LoopbackSocket(backlog: 1)
        defer { close(socket.descriptor) }
        try folder.make()
        let command = try Executable(
            [
                "connect", "--data", folder.path, "--beeminder-url",
                "http://127.0.0.1:\(socket.port)",
            ], input: "token\n")
        let connection = accept(socket.descriptor, nil, nil)
        expect(connection >= 0)
        let locked = try RelayFolder(folder.path)
        locked.folder.release()
        close(connection)
        expect(command.wait(), is: 0)
    }

    @Test func `asks at a terminal, and does not show the answer`() throws {
        let beeminder = try RunningBeeminder()
        let terminal = try Terminal()
        let command = try Executable(
            ["connect", "--data", folder.path, "--beeminder-url", beeminder.base],
            keyboard: terminal)
        // The question comes after the echo is off.
        try waitUntil("the token is asked for") { command.log.contains("auth_token.json): ") }
        terminal.type(RunningBeeminder.token + "\n")
        try expect(require(command.line()).contains("Connected as alice"))
        expect(command.wait(), is: 0)
        try terminal.closeProgramEnd()
        var shown = ""
        while let line = terminal.line() { shown += line }
        expect(!shown.contains(RunningBeeminder.token))
    }
}
