import Foundation
import Testing

@testable import BeemedRelay

/// `export` and `import` from the shell.
@Suite(.timeLimit(.minutes(5))) struct TransferCommandTests {
    private let folder = TemporaryFolder()
    private let other = TemporaryFolder()

    private func run(_ words: String..., in folder: TemporaryFolder, input: String = "") throws
        -> (code: Int32, output: String, complaint: String)
    {
        try Executable.run(words + ["--data", folder.path], input: input)
    }

    @Test func `what one relay exports another one takes, once, and names lines that are wrong`()
        throws
    {
        let relays = try [folder, other].map {
            try RunningRelayProgram(
                in: $0, beeminder: "http://127.0.0.1:9", account: .personalToken("x"))
        }
        defer { for relay in relays { relay.stop() } }
        for number in 1...3 {
            let done = try run("log", "water", "\(number)", "-m", "a, \"b\"", in: folder)
            #expect(done.code == 0)
        }
        let csv = try run("export", in: folder)
        #expect(csv.code == 0)
        #expect(csv.output.components(separatedBy: "\r\n").count == 4)
        #expect(csv.output.contains("\"a, \"\"b\"\"\""))
        let file = "\(folder.path)/presses.jsonl"
        #expect(try run("export", "--jsonl", "-o", file, in: folder).output == "")
        let dry = try run("import", "--dry-run", file, in: other)
        #expect(dry.code == 0 && dry.output.contains("3 would be taken"), "\(dry)")
        #expect(try run("import", file, in: other).output.contains("3 taken"))
        #expect(try run("import", file, in: other).output.contains("3 known already"))
        #expect(try run("events", "list", in: other).output.split(separator: "\n").count == 3)
        let wrong = "goal,date,value\nwater,2026-11-18,1\nwater,never,2\nwater,2026-11-18,x\n"
        let refused = try run("import", "-", in: other, input: wrong)
        #expect(refused.code == 65)
        #expect(refused.complaint.contains("line 3: ") && refused.complaint.contains("line 4: "))
        #expect(try run("import", "/nowhere", in: other).code == 66)
        #expect(try run("export", "--csv", "--jsonl", in: folder).code == 64)
    }
}
