import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// The real program, killed for real.
@Suite(.serialized) struct ProgramTests {
    private let folder = TemporaryFolder()
    private let environment = ["BEEMINDER_AUTH_TOKEN": RunningBeeminder.token]

    private func serve(_ beeminder: String) throws -> (Executable, Endpoint) {
        let program = try Executable.relay(
            on: folder, beeminder: beeminder, token: RunningBeeminder.token)
        return (program, try Executable.endpoint(program.line()))
    }

    private func addDevice(_ name: String) throws -> String {
        let added = try Executable.run(["device", "add", name, "--data", folder.path])
        expect(added.code, is: 0)
        expect(added.output.hasPrefix("br_"))
        return added.output
    }

    private func log(_ client: Client, _ goal: String, _ token: String, _ body: String) -> String {
        client.send(
            """
            POST /log/\(goal) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(token)\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
        return client.answer() ?? "no answer"
    }

    @Test func `keeps fifty presses through an outage and a kill, each once`() async throws {
        let token = try addDevice("esp32")
        // Nobody is there. A port that was ours a moment ago might be somebody else's by now.
        let (killed, endpoint) = try serve("http://127.0.0.1:9")
        let client = Client(endpoint)
        let start = Int(Date().timeIntervalSince1970) - 30 * 86_400
        for index in 0..<50 {
            let goal = index % 2 == 0 ? "water" : "pushups"
            let body =
                #"{"id":"p\#(index)","value":\#(index),"timestamp":\#(start + index)}"#
            expect(log(client, goal, token, body).hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
        killed.send(SIGKILL)
        expect(killed.wait(), is: -SIGKILL)

        let beeminder = try RunningBeeminder()
        let (restarted, _) = try serve(beeminder.base)
        await expect(beeminder.awaitPosted(50, to: ["water", "pushups"]))
        for (goal, first) in [("water", 0), ("pushups", 1)] {
            let posted = await beeminder.posted(to: goal)
            let indexes = Array(stride(from: first, to: 50, by: 2))
            let device = try folder.identity(of: "esp32")
            expect(posted.map(\.requestID), is: indexes.map { "\(device).p\($0)" })
            expect(posted.map(\.value), is: indexes.map(Double.init))
            expect(posted.map(\.timestamp), is: indexes.map { start + $0 })
        }
        expect(restarted.terminate(), is: 0)
    }

    @Test func `lets only one process have the folder`() throws {
        let (first, endpoint) = try serve("http://127.0.0.1:9")
        let second = try Executable.run(
            ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"], environment: environment)
        expect(second.code, is: 75)
        let token = try addDevice("late")  // Through the running relay.
        let client = Client(endpoint)
        expect(log(client, "water", token, "+1").hasPrefix("HTTP/1.1 200"))
        expect(first.terminate(), is: 0)
    }

    @Test func `shuts a device out, whether a relay runs or not`() throws {
        let first = try addDevice("esp32")
        let verbs = ["list", "rotate esp32", "remove esp32"]
        func run(_ verb: String) throws -> (code: Int32, output: String) {
            try Executable.run(
                ["device"] + verb.split(separator: " ").map(String.init)
                    + ["--data", folder.path])
        }
        let line = "\nesp32   log,read  all    +1           "
        try expect(
            run(verbs[0]).output,
            is: "DEVICE  RIGHTS    GOALS  EMPTY PRESS  LAST SEEN\(line)never")
        let second = try run(verbs[1]).output
        let (relay, endpoint) = try serve("http://127.0.0.1:9")
        let client = Client(endpoint)
        expect(log(client, "water", first, "1").hasPrefix("HTTP/1.1 401"))
        expect(log(client, "water", second, "1").hasPrefix("HTTP/1.1 200"))
        try expect(run(verbs[0]).output.contains("\(line)20"))
        let third = try run(verbs[1]).output
        expect(log(client, "water", second, "1").hasPrefix("HTTP/1.1 401"))
        expect(log(client, "water", third, "1").hasPrefix("HTTP/1.1 200"))
        try expect(run(verbs[2]).code, is: 0)
        expect(log(client, "water", third, "1").hasPrefix("HTTP/1.1 401"))
        try expect(run(verbs[2]).code != 0, "there is none any more")
        expect(relay.terminate(), is: 0)
        try expect(run(verbs[0]).output, is: "")
    }

    @Test func `tells what a journal holds without touching it`() throws {
        let token = try addDevice("esp32")
        let (relay, endpoint) = try serve("http://127.0.0.1:9")
        expect(log(Client(endpoint), "water", token, "1").hasPrefix("HTTP/1.1 200"))
        relay.send(SIGKILL)
        _ = relay.wait()
        let path = folder.path + "/journal/00000001.jnl"
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let sound = try Executable.run(["journal", "verify", folder.path])
        expect(sound.code, is: 0)
        expect(sound.output.contains("1 events are pending"))
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), is: before)
        var damaged = before
        damaged[damaged.count - 40] ^= 1
        damaged += before.suffix(400)
        try damaged.write(to: URL(fileURLWithPath: path))
        let unsound = try Executable.run(["journal", "verify", folder.path])
        expect(unsound.code, is: ExitCode.dataError.rawValue)
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), is: damaged)
        try FileManager.default.removeItem(atPath: "\(folder.path)/quarantine")
        try FileManager.default.removeItem(atPath: path)
        let emptied = try Executable.run(["journal", "verify", folder.path])
        expect(emptied.code, is: ExitCode.dataError.rawValue)
        expect(emptied.output.contains("has been used"))
        let (anew, _) = try serve("http://127.0.0.1:9")
        expect(anew.terminate(), is: 0)
        try expect(Executable.run(["journal", "verify", folder.path]).code, is: 0)
        try expect(Executable.run(["journal", "verify", "/nowhere"]).code, is: 66)
    }
}
