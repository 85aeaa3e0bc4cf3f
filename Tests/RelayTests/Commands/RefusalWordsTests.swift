import Foundation
import Testing

@testable import RelayTrunk

/// Refusals as the command line shows them: the next step of a person there is a command.
struct RefusalWordsTests {
    private let folder = TemporaryFolder()

    @Test func `a refused command names the next command`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        defer { relay.stop() }
        for (line, words) in [
            ("unpin water", "'beemed-relay goals'"),
            ("preset set glass watr", "did you mean 'water'? 'beemed-relay goals' names them"),
            ("preset remove glass", "'beemed-relay preset list' names them"),
            ("rule add watr --metric a", "did you mean 'water'? 'beemed-relay goals'"),
            ("rule remove walk", "'beemed-relay rule list' names them"),
            ("reminder remove ntfy-1", "see 'beemed-relay reminder list'"),
            ("reminder goal watr --off", "'beemed-relay goals' names them"),
            ("reminder goal water --hours 200", "from 1 to 168"),
            ("reminder snooze watr", "'beemed-relay goals' names them"),
            ("events list --device a+b", "'beemed-relay device list' lists them"),
        ] {
            let arguments = line.split(separator: " ").map(String.init) + ["--data", folder.path]
            let done = try Executable.run(arguments, input: "")
            expect(done.code != 0 && done.output.isEmpty, "\(line)")
            expect(done.complaint.contains(words), "\(line): \(done.complaint)")
            expect(!done.complaint.contains("GET /"), "\(line): \(done.complaint)")
        }
    }

    @Test func `no call site is told to a person, and a wrong place is called what it is`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        defer { relay.stop() }
        let file = "\(folder.path)/owner-token"
        for (line, words) in [
            (["import", "/nonexist", "--data", folder.path], "No such file or directory\n"),
            (["journal", "verify", "\(folder.path)/journal"], "not its journal: journal verify"),
            (
                ["serve", "--data", file, "--listen", "127.0.0.1:0"],
                "\(file) is a file; name a folder with --data"
            ),
        ] {
            let done = try Executable.run(line, input: "")
            expect(done.code != 0 && done.complaint.contains(words), "\(done.complaint)")
        }
    }

    @Test func `a list of some events is named as a command`() {
        for (said, shown) in [
            ("see GET /events?state=refused.", "see 'beemed-relay events list --state refused'."),
            ("GET /events?goal=a-b says why", "'beemed-relay events list --goal a-b' says why"),
            ("GET /events says why", "'beemed-relay events list' says why"),
        ] {
            expect(RunningRelay.words(said), is: shown)
        }
    }

    @Test func `a network's error is told in words`() {
        for (code, words) in [
            (6, "(DNS)"), (NetworkError.timedOut, "in time"),
            (7, "nothing answers"),
            (35, "secure"), (3, "URL"),
            (56, "ended"), (-7, "error -7"),
        ] {
            expect(TransportFailure.network(code).words.contains(words))
        }
    }

    /// `GET /import` has no command: `import` itself shows how far it is. A trigger is for devices.
    @Test func `every GET that the relay's words name has a command`() throws {
        let folders = ["Routes", "Answers", "Engine", "Access"]
        let files = try folders.flatMap {
            try SourceTree.swiftFiles(below: "Sources/BeemedRelay/Trunk/\($0)")
        }
        let lines = files.flatMap(\.lines).filter { line in
            line.contains("GET /") && !line.contains("///") && !line.contains("GET /import")
                && !line.contains("/trigger")
        }
        expect(lines.count > 10)
        for line in lines.map(String.init) {
            for book in ["presets", "rules"] {
                let words = line.replacing(#"\(Entry.plural)"#, with: book)
                expect(!RunningRelay.words(words).contains("GET /"), "\(line)")
            }
        }
    }
}
