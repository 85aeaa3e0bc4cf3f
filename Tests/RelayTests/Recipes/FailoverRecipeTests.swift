import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// The recipes that know two relays (docs/more-than-one.md): the first one is away, in trouble, or
/// its answer is lost.
struct FailoverRecipeTests {
    private let folders = [TemporaryFolder(), TemporaryFolder()]
    private let presses = TemporaryFolder()
    private static let recipes = SourceTree.root + "/recipes"
    private static let nobody = "http://127.0.0.1:9"

    /// A device that both folders know, as the page tells to make one.
    ///
    /// - Returns: its token.
    private func pair() throws -> String {
        let added = try Executable.run(["device", "add", "button", "--data", folders[0].path])
        let exported = try Executable.run(["device", "export", "button", "--data", folders[0].path])
        let imported = try Executable.run(
            ["device", "import", "--data", folders[1].path], input: exported.output + "\n")
        try require(added.code == 0 && imported.code == 0)
        return added.output
    }

    // MARK: The shell

    private func press(
        _ urls: [String], _ token: String, _ arguments: [String] = ["water"]
    ) throws -> Int32 {
        try require(Tool("sh")).run(
            [FailoverRecipeTests.recipes + "/press.sh"] + arguments,
            environment: [
                "RELAY_URL": urls.joined(separator: " "), "RELAY_TOKEN": token,
                "PRESS_DIR": presses.path, "XDG_CONFIG_HOME": presses.path,
            ]
        ).code
    }

    private func waiting() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: presses.path)
            .filter { $0.hasPrefix("sh-") }
    }

    @Test(
        .enabled(if: Tool.isWanted("sh", "curl"), "curl is missing"),
        arguments: [503, 500, 401, nil] as [Int?])
    func `the shell goes on to the second relay`(_ status: Int?) async throws {
        let beeminder = try RunningBeeminder()
        let second = try RunningRelayProgram(in: folders[1], beeminder)
        defer { second.stop() }
        let first = try status.map { status in
            try ScriptedBeeminder { _, _ in .says(status, "{}") }
        }
        let url = first.map { "http://\($0.endpoint)" } ?? FailoverRecipeTests.nobody
        try expect(press([url, "http://\(second.endpoint)"], second.token), is: 0)
        try expect(waiting().isEmpty)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        expect(first.map { $0.asked.count } ?? 1, is: 1)
    }

    @Test(.enabled(if: Tool.isWanted("sh", "curl"), "curl is missing"))
    func `the shell asks the second one only when the first has not decided`() throws {
        let first = try ScriptedBeeminder { call, _ in
            call.body.contains("water")
                ? .says(200, #"{"ok":true}"#) : .says(422, #"{"code":"unusable_goal"}"#)
        }
        let second = try ScriptedBeeminder { _, _ in .says(200, #"{"ok":true}"#) }
        let urls = [first, second].map { "http://\($0.endpoint)" }
        try expect(press(urls, "br_x"), is: 0)
        try expect(press(urls, "br_x", ["nothing"]), is: 65)
        expect(first.asked.count == 2 && second.asked.isEmpty)
        try expect(press([FailoverRecipeTests.nobody, FailoverRecipeTests.nobody], "br_x"), is: 75)
        try expect(waiting().count, is: 1)
        try expect(press(urls.reversed(), "br_x", []), is: 0)
        expect(second.asked.count, is: 1)
    }

    @Test(.enabled(if: Tool.isWanted("sh", "curl"), "curl is missing"))
    func `a press that both relays took is one datapoint, of its time`() async throws {
        let token = try pair()
        let beeminder = try RunningBeeminder()
        let relays = try folders.map { try RunningRelayProgram(in: $0, beeminder) }
        try expect(press([FailoverRecipeTests.nobody], token), is: 75)
        let file = try "\(presses.path)/\(require(waiting().first))"
        // The first relay takes it, and its answer is lost.
        let body = try String(contentsOfFile: file, encoding: .utf8)
        try expect(relays[0].call("POST", "/log", body, token: token).status, is: 200)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        relays[0].stop()
        let urls = [FailoverRecipeTests.nobody, "http://\(relays[1].endpoint)"]
        try expect(press(urls, token, []), is: 0)
        let time = try require(try members(body)["timestamp"] as? Int)
        let id = try require(try members(body)["id"] as? String)
        while try members(relays[1].call("GET", "/events/\(id)", token: token).body)["state"]
            as? String != "delivered"
        {}
        await expect(beeminder.posted(to: "water").map(\.timestamp), is: [time])
        relays[1].stop()
    }

    // MARK: MicroPython

    #if os(Linux)
        /// The output of the board's lines with two relays, which share a port.
        private func board(_ port: UInt16, _ token: String, _ lines: String...) throws -> String {
            let setup = """
                import sys
                sys.path.insert(0, "\(FailoverRecipeTests.recipes)")
                sys.dont_write_bytecode = True
                import micropython as board
                board.HOST, board.OTHER, board.PORT = "127.0.0.1", "127.0.0.2", \(port)
                board.GOAL, board.TOKEN = "water", "\(token)"
                board.STATE = "\(presses.path)/presses.json"
                state = board.load()
                """
            let program = ([setup] + lines).joined(separator: "\n")
            let result = try require(Tool("python3")).run(["-c", program])
            expect(result.code, is: 0, "\(result.output)")
            return result.output.trimmingCharacters(in: .newlines)
        }

        @Test(
            .enabled(if: Tool.isWanted("python3"), "python3 is missing"),
            arguments: [
                ScriptedBeeminder.Reply.says(503, "{}"), .hangsUp, .says(200, "<html>"),
                .says(403, "<html>"), .says(200, #"{"ok":true}"#),
            ])
        func `MicroPython goes on to the second relay, unless the first has taken it`(
            _ reply: ScriptedBeeminder.Reply
        ) async throws {
            try presses.make()
            let beeminder = try RunningBeeminder()
            let first = try ScriptedBeeminder { _, _ in reply }
            let port = first.endpoint.port
            let second = try RunningRelayProgram(in: folders[1], beeminder) {
                $0.listen = Endpoint(Address([127, 0, 0, 2]), port: port)
            }
            defer { second.stop() }
            let told = try board(
                port, second.token, "board.press(state, 2)", "print(board.send(state))",
                "print(len(state['waiting']))")
            expect(told.hasSuffix("True\n0"), "\(told)")
            expect(first.asked.count, is: 1)
            guard case .says(200, #"{"ok":true}"#, _) = reply else {
                await expect(beeminder.awaitPosted(1, to: ["water"]))
                return
            }
            await expect(beeminder.posted(to: "water").isEmpty)
        }

        @Test(.enabled(if: Tool.isWanted("python3"), "python3 is missing"))
        func `MicroPython keeps the press when neither answers`() throws {
            try presses.make()
            let told = try board(
                9, "br_x", "board.press(state)", "print(board.send(state), len(state['waiting']))")
            expect(told, is: "False 1")
        }
    #endif
}
