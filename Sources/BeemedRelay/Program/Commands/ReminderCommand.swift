import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay reminder list|add|remove|test|goal|snooze|quiet`.
struct ReminderCommand {
    private struct Reminders: Decodable {
        struct Service: Decodable {
            var service: String
            var shown: String
            var isSetting: Bool
            var failures: Int
        }

        struct Lead: Decodable {
            var goal: String
            var hours: Int?
            var off: Bool?
        }

        struct Snooze: Decodable {
            var goal: String
            var until: Int64
        }

        struct Attempt: Decodable {
            var at: Int64
            var action: String
            var service: String
            var title: String
            var ok: Bool
            var why: String?
        }

        var quietHours: String
        var offUntil: Int64?
        var services: [Service]
        var goals: [Lead]
        var snoozes: [Snooze]
        var attempts: [Attempt]
    }

    private struct Tested: Decodable {
        struct Result: Decodable {
            var service: String
            var ok: Bool
            var why: String?
        }

        var results: [Result]
    }

    private struct Added: Decodable {
        var service: String
        var shown: String
    }

    private struct Put: Decodable {
        var goal: String?
        var until: Int64?
        /// What the user must know besides.
        var note: String?
    }

    private let invocation: Invocation
    private let verb: String
    private var arguments: Arguments { invocation.arguments }

    /// - Parameter verb: `list`, `add`, `remove`, `test`, `goal`, `snooze` or `quiet`.
    init(_ invocation: Invocation, _ verb: String) {
        self.invocation = invocation
        self.verb = verb
    }

    func run() throws(Failure) -> ExitCode {
        switch verb {
        case "add": return try add()
        case "remove":
            let path = "/reminders/services/\(arguments.words[0].asPathSegment)"
            _ = try invocation.relay().call("DELETE", path)
            Console.output("no reminders are sent to \(arguments.words[0]) any more")
            return .ok
        case "test": return try test()
        case "goal": return try setLead()
        case "snooze": return try snooze()
        case "quiet":
            return try setQuietHours()
        default: return try list()
        }
    }

    private func list() throws(Failure) -> ExitCode {
        let answer = try invocation.relay().call("GET", "/reminders")
        return try invocation.print(answer, as: Reminders.self) { reminders in
            if reminders.services.isEmpty {
                Console.notice(
                    "reminders are sent nowhere; add a service: reminder add ntfy://TOPIC")
            }
            Console.table(
                ["SERVICE", "ADDRESS", "FROM", "FAILURES"],
                reminders.services.map { service in
                    [
                        service.service, service.shown, service.isSetting ? "--notify" : "",
                        service.failures > 0 ? "\(service.failures)" : "",
                    ]
                })
            show(reminders)
        }
    }

    private func show(_ reminders: Reminders) {
        var when = [["quiet hours", reminders.quietHours]]
        if let end = reminders.offUntil {
            when.append(["all", "off until \(Console.localTime(end))"])
        }
        when += reminders.goals.map { [$0.goal, ReminderCommand.words($0)] }
        when += reminders.snoozes.map { [$0.goal, "not before \(Console.localTime($0.until))"] }
        if !reminders.services.isEmpty { Console.output("") }
        Console.table(["GOAL", "WHEN"], when)
        guard !reminders.attempts.isEmpty else { return }
        Console.output("")
        Console.table(
            ["TIME", "SERVICE", "ACTION", "TITLE", "OUTCOME"],
            reminders.attempts.prefix(10).map { attempt in
                [
                    Console.localTime(attempt.at), attempt.service, attempt.action, attempt.title,
                    attempt.ok ? "ok" : attempt.why ?? "failed",
                ]
            })
    }

    /// A goal's lead; without one Beeminder's counts.
    private static func words(_ lead: Reminders.Lead) -> String {
        if lead.off == true { return "never" }
        return lead.hours.map { "\($0) h before it derails" } ?? "as Beeminder reminds"
    }

    private func setQuietHours() throws(Failure) -> ExitCode {
        struct Set: Decodable {
            var quietHours: String
        }
        let body = ["quietHours": arguments.words[0]]
        let hours = try invocation.relay().call("PUT", "/reminders", body).decoded(Set.self)
            .quietHours
        Console.output(
            hours == "off"
                ? "reminders come at any hour"
                : "no reminders come from \(hours.replacing("-", with: " to ")), but for last "
                    + "calls and presses that cannot be delivered")
        return .ok
    }

    private func add() throws(Failure) -> ExitCode {
        let body = ["url": arguments.words[0]]
        let answer = try invocation.relay().call("POST", "/reminders/services", body)
        return try invocation.print(answer, as: Added.self) { added in
            Console.table(["SERVICE", "ADDRESS"], [[added.service, added.shown]])
            Console.notice("try it: reminder test")
        }
    }

    private func test() throws(Failure) -> ExitCode {
        let answer = try invocation.relay().call("POST", "/reminders/test")
        let results = try answer.decoded(Tested.self).results
        _ = try invocation.print(answer, as: Tested.self) { tested in
            Console.table(
                ["SERVICE", "OUTCOME"],
                tested.results.map { [$0.service, $0.ok ? "sent" : $0.why ?? "failed"] })
        }
        return results.allSatisfy(\.ok) ? .ok : .tempFail
    }

    private func setLead() throws(Failure) -> ExitCode {
        let given = ["hours", "off", "default"].filter { arguments[$0] != nil || arguments.has($0) }
        guard given.count < 2 else { throw ReminderCommand.contradiction(given) }
        let path = "/goals/\(arguments.words[0].asPathSegment)/reminder"
        let relay = try invocation.relay()
        let answer: Data
        if arguments.has("off") {
            answer = try relay.call("PUT", path, ["off": true])
        } else if let text = arguments["hours"] {
            let range = ReminderRules.Lead.range
            guard let hours = Int(text), range.contains(hours) else {
                throw Failure(
                    .usage,
                    "--hours '\(text)' is not a number of hours from \(range.lowerBound) to "
                        + "\(range.upperBound)")
            }
            answer = try relay.call("PUT", path, ["hours": hours])
        } else if arguments.has("default") {
            answer = try relay.call("DELETE", path)
        } else {
            throw Failure(.usage, "say --hours N, --off, or --default for Beeminder's own lead")
        }
        let lead = try answer.decoded(Reminders.Lead.self)
        Console.output("reminders of '\(lead.goal)': \(ReminderCommand.words(lead))")
        return .ok
    }

    private static func contradiction(_ options: [String]) -> Failure {
        let names = options.map { "--\($0)" }.joined(separator: " and ")
        return Failure(.usage, "\(names) exclude each other; give one of them")
    }

    private func snooze() throws(Failure) -> ExitCode {
        if arguments.has("end"), arguments["hours"] != nil {
            throw ReminderCommand.contradiction(["hours", "end"])
        }
        let goal = arguments.words.first.map { "?goal=\($0.asQueryValue)" } ?? ""
        let path = "/reminders/snooze\(goal)"
        let relay = try invocation.relay()
        if arguments.has("end") {
            let answer = try relay.call("DELETE", path)
            guard !invocation.wantsJSON else {
                answer.print()
                return .ok
            }
            Console.output(
                arguments.words.first.map { "reminders of '\($0)' come again" }
                    ?? "reminders come again")
            return .ok
        }
        var body: [String: any Encodable] = [:]
        if let text = arguments["hours"] {
            guard let hours = Double(text), hours.isFinite else {
                throw Failure(.usage, "--hours '\(text)' is not a number of hours")
            }
            body["hours"] = hours
        } else {
            body["until"] = "tomorrow"
        }
        let answer = try relay.call("POST", path, body)
        return try invocation.print(answer, as: Put.self) { put in
            if let until = put.until {
                let subject = put.goal.map { " of '\($0)'" } ?? ""
                Console.output("no reminders\(subject) until \(Console.localTime(until))")
            }
            if let note = put.note { Console.notice(Console.plain(note)) }
        }
    }
}
