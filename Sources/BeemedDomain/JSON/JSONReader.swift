/// Reads JSON (RFC 8259) from bytes, member by member. Strict: invalid JSON is a fault.
///
/// Reads the journal, the bodies of presses and, by `JSONTree`, other JSON. Foundation's decoder is
/// too slow for a start, which reads every line of the journal. Foundation also hides facts that a
/// press depends on: a number's digits as written, duplicate names, and the position of an error.
package struct JSONReader: Sendable {
    /// Why bytes are not JSON, or not the requested JSON.
    package struct Fault: Error, Equatable, Sendable {
        package init() {}
    }

    /// A value, as far as a press can use it.
    package enum Scalar: Equatable, Sendable {
        /// A text; a number by its literal digits; `true` or `false`.
        case text(String)
        case null
        /// A list or an object, which was skipped.
        case nested
    }

    /// A list or an object.
    package enum Container: Sendable {
        case list, object

        fileprivate var open: UInt8 { self == .list ? 0x5B : 0x7B }
        fileprivate var close: UInt8 { self == .list ? 0x5D : 0x7D }
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    private var depth = 0

    /// The maximum nesting depth; the journal's own lines need two.
    private static let deepest = 32

    /// The current index in the bytes; after a fault, the position of the error.
    package var position: Int { index }

    /// Creates a reader at the beginning of those bytes.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Enters a list or an object, whose elements are read with `another(in:)`.
    ///
    /// - Returns: whether there is an element; if not, the end was read too.
    package mutating func begin(_ container: Container) throws(Fault) -> Bool {
        try expect(container.open)
        guard !consume(container.close) else { return false }
        depth += 1
        guard depth <= JSONReader.deepest else { throw Fault() }
        return true
    }

    /// Reads the comma before the next element, or the end of the list or object.
    ///
    /// - Returns: whether there is another element; if not, the end was read.
    package mutating func another(in container: Container) throws(Fault) -> Bool {
        if consume(0x2C) { return true }
        try expect(container.close)
        depth -= 1
        return false
    }

    /// Reads a member's name and the colon.
    package mutating func name() throws(Fault) -> String {
        let name = try string()
        try expect(0x3A)
        return name
    }

    /// Reads an object.
    ///
    /// - Parameter member: receives each name, and reads or skips its value.
    mutating func members(
        _ member: (String, inout JSONReader) throws(Fault) -> Void
    ) throws(Fault) {
        guard try begin(.object) else { return }
        repeat { try member(try name(), &self) } while try another(in: .object)
    }

    /// Whether a list or an object begins here.
    package mutating func isAt(_ container: Container) -> Bool {
        skipSpace()
        return peek == container.open
    }

    /// The first byte of the next value; nil at the end.
    var next: UInt8? {
        mutating get {
            skipSpace()
            return peek
        }
    }

    /// Reads any value.
    package mutating func scalar() throws(Fault) -> Scalar {
        skipSpace()
        switch peek {
        case 0x22: return .text(try string())
        case 0x7B, 0x5B:
            try skip()
            return .nested
        case 0x74, 0x66: return .text(try flag() ? "true" : "false")
        case 0x6E:
            try word("null")
            return .null
        default: return .text(try number())
        }
    }

    /// Checks that only white space is left.
    package mutating func expectEnd() throws(Fault) {
        skipSpace()
        guard index == bytes.endIndex else { throw Fault() }
    }

    /// Reads a text.
    package mutating func string() throws(Fault) -> String {
        try expect(0x22)
        let start = index
        let (end, isASCII) = plainText(from: start)
        index = end
        if peek == 0x22 {
            index += 1
            // Nearly all texts are ASCII and need no validation: half of a start's time.
            return isASCII ? ascii(start..<end) : try text(bytes[start..<end])
        }
        var plain = Array(bytes[start..<end])
        // A fault must leave the position at the byte that is wrong.
        while let byte = peek, byte >= 0x20 {
            index += 1
            switch byte {
            case 0x22: return try text(plain)
            case 0x5C: plain += try escape()
            default: plain.append(byte)
            }
        }
        throw Fault()
    }

    /// The bytes from `start` that stand for themselves in a text: their end, and whether all of
    /// them are ASCII.
    private func plainText(from start: Int) -> (end: Int, isASCII: Bool) {
        let rest = bytes.span.extracting(droppingFirst: start - bytes.startIndex)
        var (count, bits) = (0, UInt8(0))
        while count < rest.count {
            let byte = rest[count]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
            bits |= byte
            count += 1
        }
        return (start + count, bits < 0x80)
    }

    /// Reads an integer without fraction or exponent.
    mutating func integer() throws(Fault) -> Int64 {
        guard let number = Int64(try number()) else { throw Fault() }
        return number
    }

    /// Reads a number, which must be finite.
    mutating func double() throws(Fault) -> Double {
        guard let number = Double(try number()), number.isFinite else { throw Fault() }
        return number
    }

    /// Reads true or false.
    mutating func flag() throws(Fault) -> Bool {
        skipSpace()
        guard index < bytes.endIndex else { throw Fault() }
        let isTrue = bytes[index] == 0x74
        try word(isTrue ? "true" : "false")
        return isTrue
    }

    /// Skips any value.
    ///
    /// - Parameter isStrict: whether it must be text, and no deeper than what is read; if not, the
    ///   grammar is enough, as for the elements of a list, of which one says nothing of the others.
    package mutating func skip(isStrict: Bool = true) throws(Fault) {
        var open: [Container] = []
        repeat {
            skipSpace()
            switch peek {
            case 0x22: try skipString(isStrict: isStrict)
            case 0x7B, 0x5B:
                let container: Container = peek == 0x7B ? .object : .list
                index += 1
                guard consume(container.close) else {
                    open.append(container)
                    guard !isStrict || depth + open.count <= JSONReader.deepest else {
                        throw Fault()
                    }
                    if container == .object { try skipName(isStrict: isStrict) }
                    continue
                }
            case 0x74, 0x66: _ = try flag()
            case 0x6E: try word("null")
            default: try skipNumber()
            }
            while let container = open.last, !consume(0x2C) {
                try expect(container.close)
                open.removeLast()
            }
            if open.last == .object { try skipName(isStrict: isStrict) }
        } while !open.isEmpty
    }

    /// Skips a member's name and the colon.
    ///
    /// - Returns: where the name stands, as it is written between its quotes.
    @discardableResult
    mutating func skipName(isStrict: Bool = true) throws(Fault) -> Range<Int> {
        skipSpace()
        let start = index
        try skipString(isStrict: isStrict)
        let name = start + 1..<index - 1
        try expect(0x3A)
        return name
    }

    private mutating func skipString(isStrict: Bool) throws(Fault) {
        guard peek == 0x22 else { throw Fault() }
        index += 1
        while true {
            let (end, isASCII) = plainText(from: index)
            if isStrict, !isASCII { _ = try text(bytes[index..<end]) }
            index = end
            guard let byte = peek, byte >= 0x20 else { throw Fault() }
            index += 1
            if byte == 0x22 { return }
            guard let escaped = peek, "\"\\/bfnrtu".utf8.contains(escaped) else { throw Fault() }
            index += 1
            guard escaped == 0x75 else { continue }
            if isStrict { let _: Unicode.Scalar = try scalar() } else { _ = try unit() }
        }
    }

    // MARK: Tokens

    /// Moves to the next byte that is no white space.
    package mutating func skipSpace() {
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(Fault) {
        guard consume(byte) else { throw Fault() }
    }

    private mutating func word(_ word: StaticString) throws(Fault) {
        for byte in "\(word)".utf8 {
            guard index < bytes.endIndex, bytes[index] == byte else { throw Fault() }
            index += 1
        }
    }

    /// The digits of a number by the grammar of RFC 8259 section 6: Swift would accept `+1` and
    /// `nan`.
    private mutating func number() throws(Fault) -> String {
        skipSpace()
        let start = index
        try skipNumber()
        return ascii(start..<index)
    }

    private mutating func skipNumber() throws(Fault) {
        if peek == 0x2D { index += 1 }
        if peek == 0x30 { index += 1 } else { try digits() }
        if peek == 0x2E {
            index += 1
            try digits()
        }
        if peek == 0x65 || peek == 0x45 {
            index += 1
            if peek == 0x2B || peek == 0x2D { index += 1 }
            try digits()
        }
    }

    private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    private mutating func digits() throws(Fault) {
        let start = index
        while let byte = peek, (0x30...0x39).contains(byte) { index += 1 }
        guard index > start else { throw Fault() }
    }

    private func ascii(_ range: Range<Int>) -> String {
        unsafe bytes[range].withUnsafeBufferPointer { bytes in
            // Bytes that need no repair make a string in half of the time in this way.
            unsafe String(unsafeUninitializedCapacity: bytes.count) { text in
                unsafe text.initialize(fromContentsOf: bytes)
            }
        }
    }

    private func text(_ bytes: some Collection<UInt8>) throws(Fault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault() }
        return text
    }

    // MARK: Escapes

    private mutating func escape() throws(Fault) -> [UInt8] {
        guard let byte = peek else { throw Fault() }
        index += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: return [byte]
        case 0x62: return [0x08]
        case 0x66: return [0x0C]
        case 0x6E: return [0x0A]
        case 0x72: return [0x0D]
        case 0x74: return [0x09]
        case 0x75: return Array(String(Character(try scalar())).utf8)
        default:
            index -= 1
            throw Fault()
        }
    }

    /// `\u` with four digits, or two of them as a surrogate pair.
    private mutating func scalar() throws(Fault) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first) else { throw Fault() }
        try word("\\u")
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw Fault() }
        return scalar
    }

    private mutating func unit() throws(Fault) -> UInt32 {
        guard bytes.endIndex - index >= 4,
            let value = JSONReader.hex(bytes[index..<(index + 4)], lowerOnly: false)
        else { throw Fault() }
        index += 4
        return value
    }

    /// The value of up to eight hex digits; nil when one of them is not a hex digit.
    static func hex(_ digits: ArraySlice<UInt8>, lowerOnly: Bool) -> UInt32? {
        var value: UInt32 = 0
        for byte in digits {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
            case 0x41...0x46 where !lowerOnly: value = value << 4 | UInt32(byte - 0x41 + 10)
            default: return nil
            }
        }
        return value
    }
}
