/// Reads the JSON that buttons send, `{"goal":"water","value":1}`: one flat object of plain texts
/// and numbers.
///
/// It exists for speed, and only because a profile said so: Foundation's decoder took a quarter of
/// all the instructions of a press. It never judges. Whatever is not obviously plain (an escape,
/// nesting, a literal, bad UTF-8, a mistake) makes it return nil, and Foundation decides.
enum FlatJSON {
    /// What it says, numbers as they are written; nil when Foundation must look.
    static func fields(_ json: ArraySlice<UInt8>) -> PressFields? {
        let bytes = json.span
        var reader = Reader()
        return reader.object(bytes)
    }

    /// Where in the bytes it stands.
    private struct Reader {
        private var index = 0

        mutating func object(_ bytes: borrowing Span<UInt8>) -> PressFields? {
            var fields = PressFields()
            fields.form = .json
            guard take(UInt8(ascii: "{"), bytes) else { return nil }
            repeat {
                guard let name = string(bytes), take(UInt8(ascii: ":"), bytes),
                    let text = value(bytes)
                else { return nil }
                fields.set(name, text)
            } while take(UInt8(ascii: ","), bytes)
            guard take(UInt8(ascii: "}"), bytes) else { return nil }
            skipBlanks(bytes)
            return index == bytes.count ? fields : nil
        }

        private mutating func value(_ bytes: borrowing Span<UInt8>) -> String? {
            skipBlanks(bytes)
            guard index < bytes.count else { return nil }
            return bytes[index] == UInt8(ascii: "\"") ? string(bytes) : number(bytes)
        }

        /// A text of ASCII without escapes.
        private mutating func string(_ bytes: borrowing Span<UInt8>) -> String? {
            guard take(UInt8(ascii: "\""), bytes) else { return nil }
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                let byte = bytes[index]
                guard byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") else { return nil }
                index += 1
            }
            guard index < bytes.count else { return nil }
            index += 1
            return FlatJSON.text(bytes.extracting(start..<(index - 1)))
        }

        /// Digits with a sign or a fraction, RFC 8259 section 6 without exponents, so short that
        /// no precision is lost.
        private mutating func number(_ bytes: borrowing Span<UInt8>) -> String? {
            let start = index
            if bytes[index] == UInt8(ascii: "-") { index += 1 }
            let first = index
            skipDigits(bytes)
            guard index > first, bytes[first] != UInt8(ascii: "0") || index == first + 1 else {
                return nil
            }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                index += 1
                let fraction = index
                skipDigits(bytes)
                guard index > fraction else { return nil }
            }
            guard index - start <= 15 else { return nil }
            return FlatJSON.text(bytes.extracting(start..<index))
        }

        private mutating func skipDigits(_ bytes: borrowing Span<UInt8>) {
            while index < bytes.count, case 0x30...0x39 = bytes[index] { index += 1 }
        }

        private mutating func skipBlanks(_ bytes: borrowing Span<UInt8>) {
            while index < bytes.count {
                switch bytes[index] {
                case 0x20, 0x09, 0x0A, 0x0D: index += 1
                default: return
                }
            }
        }

        private mutating func take(_ byte: UInt8, _ bytes: borrowing Span<UInt8>) -> Bool {
            skipBlanks(bytes)
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }
    }

    private static func text(_ bytes: borrowing Span<UInt8>) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
