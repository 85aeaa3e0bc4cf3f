/// Writes the lines of the journal: compact JSON, TAB, CRC-32C in eight lower hex digits, LF.
///
/// The members keep their order, so that a person who reads the file sees type and number first.
struct LineWriter: ~Copyable {
    private var json: JSONWriter

    /// - Parameter capacity: the bytes that are likely to be written.
    init(capacity: Int = 512) {
        json = JSONWriter(capacity: capacity)
    }

    /// Reads all lines so far in place.
    func withSpan<Value, Failure>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try json.withSpan(body)
    }

    /// A copy of all lines so far.
    var bytes: [UInt8] { json.bytes }

    /// The number of bytes so far.
    var count: Int { json.count }

    /// Writes one line with the members that the closure adds.
    mutating func line(_ type: StaticString, _ members: (inout JSONWriter) -> Void) {
        let start = json.count
        json.object { line in
            line.add("t", literal: type)
            members(&line)
        }
        json.appendCheck(from: start)
    }

    /// Writes the line with that JSON.
    mutating func copy(_ line: ArraySlice<UInt8>) {
        let start = json.count
        json.write(line.span)
        json.appendCheck(from: start)
    }

    /// Truncates the output to this many bytes.
    mutating func cut(to count: Int) {
        json.cut(to: count)
    }
}

// The names of events, written without a string for each.
extension JSONWriter {
    /// Writes an event's request id, as `EventKey.requestID` spells it; the next value begins a
    /// new JSON text.
    package mutating func write(requestIDOf key: EventKey) {
        write(raw: key.device.description)
        if let generation = key.generation {
            write(0x2D)
            write(generation.letters.span)
        }
        write(0x2E)
        write(raw: key.id.description)
    }
}
