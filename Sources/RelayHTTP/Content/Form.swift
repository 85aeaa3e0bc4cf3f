/// Decodes `application/x-www-form-urlencoded` (WHATWG URL, section 5.1) and URL paths.
package enum FormDecoder {
    /// The pairs, in order. A name without `=` has an empty value.
    package static func pairs(_ text: String) -> [(name: String, value: String)] {
        // By bytes: a combining mark behind a separator would make another character of it.
        text.utf8.split(separator: ASCII.ampersand).map { pair in
            let name = pair.prefix { $0 != ASCII.equals }
            let value = pair.dropFirst(name.count + 1)
            return (
                decode(Substring(name), plusIsBlank: true),
                decode(Substring(value), plusIsBlank: true)
            )
        }
    }

    /// The value of the first pair with one of these names and an equals sign, without making the
    /// others. Anybody may send a query of thousands of pairs, so only the first of them are looked
    /// at.
    ///
    /// - Parameter bytes: how much of the value is decoded, at most.
    package static func value(of names: [String], in text: String, atMost bytes: Int) -> String? {
        var rest = text.utf8[...]
        for _ in 0..<maxPairs where !rest.isEmpty {
            let pair = rest.prefix { $0 != ASCII.ampersand }
            let name = pair.prefix { $0 != ASCII.equals }
            if name.count < pair.count, names.contains(decode(Substring(name), plusIsBlank: true)) {
                let value = pair.dropFirst(name.count + 1).prefix(bytes)
                return decode(Substring(value), plusIsBlank: true)
            }
            rest = rest.dropFirst(pair.count + 1)
        }
        return nil
    }

    private static let maxPairs = 256

    /// The byte of an escape that begins there; nil for anything else.
    private static func escapedByte(_ text: borrowing Span<UInt8>, at index: Int) -> UInt8? {
        guard text[index] == 0x25, index + 2 < text.count,
            let high = ASCII.hexValue(text[index + 1]), let low = ASCII.hexValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Undoes percent-encoding. An invalid escape is kept as it is, since devices that encode by
    /// hand send a bare `%`.
    package static func decode(_ text: Substring, plusIsBlank: Bool) -> String {
        guard text.utf8.contains(0x25) || plusIsBlank && text.utf8.contains(0x2B) else {
            return String(text)
        }
        return String(decoding: bytes(text, plusIsBlank: plusIsBlank), as: UTF8.self)
    }

    /// Whether a form or a query is UTF-8, also where its bytes are escaped.
    package static func isText(_ form: String) -> Bool {
        !form.utf8.contains(0x25)
            || String(validating: bytes(form[...], plusIsBlank: true), as: UTF8.self) != nil
    }

    private static func bytes(_ text: Substring, plusIsBlank: Bool) -> [UInt8] {
        let given = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < given.count {
            let escaped = escapedByte(given.span, at: index)
            let isBlank = plusIsBlank && given[index] == 0x2B
            bytes.append(escaped ?? (isBlank ? 0x20 : given[index]))
            index += escaped == nil ? 1 : 3
        }
        return bytes
    }
}

/// Encodes `application/x-www-form-urlencoded`.
package enum FormEncoder {
    /// The pairs, in order.
    package static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes everything but RFC 3986's unreserved characters (section 2.3) as `%XX`: what results
    /// may stand in a form, in a query, and as one segment of a path.
    package static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                escaped.append(byte)
            } else {
                escaped += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
