import Foundation
import Testing

/// Data folders in the formats of released versions: `Golden/FORMAT`. None is ever changed; each
/// format adds its own.
struct GoldenTests {
    private let folder = TemporaryFolder()

    @Test(arguments: ["1.0"]) func `what an earlier version has written is read`(
        _ version: String
    ) throws {
        try GoldenFolder.copy(version, to: folder)
        let verified = try Executable.run(["journal", "verify", folder.path])
        expect(verified.code, is: 0, "\(verified.output)")
        let relay = try Executable(
            ["serve", "--data", folder.path, "--beeminder-url", "http://127.0.0.1:9"],
            environment: ["BEEMINDER_AUTH_TOKEN": "simulated-token"])
        _ = try require(relay.line())
        func run(_ words: String...) throws -> String {
            try Executable.run(words + ["--data", folder.path]).output
        }
        // Behind the headings, and behind the day and the time of day.
        let events = try run("events", "list").split(separator: "\n").dropFirst().map { line in
            line.split(separator: " ").dropFirst(2).prefix(4).joined(separator: " ")
        }
        let waiting = ["queued", "sending"].map { "\($0) water +4 kitchen-wy78b5.six" }
        expect(waiting.contains(try require(events.first)))
        expect(
            events.dropFirst(),
            is: [
                "delivered water +3 kitchen-wy78b5.five", "refused reading +1 owner-4ns6mm.four",
                "undone pushups +20 owner-4ns6mm.three", "delivered water +0.25 owner-4ns6mm.two",
                "delivered water +2 owner-4ns6mm.one",
            ])
        try expect(
            run("preset", "list").hasSuffix(
                "\nglass   water  +0.25  at most every 5 s  a glass"))
        try expect(run("device", "list").contains("kitchen  log,read  water,pushups"))
        let settings = try run("status", "--settings").split(separator: "\n")
            .map { $0.split(separator: " ") }
        expect(settings.contains(["log-level", "warning", "config.json"]))
        // A press that the earlier version accepted is the same press now.
        let again = try run("log", "water", "2", "-m", "a bottle", "--id", "one")
        expect(again.contains("known already: owner-4ns6mm.one"))
        expect(relay.terminate(), is: 0)
    }

    @Test func `a journal of a later version is refused, untouched`() throws {
        try GoldenFolder.copy("1.0", to: folder)
        let path = "\(folder.path)/journal/00000002.jnl"
        try GoldenFolder.replace(0, of: path) { $0.replacing("\"v\":2", with: "\"v\":7") }
        let later = try Data(contentsOf: URL(fileURLWithPath: path))
        let relay = try Executable(
            ["serve", "--data", folder.path], environment: ["BEEMINDER_AUTH_TOKEN": "x"])
        expect(relay.line() == nil)
        expect(relay.wait(), is: 78)
        expect(relay.log.contains("later version"))
        try expect(Data(contentsOf: URL(fileURLWithPath: path)), is: later)
    }
}
