/// Reads `multipart/form-data` (RFC 7578), as `curl -F` and Shortcuts send it. The boundary is
/// taken from the body's first line, so no Content-Type is needed.
package enum MultipartReader {
    /// The fields, in order; nil for any other body. Files are skipped: no field of a press is one.
    package static func fields(_ body: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
        guard body.starts(with: Array("--".utf8)), let lineEnd = find(crlf, in: body) else {
            return nil
        }
        let delimiter = Array(body[..<lineEnd])
        var fields: [(String, String)] = []
        var rest = body[(lineEnd + 2)...]
        while let end = find(crlf + delimiter, in: rest) {
            if let field = field(rest[..<end]) { fields.append(field) }
            rest = rest[(end + 2 + delimiter.count)...]
            guard rest.starts(with: crlf) else { break }
            rest = rest.dropFirst(2)
        }
        return rest.starts(with: Array("--".utf8)) ? fields : nil
    }

    private static let crlf: [UInt8] = [0x0D, 0x0A]

    private static func field(_ part: ArraySlice<UInt8>) -> (String, String)? {
        guard let end = find(crlf + crlf, in: part) else { return nil }
        let head = String(decoding: part[..<end], as: UTF8.self)
        let disposition = head.split(separator: "\r\n").first { line in
            line.lowercased().hasPrefix("content-disposition:")
        }
        guard let disposition, parameter("filename", of: disposition) == nil,
            let name = parameter("name", of: disposition)
        else { return nil }
        return (name, String(decoding: part[(end + 4)...], as: UTF8.self))
    }

    private static func parameter(_ name: String, of line: Substring) -> String? {
        for item in line.split(separator: ";").dropFirst() {
            let pair = item.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }).lowercased() == name else {
                continue
            }
            return String(pair[1].drop { $0 == "\"" }.prefix { $0 != "\"" })
        }
        return nil
    }

    /// The first position of the pattern in the slice.
    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = pattern.first else { return nil }
        var start = bytes.startIndex
        while let place = bytes[start...].firstIndex(of: first) {
            if bytes[place...].starts(with: pattern) { return place }
            start = place + 1
        }
        return nil
    }
}
