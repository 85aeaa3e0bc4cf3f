import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// All events as a file, and datapoints from one.
    package static let transfer: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(
                .get, "/export", .manage, query: ["format"], [.isPrompt, .isLong],
                handle: ExportRun.begin),
            Route(.get, "/import", .manage, handle: ImportRun.progress),
            Route(
                .post, "/import", .manage, query: TransferOptions.names,
                bodyBytes: ImportRun.maxBytes, handle: ImportRun.begin),
        ]
        leaf.sections = [CommandSection("Watch and keep", TransferCommand.commands)]
        leaf.open = { _, _ in { Transfers() } }
        return leaf
    }()
}

/// The form of an exported or imported file.
enum TransferFormat: String, Sendable {
    case csv, jsonl
}

/// Imports and exports under way.
final class Transfers: LeafState {
    /// Their work on files, off the loop.
    let work = SerialQueue()
    var imports: [ImportRun] = []
    /// The result of the last complete import, without the braces.
    var lastImport: [UInt8]?
    var exports: [ExchangeID: ExportRun] = [:]

    var isBusy: Bool { !imports.isEmpty }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        case .partWanted(let id):
            Task(executorPreference: relay.loop) { [relay] in
                await ExportRun.writePart(of: id, in: relay)
            }
        case .waitEnded(let id): exports[id] = nil
        case .revoked(let isOver): ExportRun.end(in: relay, where: isOver)
        case .failed: ExportRun.end(in: relay) { _ in true }
        default: break
        }
    }
}

extension Relay {
    var transfers: Transfers { state() }
}

extension TransferCommand {
    fileprivate static let commands = [
        CommandSpec(
            "export", "print all events, the history included",
            options: formats + [.data], exclusive: ["csv", "jsonl"],
            about: [
                "CSV (the default) is for spreadsheets and Beeminder; JSON lines lose nothing. In "
                    + "CSV a text that a spreadsheet would run as a formula has an apostrophe "
                    + "before it."
            ], examples: ["export > presses.csv", "export --jsonl > presses.jsonl"]
        ).runs(TransferCommand.export),
        CommandSpec(
            "import FILE", "take datapoints from a file, all or none",
            options: formats + [
                CommandOption("--dry-run", "only say what would be taken"),
                CommandOption("--goal GOAL", "the goal of lines that name none"),
                CommandOption(
                    "--take-duplicates", "take lines whose content is already known, too"),
                .json, .data,
            ], exclusive: ["csv", "jsonl"],
            about: [
                "Reads what 'export' writes, spreadsheets, and Beeminder's own lines, as in 2026 "
                    + "11 20 1 \"with milk\", with 11 20 or 20 for the last such day and ^ for "
                    + "today; '-' is standard input. When a line is wrong nothing is taken, and "
                    + "the lines are named. The same file once more adds nothing."
            ], examples: ["import --dry-run presses.csv", "import --goal water presses.csv"],
            exits: [(.dataError, "lines are wrong, and nothing was taken")]
        ).runs(TransferCommand.importFile),
    ]

    private static let formats = [
        CommandOption("--csv", "as CSV"), CommandOption("--jsonl", "as JSON lines"),
    ]
}
