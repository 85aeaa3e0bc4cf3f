import BeemedDomain
import RelayTrunk

/// Reads CSV (RFC 4180) row by row, also as spreadsheets write it: with semicolons or tabs between
/// the fields, with a first line `sep=;`, with any kind of line end.
struct CSVReader {
    struct Row: Equatable {
        /// The number of its first line, from 1.
        var line: Int
        var fields: [String]
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// The number of the line at `index`.
    private var line = 1
    /// The byte between two fields.
    let separator: UInt8

    /// Fields of one row, at most.
    private static let maxFields = 64

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        let first = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        let isNamed = first.count == 5 && first.starts(with: "sep=".utf8)
        index = bytes.startIndex + (isNamed ? 5 : 0)
        separator = isNamed ? first[index - 1] : CSVReader.separator(of: first)
    }

    /// The first separator outside of quotes: another one behind it is a part of a field, as the
    /// comma in a number.
    private static func separator(of line: ArraySlice<UInt8>) -> UInt8 {
        var isQuoted = false
        for byte in line {
            if byte == 0x22 { isQuoted.toggle() }
            if !isQuoted, byte == 0x2C || byte == 0x3B || byte == 0x09 { return byte }
        }
        return 0x2C
    }

    /// The next row that is not blank; nil at the end. After a fault reading goes on in the next
    /// line.
    mutating func next() throws(ImportFault) -> Row? {
        while index < bytes.endIndex {
            defer { endLine() }
            var row = Row(line: line, fields: [try field()])
            while index < bytes.endIndex, bytes[index] == separator {
                guard row.fields.count < CSVReader.maxFields else {
                    throw ImportFault(line, "more than \(CSVReader.maxFields) fields")
                }
                index += 1
                row.fields.append(try field())
            }
            if row.fields.contains(where: { !$0.isEmpty }) { return row }
        }
        return nil
    }

    private mutating func field() throws(ImportFault) -> String {
        guard index < bytes.endIndex, bytes[index] == 0x22 else {
            let start = index
            index = bytes[start...].firstIndex(where: endsField) ?? bytes.endIndex
            return try String(imported: bytes[start..<index], line)
        }
        var (content, end): ([UInt8], Int) = ([], index + 1)
        while true {
            guard let quote = bytes[end...].firstIndex(of: 0x22) else {
                throw ImportFault(line, "a quote is opened here and never closed")
            }
            content += bytes[end..<quote]
            end = quote + 1
            guard end < bytes.endIndex, bytes[end] == 0x22 else { break }
            content.append(0x22)
            end += 1
        }
        let (start, quoted) = (line, bytes[index..<end])
        index = end
        line += zip(quoted, quoted.dropFirst())
            .count { $0 == 0x0A || $0 == 0x0D && $1 != 0x0A }
        guard index == bytes.endIndex || endsField(bytes[index]) else {
            throw ImportFault(line, "there is text behind a closing quote; write \"\" in quotes")
        }
        return try String(imported: content[...], start)
    }

    private func endsField(_ byte: UInt8) -> Bool {
        byte == separator || byte == 0x0A || byte == 0x0D
    }

    private mutating func endLine() {
        let rest = bytes[index...].drop { $0 != 0x0A && $0 != 0x0D }
        index = rest.startIndex + (rest.starts(with: [0x0D, 0x0A]) ? 2 : rest.isEmpty ? 0 : 1)
        line += 1
    }
}

/// The meanings of a CSV file's columns.
struct CSVColumns {
    /// Columns of the relay's own export that say nothing which `requestid` does not say.
    private static let own: Set = ["device", "id", "datapoint"]

    /// Whether the first row names the columns; else it is a datapoint.
    let isHeader: Bool
    /// Columns that mean nothing.
    let ignored: [String]
    private let meanings: [ImportFields.Meaning?]
    /// Whether a comma in a number is its decimal point: where none stands between fields.
    private let hasDecimalComma: Bool

