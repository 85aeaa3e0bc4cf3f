import Testing

@testable import RelayHTTP

struct MessageTests {
    struct Framing: CustomTestStringConvertible, Sendable {
        var status = 200
        var body = "ab"
        var head = false
        var keepsAlive = true
        var version = Version.http11
        let wire: String

        var testDescription: String { wire.split(separator: "\r\n").joined(separator: " | ") }
    }

    @Test(arguments: [
        Framing(wire: "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nab"),
        Framing(body: "", wire: "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n"),
        Framing(head: true, wire: "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\n"),
        Framing(status: 204, wire: "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n"),
        Framing(status: 304, wire: "HTTP/1.1 304 Not Modified\r\nX: y\r\n\r\n"),
        Framing(
            keepsAlive: false,
            wire: "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab"),
        Framing(
            version: .http10,
            wire: "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nab"
        ),
        Framing(status: 599, wire: "HTTP/1.1 599 Status\r\nX: y\r\nContent-Length: 2\r\n\r\nab"),
    ])
    func `frames an answer exactly`(_ framing: Framing) {
        var output: [UInt8] = []
        let response = Response(
            status: framing.status, fields: [.init("X", "y")], body: Array(framing.body.utf8))
        let frame = ResponseEncoder.Frame(
            omitsBody: framing.head, keepsAlive: framing.keepsAlive, version: framing.version)
        ResponseEncoder.encode(response, to: &output, framed: frame, date: [])
        expect(String(decoding: output, as: UTF8.self), is: framing.wire)
    }

    @Test func `lets no value split an answer`() {
        let field = Response.Field("Location", "/a\r\nSet-Cookie: b\0\u{7f}")
        expect(Response(status: 302, fields: [field]).field("location"), is: "/a  Set-Cookie: b  ")
    }

    @Test func `has a reason and advice for every fault`() {
        for error in ParseError.allCases {
            expect("\(Response.reason(error.status))" != "Status", "\(error)")
            expect(!error.advice.isEmpty)
        }
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        (1_767_225_600, "Thu, 01 Jan 2026 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `writes dates as RFC 9110 has them`(_ seconds: Int, _ text: String) {
        expect(DateField.text(seconds), is: text)
    }

    @Test func `finds fields by name in any case, and tokens in their lists`() throws {
        let fields = try require(
            request(
                """
                GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br;q=1, GZIP \r\n\
                accept-encoding:\tdeflate\r\nX: g zip, gzipped\r\n\r\n
                """)
        ).fields
        expect(fields["accept-encoding"], is: "br;q=1, GZIP")
        expect(fields.all("accept-encoding"), is: ["br;q=1, GZIP", "deflate"])
        expect(fields["x-none"] == nil)
        expect(fields.list().map(\.name), is: ["Host", "Accept-Encoding", "accept-encoding", "X"])
        expect(fields.list().count, is: 4)
    }

    @Test(arguments: [
        ("127.0.0.1", true, true), ("127.255.0.1", true, true), ("10.1.2.3", false, true),
        ("172.15.0.1", false, false), ("172.16.0.1", false, true), ("172.31.9.9", false, true),
        ("172.32.0.1", false, false), ("192.168.1.5", false, true), ("192.169.1.5", false, false),
        ("169.254.7.7", false, true), ("100.64.0.1", false, true), ("100.128.0.1", false, false),
        ("8.8.8.8", false, false), ("::1", true, true), ("fe80::1", false, true),
        ("fd00::1", false, true), ("2001:db8::1", false, false), ("::ffff:10.0.0.1", false, true),
        ("::ffff:8.8.8.8", false, false), ("::", false, false), ("0.0.0.0", false, false),
        ("fec0::1", false, false),
    ])
    func `knows this machine and networks that are nobody else's`(
        _ text: String, _ isLoopback: Bool, _ isPrivate: Bool
    ) throws {
        let address = try require(Address(text))
        expect(address.isLoopback, is: isLoopback)
        expect(address.isPrivate, is: isPrivate)
    }

    @Test(arguments: [
        ("127.0.0.1:2336", "127.0.0.1:2336"), ("[::1]:0", "[::1]:0"),
        ("localhost:80", "127.0.0.1:80"), ("::1:80", nil), ("127.0.0.1", nil), ("[::1]", nil),
        ("127.0.0.1:65536", nil), ("127.0.0.1:-1", nil), ("256.0.0.1:80", nil), ("a:80", nil),
        (":80", nil), ("", nil), ("127.0.0.1:+80", nil),
    ])
    func `reads an endpoint`(_ text: String, _ expected: String?) {
        expect(Endpoint(text)?.description, is: expected)
    }

    private func request(_ text: String) -> Request? {
        var parser = RequestParser()
        parser.feed(Array(text.utf8).span)
        guard case .request(let request)? = try? parser.next() else { return nil }
        return request
    }
}
