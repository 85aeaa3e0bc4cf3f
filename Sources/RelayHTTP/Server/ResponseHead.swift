/// The head of another server's answer: the answer without its content, and how that is framed.
struct ResponseHead {
    /// The fields of an answer that are passed on.
    private static let names: [StaticString] = [
        "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Origin", "Access-Control-Max-Age", "Allow", "Cache-Control",
        "Content-Disposition", "Content-Security-Policy", "Content-Type", "ETag", "Location",
        "Referrer-Policy", "Retry-After", "Service-Worker-Allowed", "Set-Cookie", "Vary",
        "WWW-Authenticate", "X-Accel-Buffering",
    ]

    var response: Response
    /// The length of the content in bytes, if it is said.
    var length: Int?
    var isChunked = false

    /// - Parameter others: further fields that are passed on.
    /// - Returns: nil when it is not the head of an answer.
    init?(_ bytes: some Collection<UInt8>, passingOn others: [StaticString] = []) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."),
            let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
        else { return nil }
        response = Response(status: status)
        for line in lines.dropFirst() where !read(line, others) { return nil }
    }

    /// - Returns: false for a length that is none, or is another one than before.
    private mutating func read(_ line: Substring, _ others: [StaticString]) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return true }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        if name == "content-length" {
            guard let given = Grammar.decimal(value.utf8.span), length ?? given == given else {
                return false
            }
            length = given
        }
        if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
        let names = ResponseHead.names + others
        if let known = names.first(where: { "\($0)".lowercased() == name }) {
            response.fields.append(Response.Field(known, String(value)))
        }
        return true
    }

    /// The position behind the empty line that ends it; nil while it is incomplete.
    static func end(in bytes: [UInt8]) -> Int? {
        let ending: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= ending.count else { return nil }
        return (0...(bytes.count - ending.count)).first { bytes[$0...].starts(with: ending) }
            .map { $0 + ending.count }
    }
}
