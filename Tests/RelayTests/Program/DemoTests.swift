import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay
@testable import RelayTrunk

/// The demo, as somebody tries it.
struct DemoTests {
    private let home = TemporaryFolder()
    private let data = TemporaryFolder()
    private var environment: [String: String] { ["HOME": home.path] }

    /// Starts one, and reads what it says up to the sign-in link.
    private func demo(_ arguments: [String] = []) throws -> (Executable, [String]) {
        let demo = try Executable(
            ["demo", "--listen", "127.0.0.1:0"] + arguments, environment: environment)
        var lines: [String] = []
        while let line = demo.line() {
            lines.append(line)
            if line.contains("/login?code=") { break }
        }
        return (demo, lines)
    }

    private func token(_ lines: [String]) throws -> String {
        let line = try require(lines.first { $0.contains("shown this once: ") })
        return try require(line.split(separator: " ").last.map(String.init))
    }

    @Test func `shows a first device with a line that works`() throws {
        let (demo, lines) = try demo()
        let line = try require(lines.first { $0.contains("curl") })
        let words = line.split(separator: " ").map(String.init)
        let token = try require(words.first { $0.hasPrefix("br_") }).dropLast()
        let url = try require(words.last).dropFirst("http://".count)
        let endpoint = try require(Endpoint(String(url.prefix { $0 != "/" })))
        let press = Client.call(endpoint, "POST", "/log/pushups", "+1", token: String(token))
        expect(press.status, is: 200)
        while let line = demo.line(), line != "simulator: pushups 1.0 created" {}
        expect(demo.terminate(), is: 0)
    }

    @Test func `is found by commands that name no folder`() throws {
        let (demo, lines) = try demo()
        let line = try require(lines.first { $0.hasPrefix("data ") })
        let folder = String(try require(line.split(separator: " ").last))
        let added = try Executable.run(["device", "add", "esp"], environment: environment)
        expect(added.code == 0 && added.output.hasPrefix("br_"))
        let link = try Executable.run(["owner-link"], environment: environment)
        expect(link.code == 0 && link.output.contains("/login?code="))
        let press = try Executable.run(["log", "pushups", "2"], environment: environment)
        expect(press.code == 0 && press.output.hasPrefix("pushups +2 "), "\(press.output)")
        let settings = try Executable.run(["status", "--settings"], environment: environment)
        expect(settings.output.contains(folder))
        demo.send(SIGHUP)
        expect(demo.wait(), is: 0)
        expect(!FileManager.default.fileExists(atPath: folder))
        try expect(Executable.run(["owner-link"], environment: environment).code, is: 69)
    }

    @Test func `is not taken for a relay that was used and is stopped`() throws {
        let (demo, _) = try demo()
        let used = ".local/share/beemed-relay"
        try home.make(used)
        try home.write("\(Token.random().text)\n", to: "\(used)/owner-token")
        let added = try Executable.run(["device", "add", "esp"], environment: environment)
        expect(added.code, is: 0)
        expect(FileManager.default.fileExists(atPath: "\(home.path)/\(used)/devices.json"))
        expect(demo.terminate(), is: 0)
    }

    @Test func `shows a token that works when it is started again on its folder`() throws {
        let (first, _) = try demo(["--data", data.path])
        expect(first.terminate(), is: 0)
        let (second, again) = try demo(["--data", data.path])
        let endpoint = try Executable.endpoint(again.first)
        expect(Client.call(endpoint, "GET", "/context", token: try token(again)).status, is: 200)
        expect(second.terminate(), is: 0)
    }

    @Test func `ends with the command for another link, which works as it stands`() throws {
        let (demo, _) = try demo()
        expect(demo.line(), is: "Another link, from another terminal:")
        let command = try require(demo.line()?.trimmed)
        expect(demo.line()?.hasSuffix("Ctrl-C here ends the demo."), is: true)
        let output = Pipe()
        let shell = try ChildProcess(
            "/bin/sh", ["-c", command], environment: ["PATH": "/nonexistent"], input: .nullDevice,
            output: output.fileHandleForWriting, errors: nil)
        try output.fileHandleForWriting.close()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        expect(String(decoding: printed, as: UTF8.self).contains("/login?code="))
        expect(shell.wait(), is: 0)
        demo.send(SIGINT)
        expect(demo.wait(), is: 0)
    }

    @Test func `names a program and a folder with blanks and quotes as one word each`() {
        let lines = DemoCommand.closing(program: "/it's here/beemed-relay", "/tmp/a b")
        expect(lines.contains("  '/it'\\''s here/beemed-relay' owner-link --data '/tmp/a b'\n"))
        expect(
            DemoCommand.closing(program: "beemed-relay", "/tmp/d-1").contains(
                "  beemed-relay owner-link --data /tmp/d-1\n"))
    }

    #if canImport(Glibc)
        /// A stand-in for xdg-open, which writes what it is asked to open into a file.
        private func browser() throws -> (path: String, opened: String) {
            let folder = home.path + "/tools"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let opened = home.path + "/opened"
            // A pipe, so that a reader waits for it.
            expect(unsafe mkfifo(opened, 0o600), is: 0)
            let script = "#!/bin/sh\necho \"$1\" > '\(opened)'\n"
            try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/xdg-open"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder + "/xdg-open")
            return ("\(folder):/usr/bin:/bin", opened)
        }

        @Test func `opens the page in the browser of a desktop, signed in`() throws {
            let (path, opened) = try browser()
            let terminal = try Terminal()
            let demo = try Executable(
                ["demo", "--listen", "127.0.0.1:0"],
                environment: ["HOME": home.path, "PATH": path, "DISPLAY": ":9"],
                terminal: terminal)
            var link = ""
            while let line = terminal.line(), !line.contains("Ctrl-C here ends the demo.") {
                if line.contains("/login?code=") { link = line.trimmed }
            }
            let file = try require(FileHandle(forReadingAtPath: opened))
            let address = String(decoding: file.readDataToEndOfFile(), as: UTF8.self).trimmed
            expect(address == link && link.hasPrefix("http://127.0.0.1:"))
            demo.send(SIGINT)
            expect(demo.wait(), is: 0)
        }

        @Test(arguments: [
            (false, ["DISPLAY": ":0"]), (true, [:]), (true, ["DISPLAY": ""]),
        ])
        func `opens nothing without a terminal or a display`(
            _ isTerminal: Bool, _ environment: [String: String]
        ) {
            expect(DemoCommand.showing("http://x/", isTerminal: isTerminal, environment) == nil)
        }
    #endif
}
