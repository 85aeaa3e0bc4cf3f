import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayCommands
@testable import RelayTrunk

/// Lists and changes as a person at the command line sees them.
struct ListCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ line: String, input: String = "") throws
        -> (code: Int32, output: String, complaint: String)
    {
        try Executable.run(
            line.split(separator: " ").map(String.init) + ["--data", folder.path], input: input)
    }

    @Test func `a value is judged by the relay, as a device's is`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        defer { relay.stop() }
        try expect(run("log water 1:30").output.hasPrefix("water +1.5 is on the relay's disk"))
        try expect(run("log water -2").output.hasPrefix("water -2 is on the relay's disk"))
        let refused = try run("log water 1,5")
        expect(refused.code == 65 && refused.complaint.contains("dot"), "\(refused)")
    }

    @Test func `every list has headings above aligned columns, and its JSON has none`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        defer { relay.stop() }
        for line in [
            "log water 250", "preset set glass water 0.25", "rule add water --metric steps",
            "device add kitchen --goal water", "reminder add ntfy+http://127.0.0.1:9/topic",
            "reminder goal water --hours 3",
        ] {
            let done = try run(line)
            expect(done.code == 0 && !done.output.isEmpty, "\(line): \(done)")
        }
        for (line, headings) in [
            ("events list", ["TIME", "STATE", "GOAL", "VALUE", "REQUEST ID", "COMMENT"]),
            ("goals", ["GOAL", "URGENCY", "LEFT", "DUE", "TODAY", "WAITING", "PINNED", "TITLE"]),
            ("preset list", ["PRESET", "GOAL", "VALUE", "GUARDS", "COMMENT"]),
            ("rule list", ["RULE", "METRIC", "GOAL", "AGGREGATE", "CONDITIONS"]),
            ("device list", ["DEVICE", "RIGHTS", "GOALS", "EMPTY PRESS", "LAST SEEN"]),
            ("reminder list", ["SERVICE", "ADDRESS", "FROM", "FAILURES"]),
            ("status --settings", ["SETTING", "VALUE", "FROM"]),
        ] {
            let lines = try run(line).output.components(separatedBy: "\n")
            let head = try require(lines.first)
            var place = head.startIndex
            for heading in headings {
                let found = try require(head[place...].range(of: heading), "\(line): \(head)")
                place = found.upperBound
                // The second column begins below its heading.
                guard heading == headings[1], lines.count > 1 else { continue }
                let offset = head.distance(from: head.startIndex, to: found.lowerBound)
                let row = Array(lines[1])
                expect(row.count > offset && row[offset] != " ", "\(line): \(lines)")
                expect(row[offset - 1], is: " ", "\(line): \(lines)")
            }
            let json = try run("\(line) --json").output
            expect(json.hasPrefix("{"), "\(line): \(json)")
            let command = try require(
                CommandTable.command(
                    line.split(separator: " ").prefix { $0 != "--settings" }.map(String.init)))
            let isList = line != "status --settings"
            expect(HelpText.command(command).contains("headings"), is: isList, "\(line)")
        }
    }

    @Test func `a list without entries has no headings`() throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        for line in ["events list", "preset list", "rule list", "goals"] {
            let done = try run(line)
            expect(done.code == 0 && done.output.isEmpty && !done.complaint.isEmpty, "\(line)")
        }
    }

    @Test func `what is changed is told`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        defer { relay.stop() }
        for line in [
            "device add kitchen", "preset set glass water", "rule add water --metric steps",
            "reminder add ntfy+http://127.0.0.1:9/topic",
        ] {
            try expect(run(line).code, is: 0, "\(line)")
        }
        let service = try require(
            try run("reminder list").output.split(separator: "\n").dropFirst().first?
                .split(separator: " ").first)
        for (line, words) in [
            ("reminder goal water --hours 3", "reminders of 'water': 3 h before it derails"),
            ("reminder goal water --off", "reminders of 'water': never"),
            ("reminder goal water --default", "reminders of 'water': as Beeminder reminds"),
            ("reminder quiet 23:00-06:30", "no reminders come from 23:00 to 06:30"),
            ("reminder quiet off", "reminders come at any hour"),
            ("reminder snooze water --hours 1", "no reminders of 'water' until 20"),
            ("reminder snooze water --end", "reminders of 'water' come again"),
            ("reminder snooze --end", "reminders come again"),
            ("reminder remove \(service)", "no reminders are sent to \(service) any more"),
            ("device expect kitchen 1d", "a reminder comes when kitchen has been silent for 1d"),
            ("device expect kitchen off", "kitchen may be silent"),
            ("preset remove glass", "the preset 'glass' is removed"),
            ("rule remove water", "the rule 'water' is removed"),
        ] {
            let done = try run(line)
            expect(done.code == 0 && done.output.hasPrefix(words), "\(line): \(done)")
        }
    }

    @Test func `a snooze behind the deadline is told`() throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        defer { relay.stop() }
        let list = try members(try relay.call("GET", "/goals").body)["goals"] as? [NSDictionary]
        let now = Int(Date().timeIntervalSince1970)
        let goal = try require(
            list?.first {
                ($0["losedate"] as? Int).map { $0 > now && $0 < now + 160 * 3_600 } ?? false
            })
        let slug = try require(goal["slug"] as? String)
        let hours = (try require(goal["losedate"] as? Int) - now) / 3_600 + 2
        let words = "derails before that; its last call comes all the same"
        let one = try run("reminder snooze \(slug) --hours \(hours)")
        expect(one.code == 0 && one.complaint.contains("'\(slug)' \(words)"), "\(one)")
        let all = try run("reminder snooze --hours \(hours)")
        expect(all.code == 0 && all.complaint.contains("'\(slug)'"), "\(all)")
        try expect(run("reminder snooze \(slug) --hours 0.001").complaint.isEmpty)
        try expect(run("reminder goal \(slug) --off").code, is: 0)
        try expect(run("reminder snooze \(slug) --hours \(hours)").complaint.isEmpty)
    }

    @Test(
        arguments: [
            (-5, "derailed"), (0, "derailed"), (59, "under 1 min"), (60, "1 min"),
            (3_599, "59 min"),
            (3_600, "1 h"), (12_000, "3 h 20 min"), (86_399, "23 h 59 min"), (86_400, "1 d"),
            (442_800, "5 d 3 h"),
        ] as [(Int64, String)])
    func `the time left is told in two units`(_ seconds: Int64, _ words: String) {
        expect(GoalCommands.left(seconds), is: words)
    }

    @Test(arguments: [
        ("BEEMINDER_AUTH_TOKEN", "\"abc\""), ("BEEMINDER_AUTH_TOKEN", "'abc'"),
        ("BEEMINDER_ACCESS_TOKEN", "\u{201C}abc\u{201D}"),
    ])
    func `a quoted token in the environment is told as that`(
        _ name: String, _ token: String
    ) throws {
        let environment = [name: token]
        let words = "\(name) is not a valid token: that is no token"
        let data = ["--data", folder.path]
        let connected = try Executable.run(
            ["connect"] + data, environment: environment, input: "")
        expect(connected.code == 65 && connected.complaint.contains(words), "\(connected)")
        let stopped = try Executable.run(["status"] + data, environment: environment, input: "")
        expect(stopped.output.contains(words), "\(stopped)")
        let relay = try Executable(
            ["serve", "--listen", "127.0.0.1:0", "--beeminder-url", "http://127.0.0.1:9"] + data,
            environment: environment)
        _ = try require(relay.line())
        // The first look at the token comes soon after the start.
        var status = try run("status")
        try waitUntil("the alarm is shown") {
            status = try run("status")
            return status.output.contains("alarm")
        }
        expect(status.output.contains("account     \(words)"), "\(status)")
        expect(status.output.contains("alarm       \(words)"), "\(status)")
        let doctor = try run("doctor --beeminder-url http://127.0.0.1:9")
        expect(doctor.output.contains(words), "\(doctor)")
        expect(relay.terminate(), is: 0)
    }

    @Test func `doctor tells the refusals of devices, not those of persons`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try expect(run("unpin nothing").code != 0)
        try expect(relay.call("GET", "/presets/none", token: relay.owner).status, is: 404)
        let browser = ["User-Agent: Mozilla/5.0"]
        try expect(relay.call("GET", "/context", token: "-", fields: browser).status, is: 401)
        let line = "doctor --beeminder-url http://127.0.0.1:9"
        expect(!(try run(line).output.contains("last refusal")))
        try expect(relay.call("POST", "/log/water", "much").status, is: 422)
        try expect(run(line).output.contains("last refusal"))
    }
}
