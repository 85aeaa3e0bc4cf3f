import BeemedDomain
import Dispatch
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

    /// Prints everything, or writes it to a file. A regular file is whole afterwards, or as before.
    func export() throws(Failure) -> ExitCode {
        let query = format.map { "?format=\($0)" } ?? ""
        let reply = try invocation.relay().send(
            "GET", "/export\(query)", seconds: TransferCommand.exportSeconds)
        guard reply.status == 200 else { throw RunningRelay.failure(reply) }
        guard let file = invocation.arguments["output"] else {
            try Console.output(Console.isTerminal ? harmless(reply.body) : reply.body)
            return .ok
        }
        let bytes = Console.isTerminal(at: file) ? harmless(reply.body) : reply.body
        try onDisk(
            PrivateFile.write(bytes, toAny: file, mode: 0o644), orFail: .ioError,
            "\(file) cannot be written")
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
        let relay = try invocation.relay()
        let reply = try ImportProgress.show(of: relay, content.count) { () throws(Failure) in
            try relay.send(
                "POST", path, content, type: "text/plain", seconds: TransferCommand.importSeconds)
        }
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

/// A line on the terminal that shows how far an import is.
enum ImportProgress {
    /// Seconds between two lines.
    private static let interval = 0.2

    /// Sends an import, and rewrites the line until the end. Later output stands below the line.
    static func show<Answer>(
        of relay: RunningRelay, _ bytes: Int, _ send: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        guard Console.errorIsTerminal else { return try send() }
        Console.prompt("\(bytes) bytes are sent")
        let (isOver, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        SystemThread.start("progress") {
            while isOver.wait(timeout: .now() + interval) == .timedOut {
                if let line = (try? relay.call("GET", "/import")).flatMap(line) { write(line) }
            }
            hasEnded.signal()
        }
        defer { Console.prompt("\n") }
        let answer = Result { () throws(Failure) in try send() }
        isOver.signal()
        hasEnded.wait()
        if case .success = answer { write("the import is over") }
        return try answer.get()
    }

    /// Erases the rest of the former line, too (ECMA-48 section 8.3.41).
    private static func write(_ line: String) { Console.prompt("\r\(line)\u{1B}[K") }

    /// The relay's answer in words; nil when no import is in progress.
    static func line(_ now: RelayAnswer) -> String? {
        let (events, done) = (now["events"].words ?? "0", now["done"].words ?? "0")
        return switch now["state"].text {
        case "reading": "the file is read"
        case "checking": "\(done) of \(events) datapoints are checked"
        case "comparing": "\(events) datapoints are compared with those that are known"
        case "taking": "\(done) of \(events) datapoints are taken"
        default: nil
        }
    }
}
