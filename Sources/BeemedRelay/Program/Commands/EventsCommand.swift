#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay events list|show|undo|retry`.
struct EventsCommand {
    private struct Event: Decodable {
        var requestid: String
        var goal: String
        var value: Double
        var comment: String
        var timestamp: Int64
        var state: String
        var attempts: Int
        var lastError: String?
        /// Of one that was taken back: whether Beeminder has no datapoint of it.
        var erased: Bool?
        var refusal: Why?
        var `guard`: PresetGuardWords?

        struct Why: Decodable {
            var why: String
        }
    }

    private struct Listed: Decodable {
        var events: [Event]
    }

    private let invocation: Invocation
    private let verb: String

    /// - Parameter verb: `list`, `show`, `undo` or `retry`.
    init(_ invocation: Invocation, _ verb: String) {
        self.invocation = invocation
        self.verb = verb
    }

    func run() throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        let answer: Data
        switch verb {
        case "list": return try list()
        case "undo": answer = try invocation.relay().call("DELETE", path)
        case "retry":
            if try isForAll() { return try RetryCommand(invocation).run() }
            let body = arguments["goal"].map { ["goal": $0] }
            answer = try invocation.relay().call("POST", "\(path)/retry", body)
        default: answer = try invocation.relay().call("GET", path)
        }
        return try invocation.print(answer, as: Event.self) { event in
            for line in lines(event) { Console.output(Console.plain(line)) }
        }
    }

    /// Whether all refused presses are meant.
    private func isForAll() throws(Failure) -> Bool {
        let arguments = invocation.arguments
        let isForAll = arguments.has("refused")
        guard isForAll == arguments.words.isEmpty else {
            throw Failure(.usage, "name one press by its ID, or all of them with --refused")
        }
        guard isForAll || arguments["of"] == nil else {
            throw Failure(.usage, "--of GOAL belongs to --refused; --goal GOAL is where it goes")
        }
        return isForAll
    }

    private var path: String { "/events/\(invocation.arguments.words[0].asPathSegment)" }

    private func list() throws(Failure) -> ExitCode {
        var query = ["limit=\((invocation.arguments["limit"] ?? "20").asQueryValue)"]
        for name in ["state", "goal", "device", "since", "until"] {
            if let value = invocation.arguments[name] {
                query.append("\(name)=\(value.asQueryValue)")
            }
        }
        if let text = invocation.arguments["search"] { query.append("q=\(text.asQueryValue)") }
        let answer = try invocation.relay().call(
            "GET", "/events?" + query.joined(separator: "&"))
        return try invocation.print(answer, as: Listed.self) { listed in
            if listed.events.isEmpty { Console.notice("no such events") }
            Console.table(
                ["TIME", "STATE", "GOAL", "VALUE", "REQUEST ID", "COMMENT"],
                listed.events.map { event in
                    [
                        Console.localTime(event.timestamp), event.state, event.goal,
                        event.value.signedText, event.requestid, event.comment,
                    ]
                })
        }
    }

    private func lines(_ event: Event) -> [String] {
        var lines = [
            "request id  \(event.requestid)", "press       \(event.goal) \(event.value.signedText)",
            "time        \(Console.localTime(event.timestamp))",
            "state       \(state(event))",
        ]
        if !event.comment.isEmpty { lines.append("comment     \(event.comment)") }
        if let guardian = event.guard { lines.append("guard       \(guardian.words)") }
        if let why = event.refusal?.why ?? event.lastError { lines.append("error       \(why)") }
        if event.state == "refused" {
            lines.append(
                "next step   beemed-relay events retry \(event.requestid), or events undo "
                    + event.requestid)
        }
        if event.state == "held" {
            lines.append(
                "next step   beemed-relay status says what it waits for. If its goal is unknown: "
                    + "events retry \(event.requestid) --goal GOAL, or events undo "
                    + event.requestid)
        }
        return lines
    }

    private func state(_ event: Event) -> String {
        if event.state == "undone", event.erased == false {
            return "undone; its datapoint is not deleted at Beeminder yet"
        }
        return event.attempts > 1 ? "\(event.state), after \(event.attempts) attempts" : event.state
    }
}
