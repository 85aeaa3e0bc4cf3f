import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay export` and `import`: all events as a file, and datapoints from one.
struct TransferCommand {
    private struct Imported: Decodable {
        var lines: Int
        var taken: Int
        var known: Int
        var duplicates: Int
        var skipped: Int
        var notTaken: [NotTaken]?
        var ignored: [String]?
    }

    private struct NotTaken: Decodable {
        var line: Int
        var why: String
    }

    /// The errors of a refused file.
    private struct Refused: Decodable {
        struct Line: Decodable {
            var line: Int?
            var detail: String?
        }
        var errors: [Line]?
    }

    private let invocation: Invocation

    /// Maximum time for the answer to an import, in seconds: a slow disk syncs it in many parts.
    private static let importSeconds = 600.0

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    private func format() throws(Failure) -> String? {
        let (csv, jsonl) = (invocation.arguments.has("csv"), invocation.arguments.has("jsonl"))
        guard !(csv && jsonl) else {
            throw Failure(.usage, "--csv and --jsonl exclude each other; leave one out")
        }
        return csv ? "csv" : jsonl ? "jsonl" : nil
    }

    /// Prints everything, or writes it to a file. A regular file is whole afterwards, or as before.
    func export() throws(Failure) -> ExitCode {
        let query = try format().map { "?format=\($0)" } ?? ""
        let showsProgress = Console.errorIsTerminal
        var shown = -1
        let reply = try invocation.relay().send("GET", "/export\(query)", Data()) { bytes in
            guard showsProgress, bytes >> 20 > shown else { return }
            shown = bytes >> 20
            Console.prompt("\r\(shown) MiB received")
        }
        if shown >= 0 { Console.prompt("\r\(reply.data.count) bytes received\n") }
        guard reply.status == 200 else { throw RunningRelay.failure(reply) }
        guard let file = invocation.arguments["output"] else {
            try print(Console.isTerminal ? harmless(reply.data) : Array(reply.data))
            return .ok
        }
        let bytes = Console.isTerminal(at: file) ? harmless(reply.data) : Array(reply.data)
        do throws(DiskError) {
            try PrivateFile.write(bytes, toAny: file, mode: 0o644)
        } catch { throw Failure(.ioError, "\(file) cannot be written: \(error)") }
        return .ok
    }

    /// The export as a terminal may show it: texts of devices are in it.
    private func harmless(_ data: Data) -> [UInt8] {
        let text = String(decoding: data, as: UTF8.self)
        guard !invocation.arguments.has("jsonl") else {
            return Array(Console.harmless(json: text).utf8)
        }
        return Array(Console.harmless(text.replacing("\r\n", with: "\n")).utf8)
    }

    /// Prints everything on standard output, which may be a file on a full disk.
    private func print(_ bytes: [UInt8]) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.append(bytes, to: STDOUT_FILENO)
        } catch {
            // A reader that is gone needs no more.
            guard error.code != EPIPE else { return }
            throw Failure(.ioError, "standard output cannot be written: \(error)")
        }
    }

    /// Takes all datapoints of a file, or none.
    func importFile() throws(Failure) -> ExitCode {
        let data = try invocation.contents(of: invocation.arguments.words[0])
        var query = try format().map { ["format=\($0)"] } ?? []
        if invocation.arguments.has("dry-run") { query.append("dryRun=1") }
        if invocation.arguments.has("take-duplicates") { query.append("duplicates=take") }
        if let goal = invocation.arguments["goal"] { query.append("goal=\(goal.asQueryValue)") }
        let path = query.isEmpty ? "/import" : "/import?" + query.joined(separator: "&")
        let relay = try invocation.relay()
        let progress = Console.errorIsTerminal ? ImportProgress(of: relay, data.count) : nil
        let reply: RunningRelay.Reply
        do throws(Failure) {
            reply = try relay.send(
                "POST", path, data, type: "text/plain", seconds: TransferCommand.importSeconds)
        } catch {
            progress?.end()
            throw error
        }
        progress?.end("the import is over")
        guard reply.status == 200 else { throw refusal(reply) }
        return try invocation.print(reply.data, as: Imported.self, show)
    }

    /// The refusal, with the lines that are wrong.
    private func refusal(_ reply: RunningRelay.Reply) -> Failure {
        let failure = RunningRelay.failure(reply)
        let lines = (try? JSONDecoder().decode(Refused.self, from: reply.data))?.errors ?? []
        let words = lines.map { "line \($0.line ?? 0): \($0.detail ?? "it cannot be taken")" }
        return Failure(
            failure.code, ([failure.message] + words.prefix(20)).joined(separator: "\n"))
    }

    private func show(_ imported: Imported) {
        let verb = invocation.arguments.has("dry-run") ? "would be taken" : "taken"
        Console.output(
            "\(imported.lines) datapoints: \(imported.taken) \(verb), \(imported.known) "
                + "known already, \(imported.duplicates) duplicates, \(imported.skipped) left out")
        for line in imported.notTaken ?? [] {
            Console.output("line \(line.line): not taken, \(Console.plain(line.why))")
        }
        if imported.duplicates > 0 {
            Console.notice("--take-duplicates takes duplicates as well")
        }
        if let ignored = imported.ignored, !ignored.isEmpty {
            let names = ignored.map(Console.plain).joined(separator: ", ")
            Console.notice("unknown columns: \(names)")
        }
    }
}
