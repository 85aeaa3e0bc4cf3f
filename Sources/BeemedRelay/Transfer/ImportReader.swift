import BeemedDomain
import RelayTrunk

/// Why a line of an imported file cannot be taken.
struct ImportFault: Error, Equatable, Sendable {
    /// From 1.
    var line: Int
    /// For the user, with the next step.
    var detail: String

    init(_ line: Int, _ detail: String) { (self.line, self.detail) = (line, detail.cut(to: 500)) }
}

/// Reads the datapoints of an imported file one by one: a table, JSON lines, or Beeminder's own
/// format. It runs off the loop: a file of 8 MiB takes long, also one of white space.
struct ImportReader {
    private enum Source {
        case csv(CSVReader, CSVColumns?)
        case lines(
            (ArraySlice<UInt8>, Int) throws(ImportFault) -> ImportFields, rest: ArraySlice<UInt8>,
            line: Int)
    }

    private var source: Source
    /// Columns that mean nothing.
    private(set) var ignored: [String] = []

    /// A reader before the first line.
    ///
    /// - Parameter format: found out from the first line if nil.
    init(_ content: [UInt8], _ format: TransferFormat?) {
        let bytes = content.dropFirst(content.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let first = bytes.drop(while: \.isBlank).prefix(65_536).prefix { $0 != 0x0A }
        let isJSON = format.map { $0 == .jsonl } ?? (first.first == UInt8(ascii: "{"))
        if isJSON {
            source = .lines(ImportFields.init(json:line:), rest: bytes, line: 0)
        } else if format == nil, ImportFields.isBeeminders(first) {
            source = .lines(ImportFields.init(beeminders:line:), rest: bytes, line: 0)
        } else {
            source = .csv(CSVReader(bytes), nil)
        }
    }

    /// The fields of the next datapoint; nil at the end.
    ///
    /// - Throws: `ImportFault`; reading goes on behind that line.
    mutating func next() throws(ImportFault) -> ImportFields? {
        switch source {
        case .csv(var reader, var columns):
            defer { source = .csv(reader, columns) }
            while let row = try reader.next() {
                if let known = columns { return try known.fields(row) }
                let found = try CSVColumns(row, separator: reader.separator)
                (columns, ignored) = (found, found.ignored)
                if !found.isHeader { return try found.fields(row) }
            }
            return nil
        case .lines(let read, var rest, var line):
            defer { source = .lines(read, rest: rest, line: line) }
            while !rest.isEmpty {
                let text = rest.prefix { $0 != 0x0A }
                rest = rest[text.endIndex...].dropFirst()
                line += 1
                if !text.allSatisfy(\.isBlank) { return try read(text, line) }
            }
            return nil
        }
    }
}

extension UInt8 {
    /// A blank, a tab, or the end of a line.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension String {
    /// The longest text of a file, in bytes: no datapoint has as many.
    private static let mostImportedBytes = 65_536

    /// A text of an imported file.
    ///
    /// - Throws: `ImportFault` if it is not UTF-8, or too long.
    init(imported bytes: ArraySlice<UInt8>, _ line: Int) throws(ImportFault) {
        guard bytes.count <= String.mostImportedBytes else {
            throw ImportFault(
                line,
                "there are more than \(String.mostImportedBytes) bytes; is a quote not closed?")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ImportFault(line, "this is not UTF-8; save the file as UTF-8")
        }
        self = text
    }
}
