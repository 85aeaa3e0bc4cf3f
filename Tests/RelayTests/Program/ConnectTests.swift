import Foundation
import Testing

@testable import BeemedRelay

/// `connect` without an option, as the README and health advise.
@Suite(.timeLimit(.minutes(5))) struct ConnectTests {
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

    @Test func `asks at a terminal, and does not show the answer`() throws {
        let beeminder = try RunningBeeminder()
        let terminal = try Terminal()
        let command = try Executable(
            ["connect", "--data", folder.path, "--beeminder-url", beeminder.base],
            keyboard: terminal)
        // The question comes after the echo is off.
        while !command.log.contains("auth_token.json): ") {}
        terminal.type(RunningBeeminder.token + "\n")
        #expect(try #require(command.line()).contains("Connected as alice"))
        #expect(command.wait() == 0)
        try terminal.closeProgramEnd()
        var shown = ""
        while let line = terminal.line() { shown += line }
        #expect(!shown.contains(RunningBeeminder.token))
    }
}
