import BeemedDomain
import RelayTrunk

/// The form of an exported or imported file.
enum TransferFormat: String, Sendable {
    case csv, jsonl
}

/// Reads the events of an imported file one by one: a table, JSON lines, or Beeminder's own format.
/// It can pause after each step, and no step is long, so that a file is read in slices.
struct ImportReader: Sendable {
    private enum Source {
        case csv(CSVReader, CSVColumns?)
        case jsonl(LineReader)
        /// In Beeminder's own format.
        case beeminder(LineReader)
    }

    private var source: Source
    /// The goal of a line that names none.
    private let goal: String?
    /// How often each content has occurred.
    private var seen: [String: Int] = [:]
    /// Columns that mean nothing.
    private(set) var ignored: [String] = []

    /// A reader before the first line.
    ///
    /// - Parameter format: found out from the first byte if nil.
    init(_ bytes: [UInt8], _ format: TransferFormat?, goal: String?) {
        self.goal = goal
        switch format ?? ImportReader.format(of: bytes) {
        case .csv where format == nil && ImportReader.isBeeminders(bytes):
            source = .beeminder(LineReader(bytes))
        case .csv: source = .csv(CSVReader(bytes), nil)
        case .jsonl: source = .jsonl(LineReader(bytes))
        }
    }

    /// Bytes in which the format shows.
    private static let shownBytes = 65_536

    private static func format(of bytes: [UInt8]) -> TransferFormat {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].prefix(shownBytes).first {
            $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D
        }
        return first == UInt8(ascii: "{") ? .jsonl : .csv
    }

    /// Whether the first line that is not blank is in Beeminder's own format.
    private static func isBeeminders(_ bytes: [UInt8]) -> Bool {
        var lines = LineReader(Array(bytes.prefix(shownBytes)))
        while !lines.isAtEnd {
            if let line = try? lines.next() { return BeeminderLine.isLikely(line.text) }
        }
        return false
    }

    /// Whether nothing is left to read.
    var isAtEnd: Bool {
        switch source {
        case .csv(let reader, _): reader.isAtEnd
        case .jsonl(let lines), .beeminder(let lines): lines.isAtEnd
        }
    }

    /// The next event; nil at the end, and after a step over what is none.
    ///
    /// - Throws: `ImportFault`; reading goes on behind that line.
    mutating func next(
        _ calendar: GoalCalendar, now: UnixTime
    ) throws(ImportFault) -> ImportedEvent? {
        guard let fields = try nextFields() else { return nil }
        var event = try fields.event(defaultGoal: goal, calendar, now: now)
        event.identify(counting: &seen)
        return event
    }

    private mutating func nextFields() throws(ImportFault) -> ImportFields? {
        switch source {
        case .jsonl(var lines):
            defer { source = .jsonl(lines) }
            guard let line = try lines.next() else { return nil }
            return try ImportFields(json: line.text, line: line.number)
        case .beeminder(var lines):
            defer { source = .beeminder(lines) }
            guard let line = try lines.next() else { return nil }
            return try BeeminderLine.fields(line)
        case .csv(var reader, var columns):
            defer { source = .csv(reader, columns) }
            while let row = try reader.next() {
                if let known = columns { return try known.fields(row) }
                let found = try CSVColumns(row, separator: reader.separator)
                (columns, ignored) = (found, found.ignored)
                if !found.isHeader { return try found.fields(row) }
            }
            return nil
        }
    }
}

extension ImportFields {
    /// A line of the relay's own export, or a press as `POST /events` takes it.
    fileprivate init(json text: ArraySlice<UInt8>, line: Int) throws(ImportFault) {
        self.init(line: line)
        var reader = BodyReader.JSON(text)
        var fields = self
        do throws(BodyReader.JSON.Fault) {
            try reader.object { (name, value) throws(BodyReader.JSON.Fault) in
                try fields.read(name, &value)
            }
            try reader.end()
        } catch {
            throw ImportFault(line: line, detail: "this is no JSON object on one line")
        }
        self = fields
    }

    private mutating func read(
        _ name: String, _ json: inout BodyReader.JSON
    ) throws(BodyReader.JSON.Fault) {
        if name == "metadata" {
            guard json.isAt(.object) else { return try json.skip() }
            try json.object { (name, value) throws(BodyReader.JSON.Fault) in
                if case .text(let text) = try value.scalar() { metadata[name] = text }
            }
            return
        }
        guard case .text(let text) = try json.scalar() else { return }
        switch name {
        case "goal": goal = text
        case "value": value = text
        case "comment": comment = text
        case "timestamp": timestamp = text
        case "daystamp", "date": date = text
        case "requestid": requestID = text
        case "generation": generation = text
        case "state": state = text
        case "how": isDelivered = true
        case "user": user = text
        default: break
        }
    }
}
