import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

struct HostCheckTests {
    private var check = HostCheck(names: ["nas", "Relay.Home"])

    @Test(arguments: [
        "192.168.1.20", "192.168.1.20:2336", "127.0.0.1:80", "[::1]:2336", "[fd00::1]", "localhost",
        "localhost:2336", "relay.local", "NAS.local:2336", "nas", "NAS:2336", "relay.home",
    ])
    mutating func `allows names of this machine`(_ host: String) {
        let isAllowed = check.allows(host)
        expect(isAllowed)
    }

    @Test(arguments: [
        "evil.example", "evil.example:2336", "localhost.evil.example", "127.0.0.1.evil.example",
        "local", "xlocalhost", "nas.evil.example", "1.2.3.4.5", "evil.example, relay.local",
    ])
    mutating func `refuses names that a stranger could own`(_ host: String) {
        let isAllowed = check.allows(host)
        expect(!isAllowed)
    }

    @Test mutating func `lets a request of HTTP 1.0 name no host`() {
        let isAllowed = check.allows(nil)
        expect(isAllowed)
    }
}

struct CredentialsTests {
    private func request(_ target: String, _ fields: String...) throws -> Request {
        var parser = RequestParser()
        let lines = ["GET \(target) HTTP/1.1", "Host: a.local"] + fields
        parser.feed(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8).span)
        guard case .request(let request) = try parser.next() else { throw CancellationError() }
        return request
    }

    @Test func `finds the token wherever a device can put it`() throws {
        let heads: [Request] = [
            try request("/log", "Authorization: Bearer s3cret"),
            try request("/log", "authorization: bearer   s3cret"),
            try request("/log", "Authorization: Basic eDpzM2NyZXQ="),  // x:s3cret
            try request("/log", "X-Relay-Token: s3cret"),
            try request("/log?value=1&token=s3cret"), try request("/health?key=s3cret"),
            try request("/health/?key=s3cret"), try request("//%68ealth?key=s3cret"),
        ]
        for head in heads { expect(Credentials.token(in: head), is: "s3cret") }
    }

    @Test func `takes nothing else for a token`() throws {
        let heads: [Request] = [
            try request("/log"), try request("/log", "Authorization: Bearer"),
            try request("/log", "Authorization: Digest s3cret"),
            try request("/log", "Authorization: Basic ???"),
            try request("/log?tokens=s3cret"), try request("/token=s3cret"),
        ]
        for head in heads { expect(Credentials.token(in: head) == nil) }
    }
}

struct RateLimiterTests {
    @Test func `lets a burst pass and then the steady rate`() {
        var limiter = RateLimiter(rate: 2, burst: 10)
        let start = Monotonic(milliseconds: 0)
        for _ in 0..<10 { expect(limiter.consume("a", at: start) == nil) }
        expect(limiter.consume("a", at: start), is: 0.5)
        expect(limiter.consume("b", at: start) == nil, "another key has a bucket of its own")
        expect(limiter.consume("a", at: start.adding(seconds: 0.5)) == nil)
        expect(limiter.consume("a", at: start.adding(seconds: 0.5)) != nil)
    }

    @Test func `remembers a bounded number of keys`() {
        var limiter = RateLimiter(rate: 1, burst: 1)
        let start = Monotonic(milliseconds: 0)
        for index in 0..<20_000 { _ = limiter.consume("\(index)", at: start) }
        expect(limiter.consume("fresh", at: start) == nil)
    }
}

struct TokenTests {
    @Test func `digests as the standard's examples do`() {
        for (text, digest) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ] {
            let bytes = SHA256Digest.of(Array(text.utf8))
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            expect(hex, is: digest)
            expect(TokenDigest(of: text).rawValue, is: digest)
            expect(TokenDigest(rawValue: digest), is: TokenDigest(of: text))
        }
    }

    @Test func `is never the same twice`() {
        let tokens = Set((0..<1_000).map { _ in Token.random().text })
        expect(tokens.count, is: 1_000)
        expect(tokens.allSatisfy { $0.hasPrefix("br_") && $0.count == 35 })
    }

    @Test func `is known by its digest alone`() throws {
        var book = DeviceBook()
        let token = try book.add(name: "kitchen", rights: ["log"], goals: ["water"])
        let saved = try JSONEncoder().encode(book)
        for book in [book, try JSONDecoder().decode(DeviceBook.self, from: saved)] {
            func device(_ token: String, in book: DeviceBook) -> Device? {
                book.bearer(of: TokenDigest(of: token))
            }
            expect(device(token.text, in: book)?.name, is: .known("kitchen"))
            expect(device(token.text + "x", in: book) == nil)
            expect(device(token.digest.rawValue, in: book) == nil)
            expect(device(token.text, in: DeviceBook()) == nil)
        }
        expect(!String(decoding: saved, as: UTF8.self).contains(token.text))
    }
}
