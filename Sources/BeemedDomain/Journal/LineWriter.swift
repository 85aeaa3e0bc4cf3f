/// Writes the lines of the journal: compact JSON, TAB, CRC-32C in eight lower hex digits, LF.
///
/// The members keep their order, so that a person who reads the file in an emergency finds the
/// type and the number first.
struct LineWriter {
    /// All lines so far.
    private(set) var bytes: [UInt8] = []
    private var start = 0

    /// Writes one line, whose members the closure gives.
    mutating func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void) {
        start = bytes.count
        var json = JSONWriter(after: bytes)
        bytes = []  // The writer has them alone, so that it can append in place.
        json.object { line in
            line.add("t", literal: type)
            members(&line)
        }
        // And gives them back for good: as long as it has them too, every append is a copy of all.
        bytes = (consume json).bytes
        let check = CRC32C.of(bytes.span.extracting(start...))
        bytes.append(0x09)
        for shift in stride(from: 28, through: 0, by: -4) {
            bytes.append(JSONWriter.hexDigit(UInt8(check >> UInt32(shift) & 0xF)))
        }
        bytes.append(0x0A)
    }

    /// Copies lines, or a part of one, as they are.
    mutating func append(_ bytes: [UInt8]) {
        self.bytes += bytes
    }

    /// Takes back what was written beyond so many bytes.
    mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
    }

    /// Empties it and keeps its room.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 21)
    }
}
