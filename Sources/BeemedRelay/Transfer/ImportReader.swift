import BeemedDomain

/// The form of an exported or imported file.
enum TransferFormat: String, Sendable {
    case csv, jsonl
}

/// Reads the events of an imported file one by one. It can pause after any of them, so that a long
/// file is read in slices.
struct ImportReader: Sendable {
    private enum Source {
        case csv(CSVReader, CSVColumns?)
        /// The rest of the file, and the number of its first line.
        case lines(ArraySlice<UInt8>, Int)
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
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if format ?? (first == UInt8(ascii: "{") ? .jsonl : .csv) == .jsonl {
            source = .lines(bytes[start...], 1)
        } else {
            source = .csv(CSVReader(bytes), nil)
        }
    }

    /// The next event; nil at the end.
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
        case .lines(var rest, var line):
            defer { source = .lines(rest, line) }
            while !rest.isEmpty {
                let text = rest.prefix { $0 != 0x0A }
                rest = rest[text.endIndex...].dropFirst()
                let number = line
                line += 1
                guard text.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else {
                    continue
                }
                return try ImportFields(json: text, line: number)
            }
            return nil
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
        case "connection": connection = text
        default: break
        }
    }
}
