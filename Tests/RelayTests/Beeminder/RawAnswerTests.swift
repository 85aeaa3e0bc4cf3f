import Foundation
import Testing

@testable import BeemedDomain

/// Answers whose bytes matter, over real connections.
struct RawAnswerTests {
    @Test func `reads Retry-After by the answer's own Date`() async throws {
        // The server's clock is years behind the relay's.
        let beeminder = try RawBeeminder { _ in
            "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n"
                + "Date: Sun, 06 Nov 2011 08:49:07 GMT\r\n"
                + "Retry-After: Sun, 06 Nov 2011 08:49:37 GMT\r\n\r\n"
        }
        let result = try await BeeminderClientTests.send(try beeminder.client(), 1)
        expect(result, is: .whole(.busy(retryAfter: 30)))
        expect(beeminder.asked.count, is: 1)
    }

    private static let created = #"{"id":"d1","requestid":"b.1","status":"created"}"#

    /// A body in one chunk, with what follows the last chunk (RFC 9112 section 7.1).
    private static func chunked(_ body: String, trailer: String) -> String {
        let size = String(body.utf8.count, radix: 16)
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\(trailer)\r\n"
    }

    @Test(arguments: [
        "", "X-Checksum: 1\r\n", "X-Checksum: 1\r\nServer-Timing: a;dur=1\r\n",
        "Content-Length: 3\r\n", "Set-Cookie: a=b\r\n",
    ])
    func `reads a chunked answer, whatever fields follow it`(_ trailer: String) async throws {
        let beeminder = try RawBeeminder { _ in
            Self.chunked(Self.created, trailer: trailer)
        }
        let result = try await BeeminderClientTests.send(try beeminder.client(), 1)
        expect(result, is: .whole(.delivered(.created, datapoint: "d1")))
    }

    /// Foundation on Linux ends the process for a challenge without a realm.
    @Test(arguments: ["Bearer", "Negotiate", "Basic", "", #"Basic realm="x""#, "Digest a=b"])
    func `takes a 401 for what it is, whatever it asks for`(_ challenge: String) async throws {
        let beeminder = try RawBeeminder { _ in
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\n"
                + "Content-Length: 12\r\n\r\n{\"error\":\"\"}"
        }
        let result = try await BeeminderClientTests.send(try beeminder.client(), 1)
        expect(result, is: .whole(.unauthorized))
        expect(beeminder.asked.count, is: 1)
    }

    @Test(arguments: [
        "", "\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "garbage", "\0\0\0",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ])
    func `survives bytes that are no answer, and settles nothing by them`(
        _ bytes: String
    ) async throws {
        let beeminder = try RawBeeminder { _ in bytes }
        switch try await BeeminderClientTests.send(try beeminder.client(), 1) {
        case .whole(.unreachable), .whole(.unclear): break
        case let other: Issue.record("\(other)")
        }
    }
}
