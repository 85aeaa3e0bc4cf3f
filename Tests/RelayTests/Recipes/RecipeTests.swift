import Foundation
import RelayHTTP
import Testing

@testable import BeeminderSimulator
@testable import RelayHealth
@testable import RelayTransfer

/// The recipes, run where they can be run: with the relay away, back, and the device restarted.
struct RecipeTests {
    private let folder = TemporaryFolder()
    private static let recipes = SourceTree.root + "/recipes"
    /// The configurations of proxies, which know neither goals nor tokens.
    private static let proxies = ["Caddyfile", "nginx.conf", "haproxy.cfg"]
    private static let isPythonWanted = Tool.isWanted("python3")
    private static let isNodeWanted = Tool.isWanted("node")
    private static let isShellWanted = Tool.isWanted("sh", "curl")

    @Test func `the index names every recipe, and every recipe its places to fill in`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: RecipeTests.recipes)
            .filter { $0 != "README.md" && $0 != "monitoring" && !$0.hasPrefix("_") }
        expect(files.count >= 15)
        let index = try SourceTree.file("recipes/README.md").text
        for file in files {
            expect(index.contains("[\(file)](\(file))"), "\(file)")
            let text = try SourceTree.file("recipes/\(file)").text
            guard !RecipeTests.proxies.contains(file) else { continue }
            for place in ["RELAY", "GOAL"] { expect(text.contains(place), "\(file)") }
            expect(text.contains("TOKEN") || file == "tailscale.md", "\(file)")
            expect(!text.contains("br_"), "a token in \(file)")
        }
        // The additional link is to the folder of monitoring.
        expect(index.matches(of: /\]\([A-Za-z]/).count, is: files.count + 1)
    }

    @Test func `the flow of Node-RED is whole`() throws {
        let text = try SourceTree.file("recipes/node-red.json").text
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let nodes = try require(parsed as? [[String: Any]])
        let ids = nodes.compactMap { $0["id"] as? String }
        expect(Set(ids).count, is: nodes.count)
        for node in nodes {
            let wires = node["wires"] as? [[String]] ?? []
            expect(wires.joined().allSatisfy(ids.contains), "\(node["name"] ?? "")")
            if let tab = node["z"] as? String { expect(ids.contains(tab)) }
        }
        let request = try require(nodes.first { $0["type"] as? String == "http request" })
        expect(request["url"] as? String, is: "http://RELAY:2336/log/GOAL")
    }

    /// The output of lines that use `micropython.py` as a module, in a process of its own: a board
    /// that has just started.
    private func board(_ port: UInt16, _ token: String, _ lines: String...) throws -> String {
        let setup = """
            import sys
            sys.path.insert(0, \(quoted(RecipeTests.recipes)))
            sys.dont_write_bytecode = True
            import micropython as board
            board.HOST, board.PORT, board.GOAL = "127.0.0.1", \(port), "water"
            board.TOKEN, board.STATE = \(quoted(token)), \(quoted(folder.path + "/presses.json"))
            state = board.load()
            """
        let program = ([setup] + lines).joined(separator: "\n")
        let result = try require(Tool("python3")).run(["-c", program])
        expect(result.code, is: 0, "\(result.output)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    @Test(.enabled(if: isPythonWanted, "python3 is missing"))
    func `MicroPython keeps its presses over an outage and a restart, and sends each once`()
        async throws
    {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let away = try board(
            9, relay.token, "board.press(state)", "board.press(state, 2.5)",
            "print(board.send(state), len(state['waiting']))")
        expect(away, is: "False 2")
        let port = relay.endpoint.port
        // The first one's answer is lost: the board does not hear of it, and sends it again.
        let back = try board(
            port, relay.token, "print(board.post(state['waiting'][0]))", "board.press(state, 3)",
            "print(board.send(state), state['waiting'])")
        expect(back, is: "200\nTrue []")
        let again = try board(
            port, relay.token, "board.press(state, 4)", "print(board.send(state), state['count'])")
        expect(again, is: "True 4")
        await expect(beeminder.awaitPosted(4, to: ["water"]))
        let posted = await beeminder.posted(to: "water")
        expect(posted.map(\.value).sorted(), is: [1, 2.5, 3, 4])
        expect(Set(posted.compactMap(\.requestID)).count, is: 4)
    }

    @Test(.enabled(if: isPythonWanted, "python3 is missing"))
    func `MicroPython survives a state that was written by half, and uses no id again`() throws {
        try folder.make()
        let first = try board(9, "TOKEN", "board.press(state)", "print(state['name'])")
        try folder.write("{\"name\": \"", to: "presses.json.new")
        let kept = try board(9, "TOKEN", "print(state['name'], len(state['waiting']))")
        expect(kept, is: "\(first) 1")
        try FileManager.default.removeItem(atPath: folder.path + "/presses.json")
        let anew = try board(9, "TOKEN", "print(state['name'], state['count'])")
        expect(anew.hasSuffix(" 0") && !anew.hasPrefix(first))
    }

    @Test(
        .enabled(if: isNodeWanted, "node is missing"),
        arguments: [
            ("shelly", "shelly-gen2.js"), ("flic", "flic.js"),
        ])
    func `a script keeps its presses over an outage and a restart, and sends each once`(
        _ kind: String, _ file: String
    ) async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        func device(_ url: String, _ steps: String...) throws -> String {
            let result = try require(Tool("node")).run(
                [
                    SourceTree.root + "/Tests/RelayTests/Recipes/device.js", kind,
                    "\(RecipeTests.recipes)/\(file)", url, relay.token,
                    folder.path + "/device.json",
                ] + steps)
            expect(result.code, is: 0, "\(result.output)")
            return result.output.trimmingCharacters(in: .newlines)
        }
        let here = "http://\(relay.endpoint)"
        try expect(device("http://127.0.0.1:9", "press", "press", "tick"), is: "0 0 0")
        try expect(device(here, "tick"), is: "200 200")
        try expect(device(here, "press", "tick"), is: "200")
        await expect(beeminder.awaitPosted(3, to: ["water"]))
        let posted = await beeminder.posted(to: "water")
        expect(Set(posted.compactMap(\.requestID)).count, is: 3)
        expect(posted.map(\.value), is: [1, 1, 1])
    }

    /// The output of Tasmota with `tasmota.be`, which is translated to Python for this.
    private func tasmota(
        _ port: UInt16, _ token: String, clock: String, _ steps: String...
    ) throws -> String {
        let result = try require(Tool("python3")).run(
            [
                SourceTree.root + "/Tests/RelayTests/Recipes/tasmota.py",
                RecipeTests.recipes + "/tasmota.be", "http://127.0.0.1:\(port)", token,
                folder.path + "/flash.json", clock,
            ] + steps)
        expect(result.code, is: 0, "\(result.output)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    @Test(.enabled(if: isPythonWanted, "python3 is missing"), arguments: ["set", "unset"])
    func `Tasmota keeps its presses over an outage and a restart, also without a clock`(
        _ clock: String
    ) async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let port = relay.endpoint.port
        // At once, and every ten seconds again.
        try expect(tasmota(9, relay.token, clock: clock, "press", "1", "press", "10"), is: "0 0 0")
        try expect(tasmota(port, relay.token, clock: clock, "9"), is: "")
        try expect(tasmota(port, relay.token, clock: clock, "10"), is: "200 200")
        try expect(tasmota(port, relay.token, clock: clock, "press", "20"), is: "200")
        await expect(beeminder.awaitPosted(3, to: ["water"]))
        let posted = await beeminder.posted(to: "water")
        expect(Set(posted.compactMap(\.requestID)).count, is: 3)
    }

    @Test func `the proxies let through as much as the relay takes, and no more`() throws {
        let most = HealthBody.maxBytes
        expect(most, is: ImportRun.maxBytes)
        let words = [
            "Caddyfile": "max_size \(most >> 20)MiB", "nginx.conf": "body_size \(most >> 20)m;",
            "haproxy.cfg": "req.body_size gt \(most) }",
        ]
        for (file, limit) in words {
            try expect(SourceTree.file("recipes/\(file)").text.contains(limit), "\(file)")
        }
    }

    @Test func `a funnel of Tailscale is on another port than what the tailnet is served`() throws {
        let text = try SourceTree.file("recipes/tailscale.md").text
        expect(text.contains("\n    tailscale serve --bg 2336\n"), "on port 443")
        let funnels = text.matches(of: /\n +tailscale funnel .*/).map { String($0.output) }
        expect(!funnels.isEmpty && funnels.allSatisfy { $0.contains(" --https=8443 ") })
        expect(text.contains("https://relay.TAILNET.ts.net:8443/log/GOAL"))
    }

    /// Runs `press.sh`.
    private func press(
        _ port: UInt16, _ token: String, _ arguments: [String] = []
    ) throws -> (code: Int32, output: String) {
        try require(Tool("sh")).run(
            [RecipeTests.recipes + "/press.sh"] + arguments,
            environment: [
                "RELAY_URL": "http://127.0.0.1:\(port)", "RELAY_TOKEN": token,
                "PRESS_DIR": folder.path + "/presses", "XDG_CONFIG_HOME": folder.path,
            ])
    }

    private func waiting(_ place: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/presses" + place)
            .filter { $0.hasPrefix("sh-") && !$0.hasSuffix(".why") }.sorted()
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `the shell keeps its presses over an outage, and sends each once`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let comment = "a \"glass\"\nwith \\ milk"
        try expect(press(9, relay.token, ["water", "0.25", comment]).code, is: 75)
        try expect(press(9, relay.token, ["pushups"]).code, is: 75)
        let ids = try waiting()
        expect(ids.count, is: 2)
        // The first press was taken and its answer lost.
        let path = folder.path + "/presses/" + (try require(ids.first))
        let lost = try relay.call("POST", "/log", String(contentsOfFile: path, encoding: .utf8))
        expect(lost.status, is: 200)
        let port = relay.endpoint.port
        try expect(press(port, "br_wrong").code, is: 75, "a wrong token is no reason to forget")
        try expect(press(port, relay.token).code, is: 0)
        try expect(waiting(), is: [])
        await expect(beeminder.awaitPosted(2, to: ["water", "pushups"]))
        let water = await beeminder.posted(to: "water")
        expect(water.map(\.comment), is: ["a \"glass\" with \\ milk"])
        expect(water.map(\.value), is: [0.25])
        let sent = water + (await beeminder.posted(to: "pushups"))
        let first = try folder.identity(of: "first")
        expect(Set(sent.compactMap(\.requestID)), is: Set(ids.map { "\(first).\($0)" }))
    }

    @Test(.enabled(if: isShellWanted, "curl is missing"))
    func `the shell puts a hopeless press aside, and sends the others`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        try expect(press(9, relay.token, ["nosuchgoal"]).code, is: 75)
        let result = try press(relay.endpoint.port, relay.token, ["water"])
        expect(result.code, is: 65)
        expect(result.output.contains("unknown_goal"))
        try expect(waiting(), is: [])
        try expect(waiting("/refused").count, is: 1)
        await expect(beeminder.awaitPosted(1, to: ["water"]))
    }
}
