import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayTrunk

/// Command lines, and the program's answers to those that are wrong.
struct CommandLineTests {
    private let folder = TemporaryFolder()

    private func run(_ arguments: [String]) throws -> (
        code: Int32, output: String, complaint: String
    ) {
        try Executable.run(arguments, input: "")
    }

    @Test func `lines and their help`() {
        each(
            Self.init,
            [
                Self.`every command has help, by three ways`,
                Self.`a wrong line is refused with the next step`,
                Self.`everything that is wrong is named at once`,
                Self.`options stand anywhere, and a negative number is an operand`,
            ])
    }

    private func `every command has help, by three ways`() throws {
        for command in CommandTable.all {
            let text = HelpText.command(command)
            expect(text.hasPrefix("usage: beemed-relay \(command.name)"))
            for option in command.allOptions { expect(text.contains(option.typed)) }
            let isWide = text.split(separator: "\n").contains { line in
                line.count > 79 && !line.hasPrefix("  beemed-relay ")
            }
            expect(!isWide, "\(command.name)")
        }
        for words in [["status"], ["device", "add"]] {
            let help = try run(words + ["--help"])
            expect(help.code, is: 0)
            expect(help.output, is: HelpText.command(try require(CommandTable.command(words))))
            try expect(run(words + ["-h"]).output, is: help.output)
            try expect(run(["help"] + words).output, is: help.output)
        }
        try expect(run(["-h"]).output, is: HelpText.program)
        try expect(run(["--version"]).code, is: 0)
        let lines = HelpText.program.split(separator: "\n").filter { $0.hasSuffix(":") }
        expect(Set(lines).count == lines.count && lines.contains("Reminders:"))
        try expect(run(["device", "--help"]).output, is: HelpText.group("device"))
    }

    private func `a wrong line is refused with the next step`() throws {
        let rows: [([String], String)] = [
            (["stauts"], "'status'"), (["status", "extra"], "'extra'"),
            (["owner-link", "--x"], "--x"),
            (["simulator", "now"], "'now'"), (["serve", "--lsten", "a"], "'--listen'"),
            (["device", "lst"], "'list'"), (["device"], "device add"), (["log"], "GOAL"),
            (["serve", "--listen", "x"], "--listen"),
            (["serve", "--listen"], "HOST:PORT"),
            (["--data", "x", "status"], "behind the command"),
            (["status", "--json=yes"], "takes no value"), (["backup"], "DIR"),
            (["completions", "bash"], "unknown command 'completions'"),
            (["man"], "unknown command 'man'"),
            (["connect", "--auth-token", "secret"], "'-'"),
            (["rule", "add", "walk"], "needs --metric"),
            (
                ["rule", "add", "a", "--metric", "b", "--aggregate", "foo", "--data", "/nowhere"],
                "sum, last, max, min, mean, count"
            ),
            (
                ["rule", "add", "a", "--metric", "b", "--aggregate", "maxx", "--data", "/nowhere"],
                "did you mean 'max'?"
            ),
            (["backup", "/nowhere.tar", "--data", "/nowhere"], "tar cf FILE.tar -C DIR ."),
            (["backup", "/nowhere.tgz/", "--data", "/nowhere"], "name a folder"),
            (["export", "-o", "x.csv"], "no option -o"),
            (["export", "--csv", "--jsonl"], "--csv and --jsonl exclude each other"),
            (["reminder", "goal", "walk", "--hours", "3", "--off"], "exclude each other"),
            (["reminder", "goal", "walk", "--off", "--default"], "exclude each other"),
            (["reminder", "snooze", "--hours", "3", "--end"], "exclude each other"),
            (["device", "add", "esp", "--value", "x"], "--value 'x' is not a number"),
            (["log", "water", " ", "--data", "/nowhere"], "VALUE is empty"),
            (["log", "water", "--id", "", "--data", "/nowhere"], "--id is empty"),
            (["log", "water", "--day", " ", "--data", "/nowhere"], "--day is empty"),
            (["device", "remove", ""], "an empty text for NAME"),
            (["events", "show", ""], "empty"),
        ]
        for (line, words) in rows {
            let done = try run(line)
            expect(done.code, is: 64)
            expect(done.output.isEmpty)
            expect(done.complaint.contains(words), "\(done.complaint)")
            expect(!done.complaint.contains("{\""), "no JSON is shown to a person")
        }
    }

    private func `everything that is wrong is named at once`() throws {
        let done = try run(["status", "--jsn", "extra", "--dta=x"])
        for word in ["--json", "--data", "'extra'"] { expect(done.complaint.contains(word)) }
    }

    private func `options stand anywhere, and a negative number is an operand`() throws {
        let log = try require(CommandTable.command(["log"]))
        let given = try Arguments(["-mhello", "weight", "--id=a=b", "-0.5", "--json"], for: log)
        expect(given.words, is: ["weight", "-0.5"])
        expect(given["comment"], is: "hello")
        expect(given["id"], is: "a=b")
        expect(given.has("json"))
        try expect(Arguments(["--", "--odd"], for: log).words, is: ["--odd"])
    }

    @Test func `commands without and with a relay`() {
        each(
            Self.init,
            [
                Self.`looking creates nothing`,
                Self.`commands that need a relay say how to get one`,
                Self.`a preset that is set again keeps nothing of the former one`,
                Self.`a rule that takes the place of another one is told of`,
            ])
    }

