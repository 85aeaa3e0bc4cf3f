import BeemedDomain
import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayHealth
@testable import RelayTrunk

/// The words that the completions of packaging/ offer with this program, as the shells read them.
struct CompletionTests {
    private let folder = TemporaryFolder()
    private static let names = [
        "bash": "beemed-relay.bash", "zsh": "_beemed-relay", "fish": "beemed-relay.fish",
    ]

    private struct Line {
        /// The words before the one that is being typed.
        var words: [String]
        var offers: Set<String>
        var offersNot: Set<String>
    }

    private static let lines: [Line] = [
        Line(words: [], offers: ["device", "help", "status"], offersNot: ["add"]),
        Line(words: ["device"], offers: ["add", "expect"], offersNot: ["status", "serve"]),
        Line(words: ["help"], offers: ["device", "log", "status"], offersNot: ["add", "--json"]),
        Line(words: ["help", "device"], offers: ["add", "expect"], offersNot: ["status"]),
        Line(words: ["help", "device", "add"], offers: [], offersNot: ["--goals", "status"]),
        Line(words: ["help", "status"], offers: [], offersNot: ["status", "device"]),
        Line(
            words: ["export", "--data", "x"], offers: ["--csv", "--jsonl", "--help"],
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
    private static let commands: [Line] = CommandTable.all.filter { $0.name != "help" }.map {
        command in
        let options = Set(command.allOptions.map { "--\($0.name)" })
        let others = Set(CommandTable.all.flatMap(\.options).map { "--\($0.name)" })
        return Line(words: command.words, offers: options, offersNot: others.subtracting(options))
    }

    /// Runs a shell once, which finds the program in `PATH` and the completions in the file `$FILE`,
    /// and holds what it offers to each line. The program is one that prints the same help.
    ///
    /// - Parameter code: prints the words that may follow a line.
    private func check(_ shell: String, _ start: String, _ code: (Line) -> String) throws {
        try folder.make()
        try folder.write("#!/bin/sh\ncat \"$0 $*\"\n", to: "beemed-relay")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: "\(folder.path)/beemed-relay")
        try folder.write(HelpText.program, to: "beemed-relay help")
        for spec in CommandTable.all {
            let group = spec.words[0]
            try folder.write(HelpText.command(spec), to: "beemed-relay help \(spec.name)")
            guard !CommandTable.group(group).isEmpty else { continue }
            try folder.write(HelpText.group(group), to: "beemed-relay help \(group)")
        }
        let name = try require(CompletionTests.names[shell])
        let file = "\(SourceTree.root)/packaging/completions/\(name)"
        let option = shell == "bash" ? ["--norc"] : shell == "zsh" ? ["-f"] : ["--no-config"]
        let lines = CompletionTests.lines + CompletionTests.commands
        let script = start + "\n" + lines.map { code($0) + "\necho @end\n" }.joined()
        let done = try require(Tool(shell)).run(
            option + ["-c", script, shell],
            environment: [
                "HOME": folder.path, "FILE": file, "PATH": "\(folder.path):/usr/bin:/bin",
            ])
        expect(done.code, is: 0, "\(done.output)")
        let answers = done.output.components(separatedBy: "@end\n")
        expect(answers.count, is: lines.count + 1, "\(done.output)")
        for (line, answer) in zip(lines, answers) {
            let words = answer.split(separator: "\n").map { $0.prefix { $0 != ":" && $0 != "\t" } }
            let offered = Set(words.map(String.init))
            expect(offered.isSuperset(of: line.offers), "\(line.words): \(offered)")
            expect(offered.isDisjoint(with: line.offersNot), "\(line.words): \(offered)")
        }
    }

    private func quoted(_ line: Line) -> String {
        (["beemed-relay"] + line.words + [""]).map { "'\($0)'" }.joined(separator: " ")
    }

    @Test(.enabled(if: Tool.isWanted("bash")))
    func `bash offers the words that may follow`() throws {
        try check("bash", ". \"$FILE\"") { line in
            """
            COMP_WORDS=(\(quoted(line))) COMP_CWORD=\(line.words.count + 1)
            _beemed_relay
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        }
    }

    /// Outside of an editor zsh's own functions do nothing, so others stand for them.
    @Test(.enabled(if: Tool("zsh") != nil))
    func `zsh offers the words that may follow`() throws {
        let start = "_describe() { print -l -- ${(P)2} }\n_files() {}"
        try check("zsh", start) { line in
            "( words=(\(quoted(line))) CURRENT=\(line.words.count + 2); . \"$FILE\" || true )"
        }
    }

    @Test(.enabled(if: Tool("fish") != nil))
    func `fish offers the words that may follow`() throws {
        try check("fish", "source $FILE") { line in
            "complete -C '\((["beemed-relay"] + line.words + [""]).joined(separator: " "))'"
        }
    }
}
