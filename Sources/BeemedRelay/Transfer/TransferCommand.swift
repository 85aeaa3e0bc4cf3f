import BeemedDomain
import RelayHTTP
import RelayTrunk

/// `beemed-relay export` and `import`: all events as a file, and datapoints from one.
struct TransferCommand: CommandAction {
    let invocation: Invocation

    /// Maximum time for the answer to an import, in seconds: a slow disk syncs it in many parts.
    private static let importSeconds = 600.0
    /// The same for an export: years of events from a slow card.
    private static let exportSeconds = 3_600.0

    private var format: String? { ["csv", "jsonl"].first(where: invocation.arguments.has) }

    /// Prints everything.
    func export() throws(Failure) -> ExitCode {
        let query = format.map { "?format=\($0)" } ?? ""
        let reply = try invocation.relay().send(
            "GET", "/export\(query)", seconds: TransferCommand.exportSeconds)
        guard reply.status == 200 else { throw RunningRelay.failure(reply) }
        try Console.output(Console.isTerminal ? harmless(reply.body) : reply.body)
        return .ok
    }

    /// The export as a terminal may show it, since devices wrote its texts.
    private func harmless(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !invocation.arguments.has("jsonl") else {
            return Array(Console.harmless(json: text).utf8)
        }
        return Array(Console.harmless(text.replacing("\r\n", with: "\n")).utf8)
    }

    /// Takes all datapoints of a file, or none.
    func importFile() throws(Failure) -> ExitCode {
        let content = try invocation.contents(of: invocation.arguments.words[0])
        var query = format.map { ["format=\($0)"] } ?? []
        if invocation.arguments.has("dry-run") { query.append("dryRun=1") }
        if invocation.arguments.has("take-duplicates") { query.append("duplicates=take") }
        if let goal = invocation.arguments["goal"] { query.append("goal=\(goal.asQueryValue)") }
        let path = query.isEmpty ? "/import" : "/import?" + query.joined(separator: "&")
        let reply = try invocation.relay().send(
            "POST", path, content, type: "text/plain", seconds: TransferCommand.importSeconds)
        guard reply.status == 200 else { throw refusal(reply) }
        return invocation.show(try RelayAnswer(reply.body), by: show)
    }

    /// The refusal, with the lines that are wrong.
    private func refusal(_ reply: UpstreamAnswer) -> Failure {
        let failure = RunningRelay.failure(reply)
        let errors = (try? RelayAnswer(reply.body))?["errors"].list ?? []
        let words = errors.prefix(20).map { error in
            "line \(error["line"].words ?? "0"): \(error["detail"].words ?? "it cannot be taken")"
        }
        return Failure(failure.code, ([failure.message] + words).joined(separator: "\n"))
    }

    private func show(_ imported: RelayAnswer) {
        let verb = invocation.arguments.has("dry-run") ? "would be taken" : "taken"
        let counts = ["lines", "taken", "known", "duplicates", "skipped"].map { imported[$0].text }
        Console.output(
            "\(counts[0]) datapoints: \(counts[1]) \(verb), \(counts[2]) known already, "
                + "\(counts[3]) duplicates, \(counts[4]) left out")
        for line in imported["notTaken"].list {
            let why = Console.plain(line["why"].text)
            Console.output("line \(line["line"].text): not taken, \(why)")
        }
        if counts[3] != "0" { Console.notice("--take-duplicates takes duplicates as well") }
        let ignored = imported["ignored"].list.map { Console.plain($0.text) }
        if !ignored.isEmpty {
            Console.notice("unknown columns: \(ignored.joined(separator: ", "))")
        }
    }
}
