import BeemedDomain
import RelayTrunk

enum PressCommands {
    static let all = [
        CommandSpec(
            "log GOAL [VALUE]", "log a press", kinds: ["VALUE": .filled],
            options: [
                CommandOption("-m, --comment TEXT", "its comment"),
                CommandOption("--id ID", "its id: the same id twice is one press", .filled),
                CommandOption(
                    "--day DAY", as: "daystamp", "the day it is for, as in 2026-11-18", .filled),
                .json, .data,
            ], about: ["GOAL is a goal or a preset; without VALUE it counts 1, and 1:30 is 1.5."],
            examples: ["log water", "log weight 70.4 -m 'after breakfast'"]
        ).runs(log),
        CommandSpec(
            "events list", "show presses, the newest first",
            options: [
                CommandOption(
                    "--state A,B",
                    "of these states only: queued, sending, delivered, held, refused, undone, "
                        + "guarded, merged"),
                CommandOption("--goal GOAL", "to this goal only"),
                CommandOption("--device NAME", "of this device only"),
                CommandOption("--since SECONDS", "from this Unix time on"),
                CommandOption("--until SECONDS", "up to this Unix time"),
                CommandOption(
                    "--search TEXT", as: "q", "with this text in comment, goal or request id"),
                CommandOption("--limit N", "this many, 1 to 500 (default 20)"), .json, .data,
            ], about: [CommandSpec.columns],
            examples: ["events list --state refused", "events list --search milk"]
        ).runs(listEvents),
        CommandSpec(
            "events show ID", "show one press", options: [.json, .data],
            about: ["ID is the request id that 'events list' shows, or DEVICE.ID."]
        ).asks("GET", "/events/{ID}", show: showEvent),
        CommandSpec(
            "events undo ID", "take a press back", options: [.json, .data],
            about: ["What Beeminder has of it is deleted there."]
        ).asks("DELETE", "/events/{ID}", show: showEvent),
        CommandSpec(
            "events retry [ID]", "send a refused, held or not counted press again",
            options: [
                CommandOption("--goal GOAL", "to this goal instead"),
                CommandOption("--refused", "all that Beeminder has refused, without ID"),
                CommandOption("--of GOAL", "with --refused: of this goal only"), .json, .data,
            ], examples: ["events retry --refused --of water"]
        ).runs(retry),
    ]

    private static func log(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let relay = try invocation.relay()
        let accepted = try invocation.ask("POST", "/log/{GOAL}", at: relay)
        let press = "\(accepted["goal"].text) \(accepted["value"].signed)"
        let known = accepted["duplicate"].isTrue ? ", known already" : ""
        let reason = accepted["guard"].ifThere.map { ": \(guardWords($0))" } ?? ""
        let words =
            accepted["state"].text == EventState.guarded.rawValue
            ? "\(press) does not count\(reason); to send it all the same: beemed-relay events "
                + "retry \(accepted["id"].text)"
            : "\(press) is on the relay's disk\(known): \(accepted["requestid"].text)"
        invocation.wantsJSON ? accepted.print() : Console.output(words)
        // The alarm about a goal that derails soon while presses for it wait.
        let alarms = (try? relay.health())?["alarms"].list ?? []
        for alarm in alarms where alarm.text.hasPrefix("'\(accepted["goal"].text)' ") {
            Console.notice(Console.plain(RunningRelay.words(alarm.text)))
        }
        return .ok
    }

    private static func listEvents(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let limit = JSONTree.text(invocation.arguments["limit"] ?? "20")
        return invocation.show(try invocation.ask("GET", "/events", ["limit": limit])) {
            let events = $0["events"].list
            if events.isEmpty { Console.notice("no such events") }
            Console.table(
                ["TIME", "STATE", "GOAL", "VALUE", "REQUEST ID", "COMMENT"],
                events.map { event in
                    [
                        event["timestamp"].time, event["state"].text, event["goal"].text,
                        event["value"].signed, event["requestid"].text, event["comment"].text,
                    ]
                })
        }
    }

