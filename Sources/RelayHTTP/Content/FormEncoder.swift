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
