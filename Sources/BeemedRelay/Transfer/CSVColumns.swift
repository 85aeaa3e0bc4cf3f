import BeemedDomain
import RelayTrunk

/// Which column of a CSV file has which meaning.
struct CSVColumns {
    /// Columns of the relay's own export that say nothing which `requestid` does not say.
    private static let own: Set = ["device", "id", "datapoint"]

    /// Whether the first row names the columns; else it is a datapoint.
    let isHeader: Bool
    /// Columns that mean nothing.
    let ignored: [String]
    private let members: [ImportFields.Member?]
    /// Whether a comma in a number is its decimal point: where none stands between fields.
    private let hasDecimalComma: Bool

    /// Reads the first row. Without names the columns are date, value and comment, as in
    /// Beeminder's text format.
    ///
    /// - Throws: `ImportFault` when there is no column for the value or the date.
    init(_ row: CSVReader.Row, separator: UInt8) throws(ImportFault) {
        hasDecimalComma = separator != 0x2C
        isHeader = WrittenDate(row.fields[0].trimmed) == nil
        let names =
            isHeader
            ? row.fields.map { $0.trimmed.lowercased() } : ["date", "value", "comment"]
        let known = ImportFields.members
        let members = names.map { known[$0] }
        self.members = members
        let own = members.contains(\.requestID) ? CSVColumns.own : []
        ignored = zip(names, members)
            .filter { $1 == nil && !$0.isEmpty && !own.contains($0) }.map { $0.0.cut(to: 40) }
        for (index, member) in members.enumerated()
        where member != nil && members[..<index].contains(member) {
            throw ImportFault(row.line, "there are two columns for '\(names[index])'")
        }
        guard members.contains(\.value) else {
            throw ImportFault(
                row.line,
                "the first row has no column 'value'; begin with a row such as "
                    + "date,value,comment, or write the date first in each row")
        }
        guard members.contains(\.date) || members.contains(\.timestamp) else {
            throw ImportFault(
                row.line,
                "the first row has no column 'date'; begin with a row such as date,value,comment")
        }
    }

    /// The fields of a row.
    ///
    /// - Throws: `ImportFault` when the row has more fields than there are columns.
    func fields(_ row: CSVReader.Row) throws(ImportFault) -> ImportFields {
        guard row.fields.dropFirst(members.count).allSatisfy(\.isEmpty) else {
            throw ImportFault(
                row.line,
                "there are \(row.fields.count) fields for \(members.count) columns; "
                    + "put texts with a separator in quotes")
        }
        var fields = ImportFields(line: row.line)
        for case (let member?, let text) in zip(members, row.fields) {
            fields[keyPath: member] = text
        }
        fields.comment = fields.comment.map(CSVText.unguarded)
        fields.goal = fields.goal.map(CSVText.unguarded)
        fields.requestID = fields.requestID.map(CSVText.unguarded)
        if fields.timestamp?.trimmed.isEmpty == false { (fields.date, fields.time) = (nil, nil) }
        if hasDecimalComma { fields.value = fields.value?.replacing(",", with: ".") }
        return fields
    }
}
