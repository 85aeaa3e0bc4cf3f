import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator

/// The recipes with a press that the relay refuses for good: the press is set aside, and the
/// others are sent.
struct RefusalRecipeTests {
    private let folder = TemporaryFolder()
    private static let recipes = SourceTree.root + "/recipes"
    private static let isNodeWanted = Tool.isWanted("node")
    private static let isShellWanted = Tool.isWanted("sh", "curl")

    /// The token of a device that may log to one goal, so that another goal is a 403.
    private func limitedToken(_ relay: RunningRelayProgram) throws -> String {
        try relay.add(#"{"name": "limited", "goals": ["water"]}"#)
    }

    @Test(.enabled(if: isNodeWanted, "node is missing"))
    func `a Flic button that may not log does not hold up the others`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let token = try limitedToken(relay)
        let state = folder.path + "/device.json"
        func flic(_ token: String, _ steps: String...) throws -> String {
            let script = SourceTree.root + "/Tests/RelayTests/Recipes/device.js"
            let recipe = RefusalRecipeTests.recipes + "/flic.js"
            let result = try require(Tool("node")).run(
                [script, "flic", recipe, "http://\(relay.endpoint)", token, state] + steps)
            expect(result.code, is: 0, "\(result.output)")
            return result.output.trimmingCharacters(in: .newlines)
        }
        // A wrong token keeps all of them: it can be mended.
        try expect(flic("br_wrong", "press-other", "press"), is: "401 401")
        try expect(flic(token), is: "403 200")
        let stored = try Data(contentsOf: URL(fileURLWithPath: state))
        let presses = try members(String(decoding: stored, as: UTF8.self))["presses"]
        let refused = (presses as? [String: Any])?["refused"] as? [[String: Any]]
        expect(refused?.map { $0["goal"] as? String }, is: ["pushups"])
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "pushups").isEmpty)
    }

    @Test(.enabled(if: isNodeWanted, "node is missing"))
    func `a Shelly's press that is refused for good does not hold up the next`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        // An older script stored a press with a value that is no number.
        let state = folder.path + "/device.json"
        let presses = #"{\"count\":2,\"waiting\":[[1,\"much\",0],[2,0.5,0]]}"#
        try folder.write(#"{"name":"s1-","presses":"\#(presses)"}"#, to: "device.json")
        let script = SourceTree.root + "/Tests/RelayTests/Recipes/device.js"
        let result = try require(Tool("node")).run([
            script, "shelly", RefusalRecipeTests.recipes + "/shelly-gen2.js",
            "http://\(relay.endpoint)", relay.token, state, "tick",
        ])
        expect(result.output.trimmingCharacters(in: .newlines), is: "422 200", "\(result)")
        let stored = try members(String(contentsOfFile: state, encoding: .utf8))
        expect(stored["refused"] as? String, is: #"[[1,"much",0]]"#)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [0.5])
    }

    @Test(.enabled(if: Tool.isWanted("python3"), "python3 is missing"))
    func `MicroPython sets aside what is refused, and keeps the rest`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let program = """
            import sys
            sys.path.insert(0, "\(RefusalRecipeTests.recipes)")
            sys.dont_write_bytecode = True
            import micropython as board
            board.HOST, board.PORT, board.GOAL = "127.0.0.1", \(relay.endpoint.port), "water"
            board.TOKEN, board.STATE = "br_wrong", "\(folder.path)/presses.json"
            state = board.load()
            board.press(state, "much")
            board.press(state, 2, age=60)
            print(board.send(state), len(state["waiting"]))
            board.TOKEN = "\(relay.token)"
            print(board.send(state), len(state["waiting"]))
            print([event["value"] for event in board.load()["refused"]])
            """
        let result = try require(Tool("python3")).run(["-c", program])
        let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("{") }
        expect(lines.first, is: "False 2", "\(result)")
        expect(lines.suffix(2), is: ["True 0", "['much']"], "\(result)")
        await expect(beeminder.awaitPosted(1, to: ["water"]))
        await expect(beeminder.posted(to: "water").map(\.value), is: [2])
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `the shell notes why a press is refused, and a person sends it again`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let limited = try limitedToken(relay)
        let waiting = folder.path + "/presses"
        func press(_ token: String, _ arguments: String...) throws -> Int32 {
            try require(Tool("sh")).run(
                [RefusalRecipeTests.recipes + "/press.sh"] + arguments,
                environment: [
                    "RELAY_URL": "http://\(relay.endpoint)", "RELAY_TOKEN": token,
                    "PRESS_DIR": waiting, "XDG_CONFIG_HOME": folder.path,
                    "http_proxy": "http://127.0.0.1:9",
                ]
            ).code
        }
        // 403, then 422 twice: none holds up the last.
        try expect(press(limited, "pushups"), is: 65)
        try expect(press(limited, "water", "much"), is: 65)
        try expect(press(limited, "water", ""), is: 65)
        try expect(press(limited, "water"), is: 0)
        let files = FileManager.default
        let refused = try files.contentsOfDirectory(atPath: waiting + "/refused").sorted()
        expect(refused.count, is: 6)
        let why = try refused.filter { $0.hasSuffix(".why") }.map { name in
            try String(contentsOfFile: waiting + "/refused/" + name, encoding: .utf8)
        }
        expect(why.contains { $0.contains("forbidden") })
        expect(why.count { $0.contains("unusable_value") }, is: 2)
        for name in refused where !name.hasSuffix(".why") {
            let path = waiting + "/refused/" + name
            guard try String(contentsOfFile: path, encoding: .utf8).contains("pushups") else {
                continue
            }
            try files.moveItem(atPath: path, toPath: waiting + "/" + name)
        }
        try expect(press(relay.token), is: 0)
        await expect(beeminder.awaitPosted(2, to: ["water", "pushups"]))
    }

    /// Answers of something else at the relay's address: a login page, a proxy.
    private static let others = [
        (200, "<html>Sign in</html>"), (403, "<html>"), (422, "{}"), (413, ""),
    ]

    /// A server that gives them in turn.
    private static func answering() throws -> ScriptedBeeminder {
        try ScriptedBeeminder { _, before in
            let (status, text) = others[before % others.count]
            return .says(status, text)
        }
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"), arguments: others)
    func `the shell keeps a press that something else than the relay has answered`(
        _ status: Int, _ text: String
    ) throws {
        let other = try ScriptedBeeminder { _, _ in .says(status, text) }
        let result = try require(Tool("sh")).run(
            [RefusalRecipeTests.recipes + "/press.sh", "water"],
            environment: [
                "RELAY_URL": "http://\(other.endpoint)", "RELAY_TOKEN": "br_x",
                "PRESS_DIR": folder.path, "XDG_CONFIG_HOME": folder.path,
            ])
        expect(result.code == 75 && result.output.contains("has answered \(status)"), "\(result)")
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        expect(kept.filter { $0.hasPrefix("sh-") }.count, is: 1)
        expect(!kept.contains("refused"))
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `the shell reads settings that were saved with CRLF`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let settings = [
            "# the relay", "RELAY_URL='http://127.0.0.1:9 http://\(relay.endpoint)'", "",
            "RELAY_TOKEN=\(relay.token)", "PRESS_DIR=\(folder.path)/presses", "",
        ]
        try folder.write(settings.joined(separator: "\r\n"), to: "beemed-press")
        let result = try require(Tool("sh")).run(
            [RefusalRecipeTests.recipes + "/press.sh", "water", "2"],
            environment: ["XDG_CONFIG_HOME": folder.path])
        expect(result.code, is: 0, "\(result)")
        expect(FileManager.default.fileExists(atPath: folder.path + "/presses/new"))
        await expect(beeminder.awaitPosted(1, to: ["water"]))
    }

    @Test(
        .enabled(if: isNodeWanted, "node is missing"),
        arguments: [("shelly", "shelly-gen2.js"), ("flic", "flic.js")])
    func `a script keeps a press that something else than the relay has answered`(
        _ device: (kind: String, file: String)
    ) async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let other = try Self.answering()
        func play(_ url: String, _ steps: String...) throws -> String {
            let result = try require(Tool("node")).run(
                [
                    SourceTree.root + "/Tests/RelayTests/Recipes/device.js", device.kind,
                    RefusalRecipeTests.recipes + "/" + device.file, url, relay.token,
                    folder.path + "/device.json",
                ] + steps)
            expect(result.code, is: 0, "\(result.output)")
            return result.output.trimmingCharacters(in: .newlines)
        }
        let statuses = try play("http://\(other.endpoint)", "press", "tick", "tick", "tick")
        expect(statuses, is: "200 403 422 413")
        try expect(play("http://\(relay.endpoint)", "tick"), is: "200")
        await expect(beeminder.awaitPosted(1, to: ["water"]))
    }

    @Test(.enabled(if: Tool.isWanted("python3"), "python3 is missing"))
    func `Tasmota keeps a press that something else than the relay has answered`() throws {
        try folder.make()
        let other = try Self.answering()
        let flash = folder.path + "/flash.json"
        let result = try require(Tool("python3")).run([
            SourceTree.root + "/Tests/RelayTests/Recipes/tasmota.py",
            RefusalRecipeTests.recipes + "/tasmota.be", "http://\(other.endpoint)", "br_x", flash,
            "set", "press", "10", "10", "10",
        ])
        expect(result.output, is: "200 403 422 413\n", "\(result)")
        let kept = try members(String(contentsOfFile: flash, encoding: .utf8))["press_waiting"]
        expect((kept as? [Any])?.count == 1)
    }

    @Test(.enabled(if: isNodeWanted, "node is missing"))
    func `the flow of Node-RED takes out a press by the answer to that press alone`() throws {
        let result = try require(Tool("node")).run([
            SourceTree.root + "/Tests/RelayTests/Recipes/flow.js",
            RefusalRecipeTests.recipes + "/node-red.json",
        ])
        expect(result.code, is: 0, "\(result.output)")
    }

    @Test(.enabled(if: Tool.isWanted("shellcheck"), "shellcheck is missing"))
    func `shellcheck finds nothing in the shell's recipe`() throws {
        let result = try require(Tool("shellcheck")).run([
            RefusalRecipeTests.recipes + "/press.sh"
        ])
        expect(result.code, is: 0, "\(result.output)")
    }
}
