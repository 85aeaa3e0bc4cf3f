import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The options of `POST /import`.
struct ImportOptions: Sendable {
    /// Nil: found out from the content.
    var format: TransferFormat?
    /// Nothing is taken; the answer says what would be.
    var isDryRun = false
    /// Whether events that are known with the same content are taken once more.
    var takesDuplicates = false
    /// The goal of lines that name none.
    var goal: String?

    /// The parameters of its query.
    static let names = ["format", "dryRun", "dry_run", "duplicates", "goal"]

    /// Reads the query.
    ///
    /// - Throws: `Problem` for an invalid value.
    init(query: String?) throws(Problem) {
        for (name, value) in FormDecoder.pairs(query ?? "") {
            switch name {
            case "format":
                guard let format = TransferFormat(rawValue: value) else { throw .unknownFormat }
                self.format = format
            case "dryRun", "dry_run": isDryRun = !["0", "false", "no"].contains(value)
            case "duplicates":
                guard ["skip", "take"].contains(value) else {
                    throw .malformed("'duplicates' must be 'skip' or 'take'")
                }
                takesDuplicates = value == "take"
            case "goal":
                guard GoalSlug(value) != nil else { throw .malformed("'goal' must be a goal") }
                goal = value
            default: break  // The token.
            }
        }
    }
}

/// An import in progress. It runs in slices, with other requests in between, so that a long file
/// does not delay a button.
struct ImportRun {
    /// What it does next.
    enum Stage: String {
        case reading, comparing, checking, taking, waiting
    }

    /// A line that is not taken, although nothing is wrong with it.
    struct Skipped: Sendable {
        var line: Int
        /// Why, as a word of the API.
        var why: String
        /// The request id of the event that says the same, if there is one.
        var known: String?
    }

    let call: Call
    let options: ImportOptions
    var stage = Stage.reading
    var reader: ImportReader
    let calendar: GoalCalendar
    /// The time of receipt.
    let received: Moment
    /// The events that are to be taken.
    var events: [ImportedEvent] = []
    var report = Report()
    var comparison = Comparison()
    var rehearsal = RelayCore.Rehearsal()
    var taking = Taking()

    /// What the answer tells.
    struct Report: Sendable {
        /// Lines with an event, or with a fault.
        var lines = 0
        fileprivate(set) var skipped: [Skipped] = []
        fileprivate(set) var skippedCount = 0
        fileprivate(set) var faults: [ImportFault] = []
        fileprivate(set) var faultCount = 0
        /// Events of the file that are known under their own request id.
        var knownCount = 0
        var duplicateCount = 0
        var taken = 0
    }

    /// The comparison of contents with what is known.
    struct Comparison {
        /// The keys of events that are known under their own request id: none of them stands for
        /// another line of the same content.
        var knownKeys: Set<EventKey> = []
        /// Events that stand for one line already: an event may move to the history meanwhile.
        var matched: Set<SequenceNumber> = []
        /// Where each content stands in `events`.
        var contents: [ImportedEvent.Content: [Int]] = [:]
        /// Indices in `events` of those that are known by content.
        var duplicates: [Int: String] = [:]
        /// The next event of the relay to compare with; nil begins with the newest.
        var before: SequenceNumber?
    }

    /// The way of the events through the core.
    struct Taking {
        /// The next event to check or to take.
        var index = 0
        /// Events whose records are being written.
        var unwritten = 0
        /// The reason why there was no room for an event, if there was none: then no more are
        /// taken.
        var trouble: Problem?
    }

    /// Content of one request, in bytes, at most.
    static let mostBytes = 8 << 20
    /// Events of one file, at most.
    static let mostEvents = 20_000
    /// Faults and skipped lines that are listed, at most.
    static let mostListed = 100
    /// Unsynced events, at most: the outcomes of more at once would take long to process.
    static let mostUnwritten = 200
    /// Time limit of one slice, in nanoseconds.
    static let sliceNanoseconds: Int64 = 2_000_000

    init(
        _ call: Call, _ options: ImportOptions, _ body: [UInt8], _ calendar: GoalCalendar,
        at received: Moment
    ) {
        self.call = call
        self.options = options
        self.calendar = calendar
        self.received = received
        reader = ImportReader(body, options.format, goal: options.goal)
    }

    mutating func add(_ fault: ImportFault) {
        report.faultCount += 1
        if report.faults.count < ImportRun.mostListed { report.faults.append(fault) }
    }

    mutating func skip(_ line: Int, _ why: String, known: String? = nil) {
        report.skippedCount += 1
        guard report.skipped.count < ImportRun.mostListed else { return }
        report.skipped.append(Skipped(line: line, why: why, known: known))
    }

    /// Marks the first event of that content which is not marked yet.
    mutating func mark(_ content: ImportedEvent.Content, as known: String) -> Bool {
        guard var places = comparison.contents[content], !places.isEmpty else { return false }
        comparison.duplicates[places.removeFirst()] = known
        comparison.contents[content] = places
        return true
    }

    /// Its outcome, without the contents of the file.
    var outcome: ImportRun {
        var run = self
        run.reader = ImportReader([], .csv, goal: nil)
        (run.events, run.comparison.contents, run.rehearsal) = ([], [:], RelayCore.Rehearsal())
        return run
    }

    /// The outcome, as the answer tells it.
    func write(to json: inout JSONWriter) {
        json.add("lines", Int64(report.lines))
        json.add("taken", Int64(options.isDryRun ? events.count : report.taken))
        json.add("known", Int64(report.knownCount))
        json.add("duplicates", Int64(report.duplicateCount))
        json.add("skipped", Int64(report.skippedCount - report.duplicateCount))
        guard !report.skipped.isEmpty else { return }
        json.addArray("notTaken") { list in
            for skip in report.skipped {
                list.object { json in
                    json.add("line", Int64(skip.line))
                    json.add("why", skip.why)
                    if let known = skip.known { json.add("requestid", known) }
                }
            }
        }
    }
}

/// Imports and exports in progress.
final class Transfers: LeafState {
    /// Their work on the disk, off the loop.
    let work = SerialQueue()
    var importing: ImportRun?
    /// Those that wait for it to end; each holds a file of up to 8 MiB.
    var waiting: [ImportRun] = []
    /// Imports that may wait, at most.
    static let mostWaiting = 4
    var isImportPosted = false
    /// The last import that is complete.
    var lastImport: ImportRun?
    var exports: [ExchangeID: ExportRun] = [:]

    var isBusy: Bool { importing != nil || !waiting.isEmpty }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        case .partWanted(let id): relay.continueExport(id)
        case .waitEnded(let id): exports[id] = nil
        case .revoked(let isOver): relay.endExports(where: isOver)
        case .drained: relay.abandonImport()
        case .failed:
            relay.abandonImport()
            relay.endExports { _ in true }
        case .settingsChanged, .devicesChanged, .effect, .stopping: break
        }
    }
}

extension Relay {
    var transfers: Transfers { state() }
}

extension Problem {
    static let unknownFormat = Problem.malformed("'format' must be 'csv' or 'jsonl'")
}
