/// Reads JSON text (RFC 8259) into values that keep the order of members. Foundation's decoder
/// would lose it, and needs half a millisecond for one number or text.
struct JSONReader {
    /// The text is not JSON; callers need no details.
    private struct NotJSON: Error {}

    /// The nesting limit, which protects the stack.
    private static let deepest = 32

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The value of a whole text; nil for text that is not JSON.
    static func parse(_ bytes: [UInt8]) -> OrderedJSON? {
        var reader = JSONReader(bytes)
        guard let value = try? reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.index == bytes.count ? value : nil
    }

    private mutating func value(depth: Int) throws(NotJSON) -> OrderedJSON {
        guard depth <= JSONReader.deepest else { throw NotJSON() }
        skipBlanks()
        switch peek {
        case UInt8(ascii: "{")?: return try object(depth: depth)
        case UInt8(ascii: "[")?: return try array(depth: depth)
        case UInt8(ascii: "\"")?: return .string(try string())
        case UInt8(ascii: "t")?: return try word("true", .bool(true))
        case UInt8(ascii: "f")?: return try word("false", .bool(false))
        case UInt8(ascii: "n")?: return try word("null", .null)
        case _: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(NotJSON) -> OrderedJSON {
        var object = JSONObject()
        index += 1
        if consume(UInt8(ascii: "}")) { return .object(object) }
        repeat {
            skipBlanks()
            guard peek == UInt8(ascii: "\"") else { throw NotJSON() }
            let key = try string()
            guard consume(UInt8(ascii: ":")) else { throw NotJSON() }
            object[key] = try value(depth: depth + 1)
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "}")) else { throw NotJSON() }
        return .object(object)
    }

    private mutating func array(depth: Int) throws(NotJSON) -> OrderedJSON {
        var values: [OrderedJSON] = []
        index += 1
        if consume(UInt8(ascii: "]")) { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
        } while consume(UInt8(ascii: ","))
        guard consume(UInt8(ascii: "]")) else { throw NotJSON() }
        return .array(values)
    }

    private mutating func word(_ word: String, _ value: OrderedJSON) throws(NotJSON) -> OrderedJSON
    {
        guard bytes[index...].starts(with: word.utf8) else { throw NotJSON() }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws(NotJSON) -> Double {
        let start = index
        if peek == UInt8(ascii: "-") { index += 1 }
        let firstDigit = index
        let count = digits()
        guard count > 0, count == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw NotJSON()
        }
        if peek == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { throw NotJSON() }
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            index += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { throw NotJSON() }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw NotJSON() }
        return value
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = peek, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func string() throws(NotJSON) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw NotJSON() }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escaped()).utf8)
            case 0..<0x20: throw NotJSON()
            case _: text.append(byte)
            }
        }
        throw NotJSON()
    }

    private mutating func escaped() throws(NotJSON) -> Unicode.Scalar {
        guard let byte = peek else { throw NotJSON() }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        case _: throw NotJSON()
        }
    }

    /// A `uXXXX`, or a surrogate pair of two.
    private mutating func escapedScalar() throws(NotJSON) -> Unicode.Scalar {
        let unit = try fourHexDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, bytes[index...].starts(with: [0x5C, 0x75]) else { throw NotJSON() }
        index += 2
        let low = try fourHexDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw NotJSON() }
        return scalar
    }

    private mutating func fourHexDigits() throws(NotJSON) -> UInt32 {
        guard index + 4 <= bytes.count else { throw NotJSON() }
        var number: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw NotJSON() }
            number = number << 4 + UInt32(digit)
        }
        index += 4
        return number
    }

    /// Skips blanks, and consumes the next byte if it is this one.
    private mutating func consume(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            index += 1
        }
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
}

extension OrderedJSON {
    /// Reads JSON text; nil for invalid text.
    init?(text: [UInt8]) {
        guard let value = JSONReader.parse(text) else { return nil }
        self = value
    }
}
