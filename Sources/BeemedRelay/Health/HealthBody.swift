import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The samples in a body of health data, whatever its sender: recognized by its shape, never by
/// its Content-Type.
struct HealthBody: Sendable {
    /// Why a body cannot be used.
    enum Fault: Error, Equatable {
        case noJSON
        case unknownShape
        /// The value of a sample; nil when there is none.
        case noNumber(String?)
        /// The only element, or the first of several of which none can be read.
        case unread(Unread)
        case tooMany

        /// The next step, for a person.
        var advice: String {
            switch self {
            case .noJSON: "the body is no JSON; choose JSON as the format of the export"
            case .unknownShape:
                "the body is none that is known; send {\"metric\": \"steps\", \"value\": 8123, "
                    + "\"date\": \"2026-11-22\"}, or a list of these (/docs#health)"
            case .noNumber(let text):
                if let text {
                    "'\(text.prefix(40))' is not a number; write it as in 8123 or 0.25"
                } else {
                    "a 'metric' needs a 'value', a number as in 8123 or 0.25"
                }
            case .unread(let element):
                (element.position.isEmpty ? "" : "\(element.position): ") + element.reason
            case .tooMany: HealthBody.tooLarge
            }
        }
    }

    /// An element that cannot be read, for a person.
    struct Unread: Codable, Sendable, Equatable {
        /// Where it is, as in `data.metrics[0].data[3]`.
        var position: String
        var reason: String
    }

    /// A visit that OwnTracks reports: a press.
    struct Visit: Sendable, Equatable {
        /// The name of the place.
        var place: String
        /// `enter` or `leave`.
        var kind: String
        /// Unix seconds.
        var at: Int64
    }

    private var ungrouped: [HealthSample] = []
    /// The samples of each metric, in the order in which they came; the name is as in the first.
    private(set) var byMetric: [(name: String, samples: [HealthSample])] = []
    private(set) var visit: Visit?
    /// The first of the elements that cannot be read.
    private(set) var unread: [Unread] = []
    /// How many cannot be read.
    private(set) var unreadCount = 0
    /// Whether the sender only tests: nothing may be logged.
    private(set) var isTest = false
    /// Whether it has a value without a date, which is of the present day.
    private(set) var isUndated = false
    /// Whether it came from OwnTracks, which wants a list as the answer.
    private(set) var isOwnTracks = false

    /// The maximum size of a body, in bytes.
    static let maxBytes = 8 << 20
    /// The maximum number of pairs of a metric and a day in a body.
    static let maxDays = 2_000
    /// The maximum number of samples in a body.
    static let maxSamples = 200_000

    /// The maximum number of JSON values in a body: a month of minutes has half as many.
    static let maxValues = 500_000

    /// The maximum number of elements that are named because they cannot be read.
    static let maxUnread = 20

    /// The advice for a body that is too large.
    static let tooLarge =
        "at most 8 MiB and \(maxDays) days of metrics at once: let the app summarise by day, or "
        + "export fewer days and metrics"

    /// What a reader of one sender's shape needs.
    struct Source {
        /// The user's time zone.
        var calendar: GoalCalendar
        /// The time of receipt, for a value without a date.
        var now: UnixTime
        /// How Health Auto Export has summarised, as its head says; nil when it does not.
        var summary: String?
    }

    /// Reads a body.
    ///
    /// - Throws: `Fault`; nothing of the body may be used.
    init(_ bytes: [UInt8], _ source: Source) throws(Fault) {
        let tree: JSONTree
        do throws(JSONTree.Fault) {
            tree = try JSONTree(bytes, maxValues: HealthBody.maxValues)
        } catch { throw error == .tooMany ? .tooMany : .noJSON }
        if let members = tree.members {
            try read(members, source)
        } else if let list = tree.elements {
            try readPlain(list, source)
        } else {
            throw .unknownShape
        }
        try group()
    }

    /// Groups the samples by metric, whatever its spelling.
    private mutating func group() throws(Fault) {
        var keys: [String: String] = [:]
        var places: [String: Int] = [:]
        var days: Set<HealthDay> = []
        for sample in ungrouped {
            let key = keys[sample.metric] ?? HealthMetric.key(sample.metric)
            keys[sample.metric] = key
            days.insert(HealthDay(metric: key, sample.span.day))
            guard days.count <= HealthBody.maxDays else { throw .tooMany }
            if let place = places[key] {
                byMetric[place].samples.append(sample)
            } else {
                places[key] = byMetric.count
                byMetric.append((sample.metric, [sample]))
            }
        }
        ungrouped = []
    }

    private mutating func read(
        _ members: [String: JSONTree], _ source: Source
    ) throws(Fault) {
        if members["_type"] != nil {
            isOwnTracks = true
            return readOwnTracks(members)
        }
        if members["metric"] != nil { return try readPlain([.object(members)], source) }
        if let list = members["metrics"]?.elements { return try readPlain(list, source) }
        if let data = members["data"]?.members {
            guard let type = members["type"]?.text else { return try readAutoExport(data, source) }
            return try readOpenWearables(type, data, source)
        }
        try readHealthConnect(members, source)
    }

    mutating func add(_ sample: HealthSample) throws(Fault) {
        guard ungrouped.count < HealthBody.maxSamples else { throw .tooMany }
        ungrouped.append(sample.bounded)
    }

