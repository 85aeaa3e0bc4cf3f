import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// `connect` without an option, as the README and health advise.
@Suite struct ConnectTests {
    private let folder = TemporaryFolder()

    @Test func `reads the token from standard input`() throws {
        let beeminder = try RunningBeeminder()
        let line = ["connect", "--data", folder.path, "--beeminder-url", beeminder.base]
        let done = try Executable.run(line, input: RunningBeeminder.token + "\n")
        #expect(done.code == 0)
        #expect(done.output.contains("Connected as alice"))
        let none = try Executable.run(line, input: "")
        #expect(none.code == 64)
        #expect(none.complaint.contains("auth_token.json"))
        #expect(try Executable.run(line, input: "wrong\n").code == 77)
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
        #expect(connection >= 0)
        let locked = try RelayFolder(folder.path)
        locked.folder.release()
        close(connection)
        #expect(command.wait() == 0)
    }

    @Test func `does not call a token connected that Beeminder was not asked about`() throws {
        let beeminder = try RunningBeeminder()
        func connect(_ base: String, _ options: [String] = []) throws -> (
            code: Int32, output: String, complaint: String
        ) {
            try Executable.run(
                ["connect", "--data", folder.path, "--beeminder-url", base] + options,
                input: RunningBeeminder.token + "\n")
        }
        #expect(try connect(beeminder.base).output.hasPrefix("Connected as alice"))
        let away = try connect("http://127.0.0.1:9")
        #expect(away.code == 0)
        #expect(away.output.hasPrefix("Saved; the token was known before, and was alice's"))
        let both = try connect(beeminder.base, ["--auth-token", "-", "--access-token", "-"])
        #expect(both.code == 64 && both.complaint.contains("exclude each other"))
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
        #expect(try #require(command.line()).contains("Connected as alice"))
        #expect(command.wait() == 0)
        try terminal.closeProgramEnd()
        var shown = ""
        while let line = terminal.line() { shown += line }
        #expect(!shown.contains(RunningBeeminder.token))
    }
}
