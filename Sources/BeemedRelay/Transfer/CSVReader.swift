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

    /// A reader before the first row.
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

    /// The next row that is not blank; nil at the end.
    ///
    /// - Throws: `ImportFault`; reading goes on in the next line.
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

    /// Goes to the beginning of the next line.
    private mutating func endLine() {
        let rest = bytes[index...].drop { $0 != 0x0A && $0 != 0x0D }
        index = rest.startIndex + (rest.starts(with: [0x0D, 0x0A]) ? 2 : rest.isEmpty ? 0 : 1)
        line += 1
    }
}
