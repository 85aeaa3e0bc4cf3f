import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// A start and what it says, and settings that change while it runs.
struct ServeTests {
    private let folder = TemporaryFolder()

    private func serve(
        _ arguments: [String] = [], environment: [String: String] = [:],
        terminal: Terminal? = nil
    ) throws -> Executable {
        try Executable(
            ["serve", "--data", folder.path] + arguments, environment: environment,
            terminal: terminal)
    }

    @Test func `nothing is created when the port is in use`() throws {
        let busy = try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0))
        let relay = try serve(["--listen", "\(busy.endpoint)"])
        expect(relay.line() == nil)
        expect(relay.wait(), is: 69)
        expect(relay.log.contains("--listen"))
        expect(!FileManager.default.fileExists(atPath: folder.path))
        // The first device is the next start's, which says its token.
        let next = try serve(["--listen", "127.0.0.1:0"])
        _ = next.line()
        try expect(require(next.line()).hasPrefix("Your first steps"))
        try expect(
            String(contentsOfFile: "\(folder.path)/first-steps", encoding: .utf8)
                .contains("br_"))
        expect(next.terminate(), is: 0)
    }

    @Test func `names the account, every address and a line that works elsewhere`() throws {
        let terminal = try Terminal()
        var account = ConnectedAccount(
            new: .personalToken("s3cret"), user: "alice", at: UnixTime(0))
        account.isVerified = true
        try folder.make()
        expect(RelayStore(folder: folder.path).save(account, .silent))
        let relay = try serve(
            ["--listen", "0.0.0.0:0", "--beeminder-url", "http://127.0.0.1:9"],
            terminal: terminal)
        try terminal.closeProgramEnd()
        var lines: [String] = []
        while let line = terminal.line() {
            lines.append(line)
            if line.contains("█") { break }
        }
        let text = lines.joined(separator: "\n")
        expect(text.contains("account     as alice"))
        expect(text.contains("version     \(Version.number)"))
        expect(text.contains("data        \(folder.path)"))
        expect(text.contains(".local:"))
        expect(!text.contains("0.0.0.0"))
        let addresses = LocalAddresses.reachable.filter { $0.bytes.count == 4 }
        for address in addresses { expect(text.contains("address     http://\(address):")) }
        if let first = addresses.first {
            expect(text.contains("  http://\(first):"))
            expect(text.contains("-d '+1' http://\(first):"))
        }
        relay.send(SIGTERM)
        while terminal.line() != nil {}
        expect(relay.wait(), is: 0)
    }

    @Test func `SIGHUP rereads the settings and ends nothing`() throws {
        let config = URL(fileURLWithPath: "\(folder.path)/config.json")
        try folder.make()
        try Data(#"{"logLevel": "error", "rateLimit": 7}"#.utf8).write(to: config)
        let relay = try serve(["--listen", "127.0.0.1:0"])
        _ = relay.line()
        func settings() throws -> [[Substring]] {
            try Executable.run(["status", "--settings", "--data", folder.path]).output
                .split(separator: "\n").map { $0.split(separator: " ") }
        }
        func waitFor(_ words: String) throws {
            try waitUntil("the log says: \(words)") { relay.log.contains(words) }
        }
        try expect(settings().contains(["log-level", "error", "config.json"]))
        try expect(settings().contains(["rate-limit", "7", "config.json"]))
        let changed = #"{"logLevel": "info", "logFormat": "json", "maxConnections": 9}"#
        try Data(changed.utf8).write(to: config)
        relay.send(SIGHUP)
        try waitFor("restart the relay to change these settings")
        expect(relay.log.contains(#""settings":"max-connections""#))
        try expect(settings().contains(["rate-limit", "50", "default"]))
        try expect(settings().contains(["max-connections", "1024", "default"]))
        try Data(#"{"logLevl": "info", "rateLimit": "x"}"#.utf8).write(to: config)
        relay.send(SIGHUP)
        try waitFor("the settings stay as they were")
        expect(relay.log.contains("did you mean 'logLevel'?"))
        try expect(settings().contains(["log-format", "json", "config.json"]))
        expect(relay.terminate(), is: 0)
        let next = try serve()
        expect(next.wait(), is: 78)
        for word in ["'logLevl'", "rateLimit 'x'"] { expect(next.log.contains(word)) }
    }

    @Test func `each accepted press is a line, under the request id of its answer`() throws {
        let added = try Executable.run(["device", "add", "esp", "--data", folder.path]).output
        let relay = try serve(
            ["--listen", "127.0.0.1:0", "--beeminder-url", "http://127.0.0.1:9"],
            environment: ["BEEMINDER_AUTH_TOKEN": "x", "TZ": "UTC-2"])
        let client = Client(try Executable.endpoint(relay.line()))
        client.send(
            """
            POST /log/water?token=\(added)&comment=private HTTP/1.1\r
            Host: 127.0.0.1\r
            Content-Length: 0\r
            \r

            """)
        let answer = try require(client.answer()?.components(separatedBy: "\r\n\r\n").last)
        let id = try require(try members(answer)["requestid"] as? String)
        // The line is written behind the answer, and before the next request is read.
        let shown = try Executable.run(["events", "show", id, "--data", folder.path]).output
        expect(shown.contains("request id  \(id)"))
        expect(relay.log.contains("msg=accepted requestid=\(id) goal=water value=1"))
        expect(relay.log.contains("+02:00 level=info msg=accepted"))
        expect(!relay.log.contains("private") && !relay.log.contains("br_"))
        expect(relay.terminate(), is: 0)
    }
}
