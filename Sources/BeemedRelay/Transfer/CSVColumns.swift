import BeemedDomain
import RelayTrunk

/// Which column of a CSV file has which meaning.
struct CSVColumns: Sendable {
    private enum Member {
        case goal, date, time, timestamp, value, comment, requestID, state
        /// Columns of the relay's own export that say nothing which `requestid` does not say.
        case device, id, datapoint

        /// Whether it means nothing without a request id: then the file is of another program.
        var needsRequestID: Bool {
            switch self {
            case .device, .id, .datapoint: true
            default: false
            }
        }
    }

    /// Whether the first row names the columns; else it is a datapoint.
    let isHeader: Bool
    /// Columns that mean nothing.
    private(set) var ignored: [String] = []
    private var members: [Member?] = []
    /// Whether a comma in a number is its decimal point: where none stands between fields.
    private let hasDecimalComma: Bool

    /// The names of each column, in lower case.
    private static func member(_ name: String) -> Member? {
        switch name {
        case "goal", "slug", "goalslug", "goalname": .goal
        case "date", "day", "daystamp": .date
        case "time": .time
        case "timestamp", "unixtime": .timestamp
        case "value", "datum", "amount": .value
        case "comment", "note": .comment
        case "requestid": .requestID
        case "state": .state
        case "device": .device
        case "id": .id
        case "datapoint": .datapoint
        default: nil
        }
    }

    /// Reads the first row. Without names the columns are date, value and comment, as in
    /// Beeminder's text format.
    ///
    /// - Throws: `ImportFault` when there is no column for the value or the date.
    init(_ row: CSVReader.Row, separator: UInt8) throws(ImportFault) {
        hasDecimalComma = separator != 0x2C
        isHeader = WrittenDate(row.fields[0].trimmed) == nil
        guard isHeader else {
            members = [.date, .value, .comment]
            return
        }
        for field in row.fields {
            let name = field.trimmed.lowercased()
            let member = CSVColumns.member(name)
            if let member, members.contains(member) {
                throw ImportFault(
                    line: row.line, detail: "there are two columns for '\(name.prefix(40))'")
            }
            members.append(member)
            if member == nil, !name.isEmpty { ignored.append(String(name.prefix(40))) }
        }
        if !members.contains(.requestID) {
            ignored += zip(members, row.fields).filter { $0.0?.needsRequestID ?? false }
                .map { $0.1.trimmed.lowercased() }
        }
        guard members.contains(.value) else {
            throw ImportFault(
                line: row.line,
                detail: "the first row has no column 'value'; begin with a row such as "
                    + "date,value,comment, or write the date first in each row")
        }
        guard members.contains(.date) || members.contains(.timestamp) else {
            throw ImportFault(
                line: row.line,
                detail: "the first row has no column 'date'; begin with a row such as "
                    + "date,value,comment")
        }
    }

    /// The fields of a row.
    ///
    /// - Throws: `ImportFault` when it has more fields than there are columns.
    func fields(_ row: CSVReader.Row) throws(ImportFault) -> ImportFields {
        guard
            row.fields.count <= members.count || row.fields[members.count...].allSatisfy(\.isEmpty)
        else {
            throw ImportFault(
                line: row.line,
                detail: "there are \(row.fields.count) fields for \(members.count) columns; "
                    + "put texts with a separator in quotes")
        }
        var fields = ImportFields(line: row.line)
        for (member, text) in zip(members, row.fields) {
            switch member {
            case .goal: fields.goal = text
            case .date: fields.date = text
            case .time: fields.time = text
            case .timestamp: fields.timestamp = text
            case .value: fields.value = text
            case .comment: fields.comment = text
            case .requestID: fields.requestID = text
            case .state: fields.state = text
            case .device, .id, .datapoint, nil: continue
            }
        }
        fields.comment = fields.comment.map(CSVText.unguarded)
        fields.goal = fields.goal.map(CSVText.unguarded)
        fields.requestID = fields.requestID.map(CSVText.unguarded)
        if fields.timestamp?.trimmed.isEmpty == false { (fields.date, fields.time) = (nil, nil) }
        if hasDecimalComma { fields.value = fields.value?.replacing(",", with: ".") }
        return fields
    }
}
