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
        guard let end = ASCII.position(of: crlf + crlf, in: part) else { return nil }
        let disposition = unfolded(part[..<end]).split(separator: ASCII.lineFeed).first { line in
            line.prefix(dispositionName.count).elementsEqual(dispositionName) {
                ASCII.lowercased($0) == $1
            }
        }
        guard let disposition, let name = parameter("name", of: disposition) else { return nil }
        let isFile = parameter("filename", of: disposition) != nil
        return (name, isFile ? nil : String(decoding: part[(end + 4)...], as: UTF8.self))
    }

    /// A head of a part whose folded lines are one (RFC 5322 section 2.2.3).
    private static func unfolded(_ head: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in head {
            if ASCII.isBlank(byte), bytes.suffix(2).elementsEqual(crlf) { bytes.removeLast(2) }
            bytes.append(byte)
        }
        return bytes
    }

    private static let dispositionName = Array("content-disposition:".utf8)

    /// Reads by bytes: to tell characters apart takes a hundred times as long.
    private static func parameter(_ name: String, of line: ArraySlice<UInt8>) -> String? {
        for item in line.split(separator: ASCII.semicolon).dropFirst() {
            guard let equals = item.firstIndex(of: ASCII.equals) else { continue }
            let given = item[..<equals].drop(while: ASCII.isBlank)
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
