import RelayTrunk

/// Reads CSV (RFC 4180) row by row, also as spreadsheets write it: with a byte order mark, with
/// semicolons or tabs between the fields, with a first line `sep=;`, with any kind of line end.
struct CSVReader: Sendable {
    struct Row: Equatable, Sendable {
        /// The number of its first line, from 1.
        var line: Int
        var fields: [String]
    }

    private let bytes: [UInt8]
    private(set) var index = 0
    /// Whether the rest of a line is left out, behind a fault.
    private var isSkipping = false
    /// Where the row that is read must have ended.
    private var limit = 0
    /// The number of the line at `index`.
    private(set) var line = 1
    /// The byte between two fields.
    let separator: UInt8

    /// Fields of one row, at most.
    private static let mostFields = 64
    /// The longest row, in bytes: no event has as many.
    static let mostRowBytes = 65_536

    /// A reader before the first row.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        let first = bytes[index...].prefix(CSVReader.mostRowBytes)
            .prefix { $0 != 0x0A && $0 != 0x0D }
        if first.count == 5, first.starts(with: Array("sep=".utf8)), let last = first.last {
            separator = last
            index += 5
        } else {
            separator = CSVReader.separator(of: first)
        }
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

    var isAtEnd: Bool { index >= bytes.count }

    /// The next row that is not blank; nil at the end, and after a step without one.
    ///
    /// - Throws: `ImportFault`; reading goes on after its line.
    mutating func next() throws(ImportFault) -> Row? {
        let stop = index + LineReader.stepBytes
        while !isAtEnd, index < stop {
            guard !isSkipping else {
                skipLine()
                continue
            }
            let start = line
            let fields: [String]
            do throws(ImportFault) {
                fields = try row()
            } catch {
                isSkipping = true
                throw error
            }
            if fields.contains(where: { !$0.isEmpty }) { return Row(line: start, fields: fields) }
        }
        return nil
    }

    private mutating func row() throws(ImportFault) -> [String] {
        var fields: [String] = []
        limit = index + CSVReader.mostRowBytes
        while true {
            guard fields.count < CSVReader.mostFields else {
                throw ImportFault(line: line, detail: "more than \(CSVReader.mostFields) fields")
            }
            fields.append(try field())
            guard index < bytes.count else { return fields }
            if bytes[index] == separator {
                index += 1
                continue
            }
            endLine()
            return fields
        }
    }

    private mutating func field() throws(ImportFault) -> String {
        guard index < bytes.count, bytes[index] == 0x22 else {
            let start = index
            while index < bytes.count, !isEnd(bytes[index]) {
                guard index < limit else { throw tooLong(line) }
                index += 1
            }
            return try text(bytes[start..<index], line)
        }
        let start = line
        var content: [UInt8] = []
        index += 1
        while true {
            guard index < bytes.count else {
                throw ImportFault(line: start, detail: "a quote is opened here and never closed")
            }
            guard index < limit else { throw tooLong(start) }
            let byte = bytes[index]
            index += 1
            if byte == 0x22 {
                guard index < bytes.count, bytes[index] == 0x22 else { break }
                index += 1
            }
            if byte == 0x0A || byte == 0x0D && !(index < bytes.count && bytes[index] == 0x0A) {
                line += 1
            }
            content.append(byte)
        }
        guard index == bytes.count || isEnd(bytes[index]) else {
            throw ImportFault(
                line: line, detail: "there is text behind a closing quote; write \"\" in quotes")
        }
        return try text(content[...], start)
    }

    private func text(_ bytes: ArraySlice<UInt8>, _ line: Int) throws(ImportFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ImportFault(line: line, detail: "this is not UTF-8; save the file as UTF-8")
        }
        return text
    }

    private func tooLong(_ line: Int) -> ImportFault {
        ImportFault(
            line: line,
            detail: "the row has more than \(CSVReader.mostRowBytes) bytes; is a quote not closed?")
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == separator || byte == 0x0A || byte == 0x0D
    }

    private mutating func endLine() {
        guard index < bytes.count else { return }
        if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
        index += 1
        line += 1
    }

    /// Leaves out the rest of a line, or a part of it.
    private mutating func skipLine() {
        let limit = min(bytes.count, index + LineReader.stepBytes)
        while index < limit, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
        guard index == bytes.count || index < limit else { return }
        isSkipping = false
        endLine()
    }
}
