/// A head that comes again is not read again, and must mean exactly what it would have meant.
import Testing

@testable import RelayHTTP

struct SameHeadTests {
    private static let post = "POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"

    /// The requests that a parser reads from bytes that come in pieces of that size.
    private func read(_ text: String, by size: Int) -> [String] {
        var parser = RequestParser()
        var found: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.feed(bytes[start..<min(start + size, bytes.count)].span)
            do {
                while let event = try parser.next() {
                    switch event {
                    case .announced(let announced):
                        _ = parser.admit(bodyBytes: announced.declaredBytes ?? 0)
                    case .request(let request):
                        let body = String(decoding: request.body, as: UTF8.self)
                        let fields = request.fields.list().map { "\($0.name)=\($0.value)" }
                        found.append("\(request.target.path) \(fields) \(body)")
                    }
                }
            } catch {
                return found + ["\(error)"]
            }
        }
        return found
    }

    @Test func `the same head again, with another body`() throws {
        var parser = RequestParser()
        var heads: [Head] = []
        for body in ["aa", "bb"] {
            parser.feed(Array((SameHeadTests.post + body).utf8).span)
            guard case .request(let request)? = try? parser.next()
            else { throw Unexpected("no request") }
            expect(request.body, is: Array(body.utf8))
            heads.append(request.head)
        }
        expect(heads[0] === heads[1])
    }

    @Test(arguments: [
        // The same, one that only begins alike, one that differs in the last field, none at all.
        SameHeadTests.post + "bb",
        "POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX: y\r\n\r\nbb",
        "POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nbbb",
        "\r\n" + SameHeadTests.post + "bb",
        "POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\n\r\nbb",
        "POST /log HTTP/1.1\r\nHost: a\r\n",
    ])
    func `means what it means to a parser that has seen nothing`(_ second: String) {
        let alone = read(second, by: .max / 2)
        for size in [1, 2, 7, 60, 1_000] {
            let both = read(SameHeadTests.post + "aa" + second, by: size)
            expect(both, is: read(SameHeadTests.post + "aa", by: 1_000) + alone, "by \(size)")
        }
    }
}
