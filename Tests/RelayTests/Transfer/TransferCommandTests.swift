import BeemedDomain
import Foundation
import Testing

@testable import RelayTransfer
@testable import RelayTrunk

/// `export` and `import` from the shell.
struct TransferCommandTests {
    private let folder = TemporaryFolder()
    private let other = TemporaryFolder()

    private func run(_ words: String..., in folder: TemporaryFolder, input: String = "") throws
        -> (code: Int32, output: String, complaint: String)
    {
        try Executable.run(words + ["--data", folder.path], input: input)
    }

    @Test func `what one relay exports another takes once, and names wrong lines`() throws {
        let relays = try [folder, other].map { try RunningRelayProgram(in: $0) }
        defer { for relay in relays { relay.stop() } }
        for number in 1...3 {
            let done = try run("log", "water", "\(number)", "-m", "a, \"b\"", in: folder)
            expect(done.code, is: 0)
        }
        let csv = try run("export", in: folder)
        expect(csv.code, is: 0)
        expect(csv.output.components(separatedBy: "\r\n").count, is: 4)
        expect(csv.output.contains("\"a, \"\"b\"\"\""))
        let file = "\(folder.path)/presses.jsonl"
        let lines = try run("export", "--jsonl", in: folder).output
        try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
        let dry = try run("import", "--dry-run", file, in: other)
        expect(dry.code == 0 && dry.output.contains("3 would be taken"), "\(dry)")
        try expect(run("import", file, in: other).output.contains("3 taken"))
        try expect(run("import", file, in: other).output.contains("3 known already"))
        try expect(run("events", "list", in: other).output.split(separator: "\n").count, is: 4)
        let wrong = "goal,date,value\nwater,2026-11-18,1\nwater,never,2\nwater,2026-11-18,x\n"
        let refused = try run("import", "-", in: other, input: wrong)
        expect(refused.code, is: 65)
        expect(refused.complaint.contains("line 3: ") && refused.complaint.contains("line 4: "))
        try expect(run("import", "/nowhere", in: other).code, is: 66)
        let line = "goal,date,value\nwater,2026-11-18,5\n"
        let piped = try run("import", "/dev/stdin", in: other, input: line)
        expect(piped.code == 0 && piped.output.contains("1 taken"), "\(piped)")
    }

    private func reading(_ text: String, _ format: TransferFormat) throws -> ImportReading {
        let context = ImportContext(
            goal: "water", calendar: try Berlin.calendar(), now: Berlin.noon)
        return ImportReading(Array(text.utf8), format, context)
    }

    @Test(arguments: [
        "date,value,time\n2026-11-20,1,FLAGS\n", "date,value,requestid\n2026-11-20,1,FLAGS.a\n",
        "date,value,FLAGS\n2026-11-20,1,x\n",
    ])
    func `a text of letters that go in pairs is refused at once`(_ table: String) throws {
        let flags = String(repeating: "\u{1F1E6}", count: 200_000)
        let reading = try reading(table.replacing("FLAGS", with: flags), .csv)
        expect(!reading.faults.isEmpty)
        expect(reading.faults.allSatisfy { $0.detail.utf8.count < 2_100 })
    }

    @Test(arguments: [(.min, false), (-1 << 36 - 1, false), (-86_400, true)] as [(Int64, Bool)])
    func `a time that no record may have is refused, beside a day too`(
        _ time: Int64, _ isTaken: Bool
    ) throws {
        let line = #"{"value":1,"timestamp":\#(time),"daystamp":"20240102"}"#
        let times = try reading(line, .jsonl).rows.map(\.press.time)
        expect(times, is: (isTaken ? [.recorded(UnixTime(time))] : []))
    }

    #if os(Linux)
        @Test func `an export to a full disk fails`() throws {
            let relay = try RunningRelayProgram(in: folder)
            defer { relay.stop() }
            let line = "'\(Executable.path)' export --data '\(folder.path)'"
            let shell = try require(Tool("sh"))
            let full = try shell.run(["-c", "\(line) > /dev/full"])
            expect(full.code == 74 && full.output.contains("No space left"), "\(full)")
        }
    #endif

    @Test(arguments: ["--csv", "--jsonl"])
    func `an export on a terminal shows no control characters, and a file has them`(
        _ format: String
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        let comment = "red \u{1B}[31m \u{9B}2J\u{202E} bell\u{7}"
        try expect(run("log", "water", "-m", comment, in: folder).code, is: 0)
        let terminal = try Terminal()
        let command = try Executable(
            ["export", format, "--data", folder.path], input: "", terminal: terminal)
        expect(command.wait(), is: 0)
        try terminal.closeProgramEnd()
        var shown = ""
        while let line = terminal.line() { shown += "\(line)\n" }
        expect(shown.contains("water") && shown.contains("red "), "\(shown)")
        expect(!shown.unicodeScalars.contains { Console.isControl($0) && $0 != "\n" && $0 != "\r" })
        let file = try run("export", format, in: folder).output
        expect(format == "--jsonl" || file.contains(comment))
    }
}
