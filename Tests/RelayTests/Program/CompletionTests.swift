import Foundation
import Testing

@testable import BeemedRelay

/// What the completions offer, as the shells themselves read them.
@Suite struct CompletionTests {
    private let folder = TemporaryFolder()

    struct Line: CustomTestStringConvertible, Sendable {
        /// The words before the one that is being typed.
        var words: [String]
        var offers: [String]
        var offersNot: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    static let lines = [
        Line(words: [], offers: ["device", "help", "status"], offersNot: ["add"]),
        Line(words: ["device"], offers: ["add", "expect"], offersNot: ["status", "serve"]),
        Line(words: ["help"], offers: ["device", "log", "status"], offersNot: ["add", "--json"]),
        Line(words: ["help", "device"], offers: ["add", "expect"], offersNot: ["status"]),
        Line(words: ["help", "device", "add"], offers: [], offersNot: ["--goals", "status"]),
        Line(words: ["help", "status"], offers: [], offersNot: ["status", "device"]),
        Line(words: ["completions"], offers: ["bash", "zsh", "fish"], offersNot: ["status"]),
    ]

    /// Runs a shell with the completions in a file, which it reads as `$1`.
    ///
    /// - Returns: the words that are offered.
    private func offered(_ shell: String, _ code: String) throws -> Set<String> {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let file = "\(folder.path)/script"
        try Data(Completions.script(for: shell).utf8).write(to: URL(fileURLWithPath: file))
        let option = shell == "bash" ? ["--norc"] : shell == "zsh" ? ["-f"] : ["--no-config"]
        let done = try #require(Tool(shell)).run(
            option + ["-c", code, shell, file],
            environment: ["HOME": folder.path, "FILE": file])
        #expect(done.code == 0, "\(done.output)")
        let lines = done.output.split(separator: "\n")
        return Set(lines.map { String($0.prefix { $0 != ":" && $0 != "\t" }) })
    }

    private func check(_ line: Line, _ offered: Set<String>) {
        #expect(offered.isSuperset(of: line.offers), "\(offered)")
        #expect(offered.isDisjoint(with: line.offersNot), "\(offered)")
    }

    private func quoted(_ line: Line) -> String {
        (["beemed-relay"] + line.words + [""]).map { "'\($0)'" }.joined(separator: " ")
    }

    @Test(.enabled(if: Tool.isWanted("bash")), arguments: lines)
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
    @Test(.enabled(if: Tool("zsh") != nil), arguments: lines)
    func `zsh offers the words that may follow`(_ line: Line) throws {
        let code = """
            _describe() { print -l -- ${(P)2} }
            _arguments() {
                local last=$argv[-1]
                [[ $last == *"("*")"* ]] && print -l -- ${=${last##*\\(}%\\)*}
                return 0
            }
            words=(\(quoted(line))) CURRENT=\(line.words.count + 2)
            . "$FILE"
            """
        check(line, try offered("zsh", code))
    }

    @Test(.enabled(if: Tool("fish") != nil), arguments: lines)
    func `fish offers the words that may follow`(_ line: Line) throws {
        let typed = (["beemed-relay"] + line.words + [""]).joined(separator: " ")
        check(line, try offered("fish", "source $FILE; complete -C '\(typed)'"))
    }
}
