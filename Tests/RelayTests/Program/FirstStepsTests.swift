import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Secrets stay where they belong: out of logs, out of proxies, out of others' sight.
@Suite(.serialized) struct FirstStepsTests {
    private let folder = TemporaryFolder()

    /// Starts the real program, whose standard output is a pipe, as under a service manager.
    ///
    /// - Returns: it, where it listens, and its second line, if it has one to say.
    private func serve(saysMore: Bool = true) throws -> (Executable, Endpoint, String) {
        let program = try Executable.relay(on: folder)
        let endpoint = try Executable.endpoint(program.line())
        return (program, endpoint, saysMore ? try require(program.line()) : "")
    }

    /// The rest of its output is the banner, which names no secret.
    private func expectBanner(_ lines: [String]) {
        let names = lines.map { $0.prefix { $0 != " " } }
        expect(Set(names), is: ["version", "data", "account", "address", "page", "docs"])
        expect(!lines.joined().contains("br_"))
    }

    private func stop(_ program: Executable) -> [String] {
        var lines: [String] = []
        while let line = program.line() {
            lines.append(line)
            if line.hasPrefix("docs ") { program.send(SIGTERM) }
        }
        expect(program.wait(), is: 0)
        return lines
    }

    private func status(_ endpoint: Endpoint, _ head: String) -> String {
        let client = Client(endpoint)
        client.send("\(head) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        return String((client.answer() ?? "HTTP/1.1 none").dropFirst(9).prefix(3))
    }

    private var file: String { "\(folder.path)/\(FirstSteps.file)" }

    private func word(_ text: String, after prefix: String) throws -> String {
        let start = try require(text.range(of: prefix)).upperBound
        return String(text[start...].prefix { !$0.isWhitespace && $0 != "\"" })
    }

    @Test func `a link and a token go into a file and not into a log`() throws {
        let (first, endpoint, line) = try serve()
        expect(line.contains(file))
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        expect(attributes[.posixPermissions] as? Int, is: 0o600)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let token = try word(text, after: "shown this once: ")
        expect(status(endpoint, "GET /context?token=\(token)"), is: "200")
        let path = try word(text, after: "/login?code=")
        expectBanner(stop(first))
        for words in [line, first.log] { expect(!words.contains("br_")) }
        // The next start has another link, and still the token that is nowhere else.
        let (second, other, _) = try serve()
        let later = try String(contentsOfFile: file, encoding: .utf8)
        expect(later.contains(token))
        let next = try word(later, after: "/login?code=")
        expect(next != path)
        expect(status(other, "GET /login?code=\(next)"), is: "200")
        expectBanner(stop(second))
        // Now somebody is signed in, and needs no link.
        let (third, _, _) = try serve(saysMore: false)
        expectBanner(stop(third))
        let last = try String(contentsOfFile: file, encoding: .utf8)
        expect(last.contains(token) && !last.contains("login"))
    }

    @Test func `on a terminal a link and a token are shown, and kept in no file`() throws {
        let terminal = try Terminal()
        let program = try Executable.relay(on: folder, terminal: terminal)
        try terminal.closeProgramEnd()
        var lines: [String] = []
        while let line = terminal.line() {
            lines.append(line)
            if line.contains("/login?code=") { break }
        }
        let text = lines.joined(separator: "\n")
        let endpoint = try Executable.endpoint(lines.first)
        let token = try word(text, after: "shown this once: ")
        expect(status(endpoint, "GET /context?token=\(token)"), is: "200")
        let code = try word(text, after: "/login?code=")
        expect(status(endpoint, "GET /login?code=\(code)"), is: "200")
        expect(!text.contains("\u{1B}"))
        expect(!FileManager.default.fileExists(atPath: file))
        expect(!program.log.contains("br_"))
        try expect(require(terminal.line()).contains("█"))
        program.send(SIGTERM)
        while terminal.line() != nil {}
        expect(program.wait(), is: 0)
    }

    @Test func `commands to the own relay go past every proxy`() throws {
        let proxy = try ScriptedBeeminder { _, _ in .says(200, "{}") }
        let (program, _, _) = try serve()
        let address = "http://\(proxy.endpoint)"
        var environment: [String: String] = [:]
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] {
            environment[name] = address
        }
        let commands = [
            ["device", "add", "kitchen"], ["device", "list"], ["owner-link"], ["status"],
            ["device", "remove", "kitchen"],
        ]
        for command in commands {
            let done = try Executable.run(
                command + ["--data", folder.path], environment: environment)
            expect([0, 69].contains(done.code), "\(command): \(done.output)")
            expect(done.code == 0 || command == ["status"])
        }
        expect(proxy.asked.isEmpty)
        expectBanner(stop(program))
    }

    @Test func `a folder that others may look into is an alarm`() throws {
        let relay = try RunningRelayProgram(in: folder)
        func alarms() throws -> [String] {
            let health = try members(try relay.call("GET", "/healthz", token: "-").body)
            let alarms = try require(health["alarms"] as? [String])
            return alarms.filter { $0.contains("chmod 700") }
        }
        for (mode, count) in [(0o700, 0), (0o755, 1), (0o750, 1), (0o704, 1), (0o700, 0)] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.path)
            try expect(alarms().count, is: count, "\(String(mode, radix: 8))")
        }
    }

    @Test(arguments: [0o722, 0o770, 0o702]) func `a folder that others may write to is refused`(
        _ mode: Int
    ) throws {
        try folder.make()
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.path)
        let done = try Executable.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"])
        expect(done.code, is: ExitCode.noPermission.rawValue)
        expect(done.output.isEmpty)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        expect(left.isEmpty)
    }
}
