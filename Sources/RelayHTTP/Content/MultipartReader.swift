/// Reads `multipart/form-data` (RFC 7578), as `curl -F` and Shortcuts send it. The boundary is
/// taken from the body's first line, so no Content-Type is needed.
package enum MultipartReader {
    /// The fields, in order, with nil for the content of a file; nil for any other body.
    package static func fields(_ body: ArraySlice<UInt8>) -> [(name: String, value: String?)]? {
        guard body.starts(with: Array("--".utf8)), let lineEnd = ASCII.position(of: crlf, in: body)
        else {
            return nil
        }
        let delimiter = Array(body[..<lineEnd])
        var fields: [(String, String?)] = []
        var rest = body[(lineEnd + 2)...]
        while let end = ASCII.position(of: crlf + delimiter, in: rest) {
            if let field = field(rest[..<end]) { fields.append(field) }
            rest = rest[(end + 2 + delimiter.count)...]
            guard rest.starts(with: crlf) else { break }
            rest = rest.dropFirst(2)
        }
        return rest.starts(with: Array("--".utf8)) ? fields : nil
    }

    private static let crlf: [UInt8] = [0x0D, 0x0A]

    private static func field(_ part: ArraySlice<UInt8>) -> (String, String?)? {
        guard let end = ASCII.position(of: crlf + crlf, in: part),
            let name = parameter("name", of: part[..<end])
        else { return nil }
        let isFile = parameter("filename", of: part[..<end]) != nil
        return (name, isFile ? nil : String(decoding: part[(end + 4)...], as: UTF8.self))
    }

    /// A parameter in a part's head, whose lines may be folded (RFC 5322 section 2.2.3): of its
    /// fields the disposition alone has a name. Reads by bytes: to tell characters apart takes a
    /// hundred times as long.
    private static func parameter(_ name: String, of head: ArraySlice<UInt8>) -> String? {
        for item in head.split(separator: ASCII.semicolon).dropFirst() {
            guard let equals = item.firstIndex(of: ASCII.equals) else { continue }
            let given = item[..<equals].drop { ASCII.isBlank($0) || crlf.contains($0) }
            guard given.elementsEqual(name.utf8, by: { ASCII.lowercased($0) == $1 }) else {
                continue
            }
            let text = item[(equals + 1)...].drop { $0 == ASCII.quote }
                .prefix { $0 != ASCII.quote && $0 != ASCII.carriageReturn }
            return String(decoding: text, as: UTF8.self)
        }
        return nil
    }
}
