/// Reads the JSON that buttons send, `{"goal":"water","value":1}`: one flat object of plain texts
/// and numbers.
///
/// It exists for speed, and only because a profile said so: Foundation's decoder took a quarter of
/// all the instructions of a press. It never judges. Whatever is not obviously plain (an escape,
/// nesting, a literal, bad UTF-8, a mistake) makes it return nil, and Foundation decides.
enum FlatJSON {
    /// What it says, numbers as they are written; nil when Foundation must look.
    static func fields(_ json: ArraySlice<UInt8>) -> PressFields? {
        var reader = Reader(json)
        return reader.object()
    }

    private struct Reader {
        let bytes: ArraySlice<UInt8>
        private var index: Int

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            index = bytes.startIndex
        }

        mutating func object() -> PressFields? {
            var fields = PressFields()
            fields.form = .json
            guard take(UInt8(ascii: "{")) else { return nil }
            repeat {
                guard let name = string(), take(UInt8(ascii: ":")), let text = value() else {
                    return nil
                }
                fields.set(name, text)
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { return nil }
            skipBlanks()
            return index == bytes.endIndex ? fields : nil
        }

        private mutating func value() -> String? {
            skipBlanks()
            guard index < bytes.endIndex else { return nil }
            return bytes[index] == UInt8(ascii: "\"") ? string() : number()
        }

        /// A text of ASCII without escapes.
        private mutating func string() -> String? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            let start = index
            while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
                let byte = bytes[index]
                guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
                index += 1
            }
            guard index < bytes.endIndex else { return nil }
            index += 1
            return text(start..<(index - 1))
        }

        /// Digits with a sign or a fraction, RFC 8259 section 6 without exponents, so short that
        /// no precision is lost.
        private mutating func number() -> String? {
            let start = index
            if bytes[index] == UInt8(ascii: "-") { index += 1 }
            let first = index
            skipDigits()
            guard index > first, bytes[first] != UInt8(ascii: "0") || index == first + 1 else {
                return nil
            }
            if index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") {
                index += 1
                let fraction = index
                skipDigits()
                guard index > fraction else { return nil }
            }
            guard index - start <= 15 else { return nil }
            return text(start..<index)
        }

        private func text(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self)
        }

        private mutating func skipDigits() {
            while index < bytes.endIndex, case 0x30...0x39 = bytes[index] { index += 1 }
        }

        private mutating func skipBlanks() {
            while index < bytes.endIndex {
                switch bytes[index] {
                case 0x20, 0x09, 0x0A, 0x0D: index += 1
                default: return
                }
            }
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard index < bytes.endIndex, bytes[index] == byte else { return false }
            index += 1
            return true
        }
    }
}