    /// Notes that an element cannot be read: it must not be missing without a trace.
    mutating func note(_ element: Unreadable, at position: @autoclosure () -> String) {
        unreadCount += 1
        guard unread.count < HealthBody.maxUnread else { return }
        unread.append(
            Unread(
                position: position().cut(to: HealthSample.maxLetters), reason: element.reason))
    }

    mutating func dropSamples() { byMetric = [] }

    mutating func recordTest() { isTest = true }

    private mutating func readOwnTracks(_ members: [String: JSONTree]) {
        guard members["_type"]?.text == "transition", let place = members["desc"]?.text,
            let kind = members["event"]?.text, let at = members["tst"]?.number, at.isFinite,
            (0...1e11).contains(at)
        else { return }
        visit = Visit(
            place: place.cut(to: HealthSample.maxLettersOfSource),
            kind: kind.cut(to: HealthSample.maxLetters), at: Int64(at))
    }

    /// `{"metric","value","date","unit","source"}`: Shortcuts, Home Assistant, anything. A list of
    /// which nothing can be read is refused: whoever writes it by hand looks at the status.
    private mutating func readPlain(_ list: [JSONTree], _ source: Source) throws(Fault) {
        var first: Fault?
        for (index, element) in list.enumerated() {
            let position = list.count == 1 ? "" : "[\(index)]"
            if element["start"] == nil, element["date"] == nil { isUndated = true }
            do throws(Fault) {
                try add(try plain(element, position, source))
            } catch {
                if case .tooMany = error { throw error }
                first = first ?? error
                var reason = error.advice
                if case .unread(let element) = error { reason = element.reason }
                note(Unreadable(reason), at: position)
            }
        }
        if let first, unreadCount == list.count { throw first }
    }

    private func plain(
        _ element: JSONTree, _ position: String, _ source: Source
    ) throws(Fault) -> HealthSample {
        guard let metric = element["metric"]?.text else { throw .unknownShape }
        guard let value = element["value"]?.decimal else {
            throw .noNumber(element["value"]?.text)
        }
        do throws(Unreadable) {
            let span = try span(of: element, source)
            return HealthSample(
                metric: metric,
                values: [
                    "value": HealthSample.Value(value: value, unit: element["unit"]?.text ?? "")
                ], main: "value", kind: element["kind"]?.text, span: span.span,
                source: element["source"]?.text ?? "", role: span.isDay ? .day : .sample)
        } catch {
            throw .unread(Unread(position: position, reason: error.reason))
        }
    }

    /// A day, or a moment, or a start and an end; without any the present day.
    private func span(
        of element: JSONTree, _ source: Source
    ) throws(Unreadable) -> (span: SampleSpan, isDay: Bool) {
        let name = element["start"] == nil ? "date" : "start"
        guard element[name] != nil else {
            let day = source.calendar.day(at: source.now)
            let midnight = day.number * 86_400
            return (SampleSpan(start: midnight, end: midnight, day: day), true)
        }
        let begin = try source.time(of: element, name)
        let end = try source.time(of: element, "end", or: begin)
        let span = SampleSpan(
            start: begin.instant, end: end.instant, day: begin.day, moment: begin.moment)
        return (span, name == "date")
    }
}

/// Why an element cannot be read.
struct Unreadable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// A member that is not what it should be; with it a person finds it.
    init(_ name: String, _ found: JSONTree?, _ wanted: String) {
        let said =
            switch found {
            case nil, .null?: "'\(name)' is missing"
            case .text(let text)?: "'\(name)' is '\(text.cut(to: 40))', which is not valid"
            case .number(let number)?: "'\(name)' is \(number), which is not valid"
            case .flag?, .list?, .object?: "'\(name)' is not valid"
            }
        reason = "\(said): \(wanted)"
    }
}

extension HealthBody.Source {
    /// The time in a member.
    ///
    /// - Parameters:
    ///   - usual: the time without that member; nil when it must be there.
    ///   - offset: as in `SampleTime`.
    func time(
        of element: JSONTree, _ name: String, or usual: SampleTime? = nil, offset: Int64? = nil
    ) throws(Unreadable) -> SampleTime {
        let found = element[name]
        if let usual, found == nil || found == .null { return usual }
        guard let text = found?.text, let time = SampleTime(text, calendar, offset: offset) else {
            throw Unreadable(name, found, "write a time as in 2026-11-22T14:30:00+01:00")
        }
        return time
    }
}

/// A metric's day.
struct HealthDay: Hashable, Sendable {
    /// The key of the metric's name.
    let metric: String
    let day: Daystamp

    init(metric: String, _ day: Daystamp) {
        self.metric = metric
        self.day = day
    }
}

extension JSONTree {
    /// A number that a datapoint may have.
    var amount: Double? { number.flatMap(JSONTree.amount) }

    /// The same, also when it is written as a text, in the decimal digits of any script. A comma is
    /// a decimal one where it cannot part thousands.
    var decimal: Double? {
        (number ?? text.flatMap(JSONTree.number)).flatMap(JSONTree.amount)
    }

    private static func number(_ text: String) -> Double? {
        guard text.utf8.count <= 100, !text.lowercased().contains("x") else { return nil }
        let plain = text.inPlainDigits.trimmed
        if let number = Double(plain) { return number }
        let parts = plain.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count != 3, !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), !parts[0].contains(".")
        else { return nil }
        return Double("\(parts[0]).\(parts[1])")
    }

    private static func amount(_ value: Double) -> Double? {
        value.magnitude <= Press.greatestValue ? value : nil
    }
}