    private func `looking creates nothing`() throws {
        let environment = ["HOME": folder.path]
        let data = "\(folder.path)/.local/share/beemed-relay"
        try folder.make()
        let lines = [
            ["status"], ["device", "list"], ["device", "export"], ["doctor"], ["goals"],
            ["disconnect"],
        ]
        for line in lines + [["service", "status"], ["status", "--settings"]] {
            let end = line == ["doctor"] ? ["--beeminder-url", "http://127.0.0.1:9"] : []
            _ = try Executable.run(line + end, environment: environment)
            expect(!FileManager.default.fileExists(atPath: data), "\(line)")
            let home = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            expect(home.isEmpty, "\(line) has made \(home)")
        }
    }

    private func `commands that need a relay say how to get one`() throws {
        let data = ["--data", folder.path]
        let lines = [
            ["log", "water"], ["events", "list"], ["events", "show", "a"], ["goals"],
            ["pin", "water"], ["unpin", "water"], ["preset", "list"], ["owner-link"],
        ]
        for line in lines {
            let done = try run(line + data)
            expect(done.code, is: 69, "\(line)")
            expect(done.complaint.contains("beemed-relay serve"), "\(line)")
        }
    }

    private func `a preset that is set again keeps nothing of the former one`() throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        // Guards are decided once the clock was compared with Beeminder's.
        try relay.awaitGoals()
        let data = ["--data", folder.path]
        try expect(run(["preset", "set", "glass", "water", "0.25", "-m", "a"] + data).code, is: 0)
        func listed() throws -> [String] {
            try run(["preset", "list"] + data).output.split(separator: "\n").map(String.init)
        }
        try expect(
            listed(),
            is: [
                "PRESET  GOAL   VALUE  GUARDS  COMMENT", "glass   water  +0.25          a",
            ])
        try expect(run(["preset", "set", "glass", "water"] + data).code, is: 0)
        try expect(listed().last, is: "glass   water  +1")
        let guarded = ["--minimum-interval", "5", "--once-per-day"]
        try expect(run(["preset", "set", "glass", "water"] + guarded + data).code, is: 0)
        try expect(listed().last, is: "glass   water  +1     at most every 5 s, once a day")
        let log = ["log", "glass"] + data
        try expect(run(log).output.hasPrefix("water +1 is on the relay's disk: "))
        let again = try run(log)
        expect(
            again.output.hasPrefix(
                "water +1 does not count: by minimumInterval of the preset 'glass', at most one "
                    + "press in 5 s counts; to send it"), "\(again)")
        let known = try require(again.output.components(separatedBy: "events retry ").last)
        try expect(
            run(["events", "show", known] + data).output.contains(
                "guard       by minimumInterval of the preset 'glass'"))
        try expect(run(["preset", "set", "glass", "water", "--once-per-day"] + data).code, is: 0)
        try expect(run(log).output.contains("does not count: by oncePerDay of the preset 'glass'"))
        let id = try require(again.output.components(separatedBy: "events retry ").last)
        try expect(run(["events", "retry", id] + data).code, is: 0)
        let endless = try run(
            ["preset", "set", "glass", "water", "--minimum-interval", "1e30"] + data)
        expect(endless.code == 64 && endless.complaint.contains("seconds from 1 to "))
        let help = HelpText.command(try require(CommandTable.command(["preset", "set"])))
        expect(help.contains("replace"))
    }

    private func `a rule that takes the place of another one is told of`() throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        let data = ["--data", folder.path]
        try expect(run(["rule", "add", "walk", "--metric", "step_count"] + data).complaint, is: "")
        let other = try run(["rule", "add", "walk", "--metric", "distance"] + data)
        expect(other.code, is: 0, "\(other.complaint)")
        expect(other.complaint.contains("replaced the rule 'walk', which was: walk step_count"))
    }

    @Test func `words`() {
        each(
            Self.init,
            [
                Self.`text of others cannot steer the terminal`, Self.`the nearest word is found`,
            ])
    }

    private func `text of others cannot steer the terminal`() {
        let rows: [(String, String?, String?)] = [
            ("a\tb\nc\u{7}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}", "a\tb\nc\\u0007"),
            ("\u{1B}[31m\u{9B}\u{7F}", "\u{FFFD}[31m\u{FFFD}\u{FFFD}", "\\u001b[31m\\u009b\\u007f"),
            ("\u{202E}a\u{2066}", "\u{FFFD}a\u{FFFD}", "\\u202ea\\u2066"),
            ("Grüße \u{1F469}\u{200D}\u{1F680}", nil, nil), ("", nil, nil),
        ]
        for (text, plain, json) in rows {
            expect(Console.plain(text), is: plain ?? text)
            expect(Console.harmless(json: text), is: json ?? text)
        }
    }

    private func `the nearest word is found`() {
        let rows: [(String, String?)] = [
            ("stauts", "status"), ("lissten", "listen"), ("xyz", nil), ("GOALS", "goals"),
            ("eport", "export"),
        ]
        for (text, word) in rows {
            let words = ["status", "listen", "goals", "export", "events"]
            expect(Nearest.word(to: text, in: words), is: word)
        }
    }
}
