/// Writes the lines of the journal: compact JSON, TAB, CRC-32C in eight lower hex digits, LF.
///
/// The members keep their order, so that a person who reads the file sees type and number first.
struct LineWriter {
    private var json = JSONWriter()

    /// All lines so far.
    var bytes: [UInt8] { json.bytes }

    /// Writes one line with the members that the closure adds.
    mutating func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void) {
        let start = json.bytes.count
        json.object { line in
            line.add("t", literal: type)
            members(&line)
        }
        json.appendCheck(CRC32C.of(json.bytes.span.extracting(start...)))
    }

    /// Copies lines, or a part of one, unchanged.
    mutating func append(_ bytes: ArraySlice<UInt8>) {
        json.append(bytes)
    }

    /// Truncates the output to this many bytes.
    mutating func cut(to count: Int) {
        json.cut(to: count)
    }

    /// Empties the output and keeps its capacity.
    mutating func removeAll() {
        json.removeAll(keepingUpTo: 1 << 21)
    }
}