    /// Reads the first row. Without names the columns are date, value and comment, as in
    /// Beeminder's text format.
    init(_ row: CSVReader.Row, separator: UInt8) throws(ImportFault) {
        hasDecimalComma = separator != 0x2C
        isHeader = WrittenDate(row.fields[0].trimmed) == nil
        let names =
            isHeader
            ? row.fields.map { $0.trimmed.lowercased() } : ["date", "value", "comment"]
        meanings = names.map { ImportFields.meanings[$0] }
        let own = meanings.contains(.requestID) ? CSVColumns.own : []
        ignored = zip(names, meanings)
            .filter { $1 == nil && !$0.isEmpty && !own.contains($0) }.map { $0.0.cut(to: 40) }
        for (index, meaning) in meanings.enumerated()
        where meaning != nil && meanings[..<index].contains(meaning) {
            throw ImportFault(row.line, "there are two columns for '\(names[index])'")
        }
        let isDated = meanings.contains(.date) || meanings.contains(.timestamp)
        guard isDated, meanings.contains(.value) else {
            throw ImportFault(
                row.line,
                "the first row has no column '\(isDated ? "value" : "date")'; begin with a row such "
                    + "as date,value,comment, or write the date first in each row")
        }
    }

    /// The fields of a row, of which there may not be more than columns.
    func fields(_ row: CSVReader.Row) throws(ImportFault) -> ImportFields {
        guard row.fields.dropFirst(meanings.count).allSatisfy(\.isEmpty) else {
            throw ImportFault(
                row.line,
                "there are \(row.fields.count) fields for \(meanings.count) columns; "
                    + "put texts with a separator in quotes")
        }
        var fields = ImportFields(line: row.line)
        for case (let meaning?, let text) in zip(meanings, row.fields) {
            fields.texts[meaning] = text
        }
        for meaning in [.comment, .goal, .requestID] as [ImportFields.Meaning] {
            fields.texts[meaning] = fields.texts[meaning].map(CSVText.unguarded)
        }
        if fields.filled(.timestamp) != nil {
            (fields.texts[.date], fields.texts[.time]) = (nil, nil)
        }
        if hasDecimalComma {
            fields.texts[.value] = fields.texts[.value]?.replacing(",", with: ".")
        }
        return fields
    }
}

/// Fields as they are written into CSV.
enum CSVText {
    /// A row, with CR LF at its end (RFC 4180 section 2).
    static func row(_ fields: [String]) -> [UInt8] {
        let cells = fields.map { field -> [UInt8] in
            let text = Array(field.utf8)
            guard text.contains(where: quoted.contains) else { return text }
            return [0x22] + text.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
        }
        return cells.joined(separator: [0x2C]) + [0x0D, 0x0A]
    }

    /// Bytes for which a field needs quotes.
    private static let quoted = Array("\",;\n\r\t".utf8)

    /// A text that no spreadsheet takes for a formula, in whatever columns it divides the line:
    /// comments come from devices, and a formula could send the sheet's contents elsewhere when the
    /// owner opens it. An apostrophe stands before each cell that looks like one, and before each
    /// that has apostrophes already, so that `unguarded` can remove them.
    static func guarded(_ text: String) -> String {
        changingFormulas(in: text) { "'" + String($0) }
    }

    /// The text without the apostrophes of `guarded`.
    static func unguarded(_ text: String) -> String {
        changingFormulas(in: text) { String($0.first == "'" ? $0.dropFirst() : $0) }
    }

    private typealias Scalars = Substring.UnicodeScalarView

    /// Changes the cells that may be formulas. A cell ends behind the separator at which other
    /// programs may divide the line.
    private static func changingFormulas(in text: String, _ change: (Scalars) -> String) -> String {
        var (rest, changed) = (Substring(text).unicodeScalars, "")
        while !rest.isEmpty {
            let first = rest.first { !skipped.contains($0) } ?? "'"
            // At the start of the text white space counts, too.
            let isAtStart = rest.startIndex == text.startIndex
            let isFormula =
                operators.contains(first) || isAtStart && "\t\n\r".unicodeScalars.contains(first)
            let separator = rest.firstIndex(where: separators.contains)
            let cell = separator.map { rest[...$0] } ?? rest
            changed += isFormula ? change(cell) : String(cell)
            rest = rest[cell.endIndex...]
        }
        return changed
    }

    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\n", "\r"]
    /// Also as wide as a letter of East Asian writing: Excel there takes them for the same.
    private static let operators: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]
    /// Invisible characters that may stand before a formula, and the apostrophes of `guarded`.
    private static let skipped: Set<Unicode.Scalar> = ["'", "\"", " ", "\u{A0}", "\u{3000}"]
}
