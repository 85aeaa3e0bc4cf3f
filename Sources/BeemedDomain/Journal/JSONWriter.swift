/// Writes JSON (RFC 8259) piece by piece, compact and in the order given.
///
/// Reading is left to Foundation. Writing is done by hand because a line of the journal and an
/// answer are made for every press, and because people read both: Foundation's encoder keeps no
/// order and takes several times as long.
package struct JSONWriter: Sendable {
    /// All that was written.
    package private(set) var bytes: [UInt8]
    private var isFirst = true

    /// A writer that appends to those bytes.
    package init(after bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

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

    /// Writes a text as an element of an array.
    package mutating func element(_ text: String) {
        comma()
        quote(text)
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ text: String) {
        self.name(name)
        quote(text)
    }

    /// Writes a member, a text that needs no escaping.
    package mutating func add(_ name: StaticString, literal text: StaticString) {
        self.name(name)
        bytes.append(0x22)
        append(text)
        bytes.append(0x22)
    }

    /// Writes a member.
    package mutating func add(_ name: StaticString, _ number: Int64) {
        self.name(name)
        append(decimal: number)
    }

    /// Writes a member: the shortest decimal that reads back as the same number.
    package mutating func add(_ name: StaticString, _ number: Double) {
        self.name(name)
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
            append(decimal: whole)
        } else {
            bytes.append(contentsOf: "\(number)".utf8)
        }
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
        append(isFirst ? "\"" : ",\"")
        isFirst = false
        append(name)
        append("\":")
    }

    private mutating func append(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func append(decimal number: Int64) {
        if number < 0 { bytes.append(0x2D) }
        let magnitude = number.magnitude
        var divisor: UInt64 = 1
        while magnitude / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(magnitude / divisor % 10))
            divisor /= 10
        }
    }

    /// No control byte stays raw (RFC 8259 section 7), so TAB and LF mark the ends of a record in
    /// the journal and nothing else.
    private mutating func quote(_ text: String) {
        var text = text
        bytes.append(0x22)
        text.withUTF8 { utf8 in
            // In one piece where nothing needs an escape: it is most of what a journal's line is.
            var isPlain = true
            for index in utf8.indices {
                isPlain = unsafe isPlain && !JSONWriter.needsEscape(utf8[index])
            }
            if isPlain { return unsafe bytes.append(contentsOf: utf8) }
            for index in utf8.indices { unsafe escape(utf8[index]) }
        }
        bytes.append(0x22)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
    }

    private mutating func escape(_ byte: UInt8) {
        guard JSONWriter.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(0x5C)
        if byte == 0x22 || byte == 0x5C { return bytes.append(byte) }
        append("u00")
        bytes.append(JSONWriter.hexDigit(byte >> 4))
        bytes.append(JSONWriter.hexDigit(byte & 0xF))
    }

    static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x61 + nibble - 10
    }
}