    @Sendable private static func showEvent(_ event: RelayAnswer, _ arguments: Arguments) {
        let id = event["requestid"].text
        let steps = [
            "refused": "beemed-relay events retry \(id), or events undo \(id)",
            "held": "beemed-relay status says what it waits for. If its goal is unknown: events "
                + "retry \(id) --goal GOAL, or events undo \(id)",
        ]
        let comment = event["comment"].text
        Console.pairs([
            ("request id", id), ("press", "\(event["goal"].text) \(event["value"].signed)"),
            ("time", event["timestamp"].time), ("state", state(of: event)),
            ("comment", comment.isEmpty ? nil : comment),
            ("guard", event["guard"].ifThere.map(guardWords)),
            ("error", event["refusal"]["why"].words ?? event["lastError"].words),
            ("next step", steps[event["state"].text]),
        ])
    }

    private static func state(of event: RelayAnswer) -> String {
        let (state, attempts) = (event["state"].text, event["attempts"].whole ?? 0)
        if state == "undone", event["erased"].ifThere?.isTrue == false {
            return "undone; its datapoint is not deleted at Beeminder yet"
        }
        return attempts > 1 ? "\(state), after \(attempts) attempts" : state
    }

    /// The guard of a preset that keeps a press from being sent.
    private static func guardWords(_ guarding: RelayAnswer) -> String {
        let name = guarding["preset"].words.map { "the preset '\($0)'" } ?? "its preset"
        if let seconds = guarding["minimumInterval"].whole {
            return "by minimumInterval of \(name), at most one press in \(seconds) s counts"
        }
        return "by oncePerDay of \(name), only the first datapoint of the goal's day counts"
    }

    private static func retry(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        guard arguments.has("refused") == arguments.words.isEmpty else {
            throw Failure(.usage, "name one press by its ID, or all of them with --refused")
        }
        guard arguments.has("refused") || arguments["of"] == nil else {
            throw Failure(.usage, "--of GOAL belongs to --refused; --goal GOAL is where it goes")
        }
        if arguments.has("refused") { return try retryRefused(invocation) }
        let answer = try invocation.ask("POST", "/events/{ID}/retry")
        return invocation.show(answer) { showEvent($0, arguments) }
    }

    /// Sends every refused press again, one by one. A press sent twice counts once, so that this
    /// can be repeated at any time.
    private static func retryRefused(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let relay = try invocation.relay()
        let ids = try refused(invocation, relay)
        let body = invocation.arguments["goal"].map { ["goal": JSONTree.text($0)] }
        var (sent, faults) = (0, [Failure]())
        // The oldest first, as they were made.
        for id in ids.reversed() {
            do throws(Failure) {
                _ = try relay.call("POST", "/events/\(id.asPathSegment)/retry", body)
                sent += 1
            } catch { faults.append(error) }
        }
        // A press that was merged is sent with another one.
        let left = faults.isEmpty ? 0 : Set(try refused(invocation, relay)).intersection(ids).count
        if invocation.wantsJSON {
            Console.json(["sent": sent, "left": left])
        } else {
            Console.output(
                ids.isEmpty
                    ? "no press is refused"
                    : "sent again: \(sent); 'events list' says what becomes of them")
        }
        guard left > 0, let fault = faults.first else { return .ok }
        throw Failure(fault.code, "\(left) are still refused: \(fault.message)")
    }

    /// The request ids of all refused presses that are meant, the newest first.
    private static func refused(
        _ invocation: Invocation, _ relay: RunningRelay
    ) throws(Failure) -> [String] {
        let goal = invocation.arguments["of"].map { "&goal=\($0.asQueryValue)" } ?? ""
        var (ids, before) = ([String](), "")
        while true {
            let page = try relay.call(
                "GET", "/events?state=refused&limit=500\(goal)\(before)")
            ids += page["events"].list.map { $0["requestid"].text }
            guard let next = page["next"].whole else { return ids }
            before = "&before=\(next)"
        }
    }
}
