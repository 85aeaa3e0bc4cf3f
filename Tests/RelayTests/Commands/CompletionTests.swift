import BeemedDomain
import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayHealth
@testable import RelayTrunk

/// What the completions of packaging/ offer with this program, as the shells themselves read them.
struct CompletionTests {
    private let folder = TemporaryFolder()
    private static let names = [
        "bash": "beemed-relay.bash", "zsh": "_beemed-relay", "fish": "beemed-relay.fish",
    ]

    struct Line: CustomTestStringConvertible, Sendable {
        /// The words before the one that is being typed.
        var words: [String]
        var offers: Set<String>
        var offersNot: Set<String>

        var testDescription: String { words.joined(separator: " ") }
    }

    static let lines: [Line] = [
        Line(words: [], offers: ["device", "help", "status"], offersNot: ["add"]),
        Line(words: ["device"], offers: ["add", "expect"], offersNot: ["status", "serve"]),
        Line(words: ["help"], offers: ["device", "log", "status"], offersNot: ["add", "--json"]),
        Line(words: ["help", "device"], offers: ["add", "expect"], offersNot: ["status"]),
        Line(words: ["help", "device", "add"], offers: [], offersNot: ["--goals", "status"]),
        Line(words: ["help", "status"], offers: [], offersNot: ["status", "device"]),
        Line(
            words: ["export", "--data", "x"], offers: ["--csv", "--output", "--help"],
            offersNot: ["--dry-run"]),
        Line(words: ["log", "-m"], offers: [], offersNot: ["--day", "--help", "log"]),
        Line(words: ["log", "water", "--id"], offers: [], offersNot: ["--day", "--help"]),
        Line(words: ["serve", "--log-format"], offers: ["text", "json"], offersNot: ["--data"]),
        Line(words: ["rule", "add", "--days"], offers: ["civil", "goal"], offersNot: ["--data"]),
        Line(
            words: ["rule", "add", "walk", "--aggregate"],
            offers: Set(Aggregate.allCases.map(\.rawValue)), offersNot: ["--data"]),
        Line(
            words: ["events", "list", "--state"],
            offers: Set(EventState.allCases.map(\.rawValue)), offersNot: ["--data"]),
    ]

    /// Every command with its options, and those alone.
    static let commands: [Line] = CommandTable.all.filter { $0.name != "help" }.map { command in
        let options = Set(command.allOptions.map { "--\($0.name)" })
        let others = Set(CommandTable.all.flatMap(\.options).map { "--\($0.name)" })
        return Line(words: command.words, offers: options, offersNot: others.subtracting(options))
    }

    /// Runs a shell, which finds the program in `PATH` and the completions in the file `$FILE`.
    ///
    /// - Returns: the words that are offered.
    private func offered(_ shell: String, _ code: String) throws -> Set<String> {
        try folder.make()
        let link = "\(folder.path)/beemed-relay"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: URL(fileURLWithPath: Executable.path).path)
        let name = try require(CompletionTests.names[shell])
        let file = "\(SourceTree.root)/packaging/completions/\(name)"
        let option = shell == "bash" ? ["--norc"] : shell == "zsh" ? ["-f"] : ["--no-config"]
        let done = try require(Tool(shell)).run(
            option + ["-c", code, shell],
            environment: [
                "HOME": folder.path, "FILE": file, "PATH": "\(folder.path):/usr/bin:/bin",
            ])
        expect(done.code, is: 0, "\(done.output)")
        let lines = done.output.split(separator: "\n")
        return Set(lines.map { String($0.prefix { $0 != ":" && $0 != "\t" }) })
    }

    private func check(_ line: Line, _ offered: Set<String>) {
        expect(offered.isSuperset(of: line.offers), "\(offered)")
        expect(offered.isDisjoint(with: line.offersNot), "\(offered)")
    }

    private func quoted(_ line: Line) -> String {
        (["beemed-relay"] + line.words + [""]).map { "'\($0)'" }.joined(separator: " ")
    }

    @Test(.enabled(if: Tool.isWanted("bash")), arguments: lines + commands)
    func `bash offers the words that may follow`(_ line: Line) throws {
        let code = """
            . "$FILE"
            COMP_WORDS=(\(quoted(line))) COMP_CWORD=\(line.words.count + 1)
            _beemed_relay
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        check(line, try offered("bash", code))
    }

    /// Outside of an editor zsh's own functions do nothing, so others stand for them.
    @Test(.enabled(if: Tool("zsh") != nil), arguments: lines + commands)
    func `zsh offers the words that may follow`(_ line: Line) throws {
        let code = """
            _describe() { print -l -- ${(P)2} }
            _files() {}
            words=(\(quoted(line))) CURRENT=\(line.words.count + 2)
            . "$FILE" || true
            """
        check(line, try offered("zsh", code))
    }

    @Test(.enabled(if: Tool("fish") != nil), arguments: lines + commands)
    func `fish offers the words that may follow`(_ line: Line) throws {
        let typed = (["beemed-relay"] + line.words + [""]).joined(separator: " ")
        check(line, try offered("fish", "source $FILE; complete -C '\(typed)'"))
    }
}
