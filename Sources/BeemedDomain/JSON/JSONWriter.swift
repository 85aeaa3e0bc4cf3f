/// Writes JSON (RFC 8259) piece by piece, compact and in the given order.
///
/// Every press writes a journal line and an answer, and people read both: Foundation's encoder
/// keeps no order and takes several times as long.
package struct JSONWriter: Sendable {
    /// All bytes written.
    package private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// Creates an empty writer.
    package init() {}

    /// The bytes of one object.
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(256)
        writer.object(members)
        return writer.bytes
    }

    /// Writes an object, as the whole text or as an element of an array.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        comma()
        enclose(0x7B, 0x7D, members)
    }

    /// Writes an element of an array that is JSON already.
    package mutating func element(json: [UInt8]) {
        comma()
        bytes += json
    }

    /// Writes a text as an element of an array.
    package mutating func element(_ text: String) {
        comma()
        quote(text)
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ text: String) {
        let utf8 = text.utf8.span
        if JSONWriter.isPlain(utf8) { return member(name, of: utf8) }
        self.name(name)
        quote(text)
    }

    /// Writes a member with a text that needs no escaping, such as a name.
    package mutating func add(_ name: StaticString, plain text: String) {
        member(name, of: text.utf8.span)
    }

    /// Writes a member with a literal that needs no escaping.
    package mutating func add(_ name: StaticString, literal text: StaticString) {
        self.name(name)
        bytes.append(addingCapacity: text.utf8CodeUnitCount + 2) { output in
            output.append(0x22)
            output.append(text)
            output.append(0x22)
        }
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ number: Int64) {
        self.name(name)
        append(decimal: number)
    }

    /// Writes a member: the shortest decimal that reads back as the same number. JSON has neither
    /// infinity nor NaN; one of them would make a whole answer unreadable.
    package mutating func add(_ name: StaticString, _ number: Double) {
        self.name(name)
        guard number.isFinite else { return bytes.append(contentsOf: "null".utf8) }
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            append(decimal: whole)
        } else if let parts = JSONWriter.tenThousandths(number) {
            append(tenThousandths: parts)
        } else {
            bytes.append(contentsOf: number.description.utf8)
        }
    }

    /// The number in ten-thousandths, if they print the same number exactly. Two decimals of at
    /// most 15 digits are never the same number, so this one is the shortest.
    private static func tenThousandths(_ number: Double) -> Int64? {
        let parts = (number * 10_000).rounded()
        return parts.magnitude < 1e15 && parts / 10_000 == number ? Int64(parts) : nil
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Writes a member that is an object.
    package mutating func add(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        enclose(0x7B, 0x7D, members)
    }

    /// Writes a member that is an array.
    package mutating func addArray(
        _ name: StaticString, _ elements: (inout JSONWriter) -> Void
    ) {
        self.name(name)
        enclose(0x5B, 0x5D, elements)
    }

    /// Writes a member that is an object of texts, sorted by name.
    package mutating func add(_ name: StaticString, _ texts: [String: String]) {
        add(name) { object in
            for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
                object.comma()
                object.quote(key)
                object.bytes.append(0x3A)
                object.quote(value)
            }
        }
    }

    // MARK: Between values

    /// Appends bytes unchanged; the next value begins a new JSON text.
    mutating func append(_ raw: ArraySlice<UInt8>) {
        bytes += raw
        isFirst = true
    }

    /// Appends TAB, that value in eight lower hex digits, and LF; the next value begins a new JSON
    /// text.
    mutating func appendCheck(_ check: UInt32) {
        bytes.append(addingCapacity: 10) { output in
            output.append(0x09)
            for shift in stride(from: UInt32(28), through: 0, by: -4) {
                output.append(JSONWriter.hexDigit(UInt8(check >> shift & 0xF)))
            }
            output.append(0x0A)
        }
        isFirst = true
    }

    /// Truncates the output to this many bytes.
    mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
        isFirst = true
    }

    /// Empties it. Keeps its capacity unless that is more than this many bytes.
    mutating func removeAll(keepingUpTo room: Int) {
        bytes.removeAll(keepingCapacity: bytes.capacity <= room)
        isFirst = true
    }

    // MARK: Values

    private mutating func enclose(
        _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void
    ) {
        bytes.append(open)
        isFirst = true
        body(&self)
        bytes.append(close)
        isFirst = false
    }

    private mutating func comma() {
        if !isFirst { bytes.append(0x2C) }
        isFirst = false
    }

    private mutating func name(_ name: StaticString) {
        let isFirst = isFirst
        self.isFirst = false
        bytes.append(addingCapacity: name.utf8CodeUnitCount + 4) { output in
            if !isFirst { output.append(0x2C) }
            output.append(name: name)
        }
    }

    /// Writes a text member without escapes in one piece: most of a journal line.
    private mutating func member(_ name: StaticString, of text: borrowing Span<UInt8>) {
        let isFirst = isFirst
        self.isFirst = false
        bytes.append(addingCapacity: name.utf8CodeUnitCount + text.count + 6) { output in
            if !isFirst { output.append(0x2C) }
            output.append(name: name)
            output.append(0x22)
            output.append(copying: text)
            output.append(0x22)
        }
    }

    private mutating func append(decimal number: Int64) {
        bytes.append(addingCapacity: 20) { output in
            if number < 0 { output.append(0x2D) }
            output.append(decimal: number.magnitude)
        }
    }

    private mutating func append(tenThousandths number: Int64) {
        let (whole, fraction) = number.magnitude.quotientAndRemainder(dividingBy: 10_000)
        bytes.append(addingCapacity: 24) { output in
            if number < 0 { output.append(0x2D) }
            output.append(decimal: whole)
            output.append(0x2E)
            var rest = fraction
            repeat {
                let (digit, smaller) = (10 * rest).quotientAndRemainder(dividingBy: 10_000)
                output.append(0x30 + UInt8(truncatingIfNeeded: digit))
                rest = smaller
            } while rest > 0
        }
    }

    /// Escapes all control bytes (RFC 8259 section 7), so that TAB and LF in the journal only mark
    /// the ends of a record.
    private mutating func quote(_ text: String) {
        bytes.append(0x22)
        for byte in text.utf8 { escape(byte) }
        bytes.append(0x22)
    }

    /// Without a branch per byte, so that it can be vectorized.
    private static func isPlain(_ utf8: borrowing Span<UInt8>) -> Bool {
        var marks: UInt8 = 0
        for index in utf8.indices { marks |= needsEscape(utf8[index]) ? 1 : 0 }
        return marks == 0
    }

    private mutating func escape(_ byte: UInt8) {
        guard JSONWriter.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(0x5C)
        if byte == 0x22 || byte == 0x5C { return bytes.append(byte) }
        bytes.append(contentsOf: "u00".utf8)
        bytes.append(JSONWriter.hexDigit(byte >> 4))
        bytes.append(JSONWriter.hexDigit(byte & 0xF))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
    }

    static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
    }
}

extension OutputSpan<UInt8> {
    @inline(__always)
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    fileprivate mutating func append(name: StaticString) {
        append(0x22)
        append(name)
        append(0x22)
        append(0x3A)
    }

    @inline(__always)
    fileprivate mutating func append(copying bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let rest = unsafe UnsafeMutableRawBufferPointer(
                UnsafeMutableBufferPointer(rebasing: buffer[count...]))
            unsafe rest.copyMemory(from: bytes)
            count += bytes.count
        }
    }

    @inline(__always)
    fileprivate mutating func append(decimal number: UInt64) {
        var digits = InlineArray<20, UInt8>(repeating: 0x30)
        var first = 19
        var rest = number
        while rest >= 10 {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] += UInt8(truncatingIfNeeded: digit)
            first -= 1
            rest = quotient
        }
        digits[first] += UInt8(truncatingIfNeeded: rest)
        for index in first..<20 { append(digits[index]) }
    }
}
