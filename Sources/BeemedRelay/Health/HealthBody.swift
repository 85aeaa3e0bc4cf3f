import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The samples in a body of health data, whatever its sender: recognized by its shape, never by
/// its Content-Type.
struct HealthBody: Sendable {
    let source: Source
    var samples: [HealthSample] = []
    /// The samples of each metric in the order in which they came; the name is as in the first.
    var byMetric: [(name: String, samples: [HealthSample])] = []
    /// The first of the elements that cannot be read.
    private(set) var unread: [Unreadable] = []
    /// How many cannot be read.
    private(set) var unreadCount = 0
    /// Whether the sender only tests: nothing may be logged.
    var isTest = false
    /// Whether the body has a value without a date, which is of the present day.
    private(set) var isUndated = false
    /// Whether it has a value whose day nobody knows.
    var hasLostDay: Bool { isUndated && !source.isReceiptKnown }
    /// Whether the body came from OwnTracks, which wants a list as the answer.
    private(set) var isOwnTracks = false

    static let maxBytes = 8 << 20
    /// The maximum number of pairs of a metric and a day in a body.
    static let maxDays = 2_000
    /// The maximum number of JSON values in a body: a month of minutes has half as many.
    static let maxValues = 500_000

    /// The maximum number of elements that are named because they cannot be read.
    static let maxUnread = 20

    static let tooLarge =
        "at most 8 MiB and \(maxDays) days of metrics at once: let the app summarise by day, or "
        + "export fewer days and metrics"

    /// The context that a reader of one sender's shape needs.
    struct Source: Sendable {
        /// The user's time zone.
        var calendar: GoalCalendar
        /// The time of receipt, for a value without a date; the present time when the former is not
        /// known.
        var now: UnixTime
        var isReceiptKnown = true
        /// How Health Auto Export has summarised, as its head says; nil when not stated.
        var summary: String?
    }

    /// Reads a body, or throws: then nothing of it may be used.
    init(_ bytes: [UInt8], _ source: Source) throws(Problem) {
        self.source = source
        let tree: JSONTree
        do throws(JSONTree.Fault) {
            tree = try JSONTree(bytes, maxValues: HealthBody.maxValues)
        } catch {
            throw error == .tooMany
                ? .tooManyDays
                : .malformed("the body is not JSON; choose JSON as the format of the export")
        }
        if let members = tree.members {
            try parse(tree, members)
        } else if let list = tree.elements {
            try readPlain(list)
        } else {
            throw .unknownHealthBody
        }
        try group()
    }

    private mutating func parse(_ tree: JSONTree, _ members: [String: JSONTree]) throws(Problem) {
        // `test` is HC Webhook's. The others are a press's: all but false, 0 and null is a yes.
        let dryRun = members["dry_run"] ?? members["dryRun"] ?? .flag(false)
        let isDry = ![.flag(false), .number(0), .null].contains(dryRun)
        isTest = isDry || members["test"] == .flag(true)
        if members["_type"] != nil {
            isOwnTracks = true
            return readOwnTracks(members)
        }
        if members["metric"] != nil { return try readPlain([tree]) }
        if let list = members["metrics"]?.elements { return try readPlain(list) }
        if let data = members["data"]?.members {
            guard let type = members["type"]?.text else { return try readAutoExport(data) }
            return readOpenWearables(type, data)
        }
        try readHealthConnect(members)
    }

    /// Groups the samples by metric, whatever its spelling.
    private mutating func group() throws(Problem) {
        byMetric = Dictionary(grouping: samples) { HealthMetric.key($0.metric) }
            .sorted { $0.key < $1.key }.map { ($1[0].metric, $1) }
        samples = []
        let days = byMetric.reduce(0) { $0 + Set($1.samples.map(\.day)).count }
        guard days <= HealthBody.maxDays else { throw .tooManyDays }
    }

    /// Reads the elements of a list; those that cannot be read are noted.
    ///
    /// - Parameter isAlone: whether the position is that of the only element.
    mutating func read(
        _ list: [JSONTree], at position: String, isAlone: Bool = false,
        _ sample: (HealthRecord) throws(Unreadable) -> HealthSample
    ) -> [HealthSample] {
        var found: [HealthSample] = []
        for (index, element) in list.enumerated() {
            do throws(Unreadable) {
                found.append(try sample(HealthRecord(element, source.calendar)))
            } catch { note(error, at: isAlone ? position : "\(position)[\(index)]") }
        }
        return found
    }

    /// Notes that an element cannot be read: it must not be missing without a trace.
    mutating func note(_ element: Unreadable, at position: String) {
        unreadCount += 1
        guard unread.count < HealthBody.maxUnread else { return }
        unread.append(element)
        unread[unread.count - 1].position = position.cut(to: HealthSample.maxLetters)
    }

    private mutating func readOwnTracks(_ members: [String: JSONTree]) {
        guard members["_type"]?.text == "transition", let name = members["desc"]?.text,
            let kind = members["event"]?.text, let at = members["tst"]?.number, at.isFinite,
            (0...1e11).contains(at)
        else { return }
        samples.append(
            HealthSample(
                metric: name.cut(to: HealthSample.maxLetters),
                values: ["value": HealthSample.Value(value: 1, unit: "visit")], main: "value",
                kind: kind.cut(to: HealthSample.maxLetters),
                start: Int64(at), end: Int64(at),
                day: source.calendar.day(at: UnixTime(Int64(at))),
                source: "OwnTracks", role: .visit))
    }

    /// `{"metric","value","date","unit","source"}`: Shortcuts, Home Assistant, anything. A list of
    /// which nothing can be read is refused: whoever writes it by hand looks at the status.
    private mutating func readPlain(_ list: [JSONTree]) throws(Problem) {
        let today = SampleTime(source.calendar.day(at: source.now), source.calendar)
        let isReceiptKnown = source.isReceiptKnown
        var isUndated = false
        samples = read(list, at: "", isAlone: list.count == 1) {
            (record) throws(Unreadable) in
            let time = record.first(of: HealthShape.plain.begin)
            if time == nil {
                isUndated = true
                if let other = record.otherTime { throw other }
                if !isReceiptKnown { throw Unreadable("nobody knows its day: send its 'date'") }
            }
            guard let metric = record["metric"]?.text else {
                throw Unreadable("'metric' must be the name of a metric, as in steps")
            }
            var sample = try record.sample(
                of: metric, .plain, unit: record["unit"]?.text ?? "", usual: today)
            if time != "start" { sample.makeTotal(.day) }
            if let date = try record.time(["date"]), date.day != sample.day {
                throw Unreadable("'start' and 'date' are of two days: send one of them")
            }
            return sample
        }
        self.isUndated = isUndated
        if samples.isEmpty, isReceiptKnown, let first = unread.first {
            let position = first.position.isEmpty ? "" : "\(first.position): "
            throw .malformed(position + first.reason)
        }
    }
}

extension Problem {
    fileprivate static let tooManyDays = Problem(.tooLarge, HealthBody.tooLarge)

    /// The body is of no known sender.
    static let unknownHealthBody = Problem.malformed(
        "the body has no known form; send {\"metric\": \"steps\", \"value\": 8123, "
            + "\"date\": \"2026-11-22\"}, or a list of these (/docs#health)")
}
