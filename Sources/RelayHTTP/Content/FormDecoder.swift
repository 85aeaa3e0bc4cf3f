/// Decodes `application/x-www-form-urlencoded` (WHATWG URL, section 5.1) and URL paths.
package enum FormDecoder {
    /// The pairs, in order. A name without `=` has an empty value.
    package static func pairs(_ text: String) -> [(name: String, value: String)] {
        // By bytes: a combining mark behind a separator would make another character of it.
        text.utf8.split(separator: ASCII.ampersand).map { pair in
            guard let equals = pair.firstIndex(of: ASCII.equals) else {
                return (decode(Substring(pair), plusIsBlank: true), "")
            }
            return (
                decode(Substring(pair[..<equals]), plusIsBlank: true),
                decode(Substring(pair[pair.index(after: equals)...]), plusIsBlank: true)
            )
        }
    }

    /// Undoes percent-encoding. An invalid escape is kept as it is, since devices that encode by
    /// hand send a bare `%`.
    package static func decode(_ text: Substring, plusIsBlank: Bool) -> String {
        var bytes: [UInt8] = []
        let given = Array(text.utf8)
        var index = 0
        while index < given.count {
            let byte = given[index]
            if byte == 0x25, index + 2 < given.count,
                let high = ASCII.hexValue(given[index + 1]),
                let low = ASCII.hexValue(given[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
                continue
            }
            bytes.append(plusIsBlank && byte == 0x2B ? 0x20 : byte)
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
