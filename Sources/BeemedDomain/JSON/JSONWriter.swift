/// Writes JSON (RFC 8259) piece by piece, compact and in the given order.
///
/// Every press writes a journal line and an answer, and people read both: Foundation's encoder
/// keeps no order and takes several times as long.
package struct JSONWriter: ~Copyable {
    private var output: ByteBuffer
    private var isFirst = true

    /// An empty writer.
    ///
    /// - Parameter capacity: the bytes that are likely to be written.
    package init(capacity: Int = 256) {
        output = ByteBuffer(capacity: capacity)
    }

    /// Reads all bytes written in place.
    func withSpan<Value, Failure>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try output.withSpan(body)
    }

    /// A copy of all bytes written.
    package var bytes: [UInt8] { output.bytes }

    /// The number of bytes written.
    package var count: Int { output.count }

    /// The bytes of one object.
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }

    /// The bytes of one object and a newline, so that a terminal shows it as a line.
    package static func objectLine(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        writer.output.append(0x0A)
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
        output.append(json.span)
    }

    /// Writes a text as an element of an array.
    package mutating func element(_ text: String) {
        comma()
        quote(text)
    }

    /// Writes a member.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ text: String) {
        self.name(name)
        quote(text)
    }

    /// Writes a member with a text that needs no escaping, such as a name.
    @inline(__always)
    package mutating func add(_ name: StaticString, plain text: String) {
        self.name(name)
        output.append(0x22)
        output.append(text.utf8.span)
        output.append(0x22)
    }

    /// Writes a member with a text that these pieces make, and that needs no escaping.
    package mutating func addPlain(_ name: StaticString, _ pieces: (inout JSONWriter) -> Void) {
        self.name(name)
        enclose(0x22, 0x22, pieces)
    }

    /// Writes a member with a literal that needs no escaping.
    @inline(__always)
    package mutating func add(_ name: StaticString, literal text: StaticString) {
        self.name(name)
        output.append(0x22)
        output.append(text)
        output.append(0x22)
    }

    /// Writes a member.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ number: Int64) {
        self.name(name)
        write(decimal: number)
    }

    /// Writes a member: the shortest decimal that reads back as the same number. JSON has neither
    /// infinity nor NaN; one of them would make a whole answer unreadable.
    package mutating func add(_ name: StaticString, _ number: Double) {
        self.name(name)
        guard number.isFinite else { return output.append("null") }
        write(number)
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        output.append(flag ? "true" : "false")
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

    /// Writes a member that is an array of objects, one for each of these.
    package mutating func addArray<Element>(
        _ name: StaticString, of elements: some Sequence<Element>,
        _ write: (Element, inout JSONWriter) -> Void
    ) {
        addArray(name) { list in
            for element in elements { list.object { write(element, &$0) } }
        }
    }

    /// Writes a member that is an array of texts.
    package mutating func addArray(_ name: StaticString, of texts: some Sequence<String>) {
        addArray(name) { list in for text in texts { list.element(text) } }
    }

    /// Writes a member that is an object of texts, sorted by name.
    package mutating func add(_ name: StaticString, _ texts: [String: String]) {
        add(name) { object in
            for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
                object.comma()
                object.quote(key)
                object.output.append(0x3A)
                object.quote(value)
            }
        }
    }

    /// Writes members, if the output has at most so many bytes with them; else none of them.
    ///
    /// - Returns: whether they were written.
    @discardableResult
    package mutating func add(
        atMost bytes: Int, _ members: (inout JSONWriter) -> Void
    ) -> Bool {
        let (start, isFirst) = (count, isFirst)
        members(&self)
        guard count > bytes else { return true }
        output.cut(to: start)
        self.isFirst = isFirst
        return false
    }

    // MARK: Between values

    /// Writes bytes unchanged; the next value begins a new JSON text.
    package mutating func write(_ raw: borrowing Span<UInt8>) {
        output.append(raw)
        isFirst = true
    }

    /// Writes a text unchanged; the next value begins a new JSON text.
    package mutating func write(raw text: String) { write(text.utf8.span) }

    /// Writes a literal unchanged; the next value begins a new JSON text.
    @inline(__always)  // With a known length it is a few moves.
    package mutating func write(literal text: StaticString) {
        output.append(text)
        isFirst = true
    }

    /// Writes a finite number, as `add` writes it; the next value begins a new JSON text.
    package mutating func write(raw number: Double) {
        write(number)
        isFirst = true
    }

    /// Appends TAB, the checksum of the bytes from that position on in eight lower hex digits, and
    /// LF; the next value begins a new JSON text.
    mutating func appendCheck(from first: Int) {
        let check = output.check(from: first)
        output.append(0x09)
        output.append(hex: check, digits: 8)
        output.append(0x0A)
        isFirst = true
    }

    /// Truncates the output to this many bytes.
    mutating func cut(to count: Int) {
        output.cut(to: count)
        isFirst = true
    }

    // MARK: Values

    private mutating func enclose(
        _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void
    ) {
        output.append(open)
        isFirst = true
        body(&self)
        output.append(close)
        isFirst = false
    }

    private mutating func comma() {
        if !isFirst { output.append(0x2C) }
        isFirst = false
    }

    @inline(__always)
    private mutating func name(_ name: StaticString) {
        comma()
        output.append(0x22)
        output.append(name)
        output.append("\":")
    }

    private mutating func write(decimal number: Int64) {
        if number < 0 { output.append(0x2D) }
        output.append(decimal: number.magnitude)
    }

    private mutating func write(_ number: Double) {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            write(decimal: whole)
        } else if !writeShort(number) {
            output.append(number.description.utf8.span)
        }
    }

    /// Writes a number of at most four decimals and 15 digits, as nearly all presses have; two of
    /// these never mean the same `Double`. The standard library takes ten times as long.
    private mutating func writeShort(_ number: Double) -> Bool {
        let scaled = (number.magnitude * 10_000).rounded()
        guard scaled < 1e15, scaled / 10_000 == number.magnitude else { return false }
        let (whole, rest) = UInt64(scaled).quotientAndRemainder(dividingBy: 10_000)
        if number < 0 { output.append(0x2D) }
        output.append(decimal: whole)
        output.append(0x2E)
        var (decimals, unit) = (rest, UInt64(1_000))
        while decimals > 0 {
            output.append(0x30 + UInt8(truncatingIfNeeded: decimals / unit))
            (decimals, unit) = (decimals % unit, unit / 10)
        }
        return true
    }

    /// Escapes all control bytes (RFC 8259 section 7), so that TAB and LF in the journal only mark
    /// the ends of a record.
    private mutating func quote(_ text: String) {
        let utf8 = text.utf8.span
        output.append(0x22)
        var plain = 0
        while plain < utf8.count, !JSONWriter.needsEscape(utf8[plain]) { plain += 1 }
        output.append(utf8.extracting(first: plain))
        for index in plain..<utf8.count { escape(utf8[index]) }
        output.append(0x22)
    }

    private mutating func escape(_ byte: UInt8) {
        guard JSONWriter.needsEscape(byte) else { return output.append(byte) }
        output.append(0x5C)
        if byte == 0x22 || byte == 0x5C { return output.append(byte) }
        output.append("u")
        output.append(hex: UInt32(byte), digits: 4)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
    }
}
