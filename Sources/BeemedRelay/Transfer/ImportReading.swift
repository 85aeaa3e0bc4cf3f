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

/// The context for reading a file.
struct ImportContext: Sendable {
    /// The goal of lines that name none.
    var goal: String?
    let calendar: GoalCalendar
    /// A later time is refused.
    let now: UnixTime
}

/// Reads a file: a table, JSON lines, or Beeminder's own format. Done off the loop: a file of 8 MiB
/// takes long, also one of white space.
struct ImportReading: Sendable {
    private let context: ImportContext
    private(set) var rows: [ImportRow] = []
    /// The lines that cannot be read.
    private(set) var faults: [ImportFault] = []
    /// Columns that mean nothing.
    private(set) var ignored: [String] = []

    private var isFull: Bool { rows.count + faults.count > ImportRun.maxEvents }

    /// - Parameter format: found out from the first line if nil.
    init(_ content: [UInt8], _ format: TransferFormat?, _ context: ImportContext) {
        self.context = context
        let bytes = content.dropFirst(content.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let first = bytes.drop(while: \.isBlank).prefix(65_536).prefix { $0 != 0x0A }
        if format.map({ $0 == .jsonl }) ?? (first.first == UInt8(ascii: "{")) {
            readLines(bytes, ImportFields.init(json:line:))
        } else if format == nil, ImportFields.isBeeminders(first) {
            readLines(bytes, ImportFields.init(beeminders:line:))
        } else {
            readTable(bytes)
        }
        if isFull {
            rows = []
            let most = "at most \(ImportRun.maxEvents) events at once; split the file"
            faults.append(ImportFault(0, most))
        }
        var seen: [String: Int] = [:]
        for index in rows.indices { rows[index].identify(counting: &seen) }
    }

    private mutating func readLines(
        _ bytes: ArraySlice<UInt8>,
        _ read: (ArraySlice<UInt8>, Int) throws(ImportFault) -> ImportFields
    ) {
        var (rest, line) = (bytes, 0)
        while !rest.isEmpty, !isFull {
            let text = rest.prefix { $0 != 0x0A }
            rest = rest[text.endIndex...].dropFirst()
            line += 1
            if text.allSatisfy(\.isBlank) { continue }
            add { () throws(ImportFault) in try read(text, line) }
        }
    }

    private mutating func readTable(_ bytes: ArraySlice<UInt8>) {
        var (reader, columns, isAtEnd) = (CSVReader(bytes), CSVColumns?.none, false)
        while !isAtEnd, !isFull {
            add { () throws(ImportFault) in
                guard let row = try reader.next() else {
                    isAtEnd = true
                    return nil
                }
                if let columns { return try columns.fields(row) }
                let found = try CSVColumns(row, separator: reader.separator)
                columns = found
                return found.isHeader ? nil : try found.fields(row)
            }
        }
        ignored = columns?.ignored ?? []
    }

    /// Adds what was read, or why it cannot be; reading goes on behind that line.
    private mutating func add(_ read: () throws(ImportFault) -> ImportFields?) {
        do throws(ImportFault) {
            if let row = try read()?.row(context) { rows.append(row) }
        } catch {
            faults.append(error)
        }
    }
}

extension String {
    /// The longest text of a file, in bytes: no datapoint has as many.
    private static let maxImportedBytes = 65_536

    /// A text of an imported file, which is UTF-8 and not too long.
    init(imported bytes: ArraySlice<UInt8>, _ line: Int) throws(ImportFault) {
        guard bytes.count <= String.maxImportedBytes else {
            throw ImportFault(
                line,
                "there are more than \(String.maxImportedBytes) bytes; is a quote not closed?")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ImportFault(line, "this is not UTF-8; save the file as UTF-8")
        }
        self = text
    }
}
