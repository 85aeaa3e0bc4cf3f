import Testing

@testable import RelayHTTP

/// The answers of other servers, in pieces of any size.
struct ResponseReadingTests {
    /// The content of chunks that come in pieces of that size; nil when they are none, or not all.
    private func content(_ chunks: String, piece: Int) -> String? {
        var reader = ResponseReader(isHead: false)
        var content: [UInt8] = []
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
        var rest = Array(answer.utf8)[...]
        while !rest.isEmpty {
            guard let pieces = reader.parse(rest.prefix(piece)) else { return nil }
            for case .more(let bytes) in pieces { content += bytes }
            rest = rest.dropFirst(piece)
        }
        return reader.isComplete ? String(decoding: content, as: UTF8.self) : nil
    }

    @Test(arguments: [1, 2, 3, 100])
    func `chunks are joined`(_ piece: Int) {
        let chunks = "5;a=b\r\nhello\r\n1\r\n \r\nB\r\nto everyone\r\n0\r\n\r\n"
        expect(content(chunks, piece: piece), is: "hello to everyone")
        expect(content(String(chunks.prefix(30)), piece: piece) == nil)
    }

    @Test(arguments: ["-1", "+5", "", " 5", "x", "7ffffffffffffffe", "ffffffffffffffffff"])
    func `no size ends the process`(_ size: String) {
        for piece in [1, 100] { expect(content("\(size)\r\nhello\r\n", piece: piece) == nil) }
    }

    @Test(arguments: ["-1", "+5", "5 5", "99999999999999999999"])
    func `a length that is none, or beyond all bounds, is no answer`(_ length: String) {
        var reader = ResponseReader(isHead: false)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"
        let pieces = reader.parse(Array(answer.utf8)[...])
        expect(pieces == nil)
    }
}
