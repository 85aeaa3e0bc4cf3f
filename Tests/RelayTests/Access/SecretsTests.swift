import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay

@Suite struct RedactionTests {
    @Test(arguments: [
        ("token=s3cret&value=1", "token=[redacted]&value=1"),
        (
            "value=1&auth_token=a&access%5Ftoken=b",
            "value=1&auth_token=[redacted]&access%5Ftoken=[redacted]"
        ),
        ("code=abc&barcode=7", "code=[redacted]&barcode=7"),
        ("comment=br_abc123", "comment=[redacted]"), ("a&b=&=c", "a&b=&=c"),
    ])
    func `takes the secrets out of a query`(_ query: String, _ shown: String) {
        #expect(Redaction.query(query) == shown)
    }

    @Test(arguments: [
        ("/log/br_0123abc", "/log/[redacted]"), ("plain text", "plain text"),
        (#"{"token":"s3cret","value":1"#, #"{"token":"[redacted]","value":1"#),
        ("{'auth_token' : s3cret", "{'auth_token' : [redacted]"),
        ("Bearer s3cret", "Bearer [redacted]"), ("snake_case", "snake_case"),
    ])
    func `takes the secrets out of a text`(_ text: String, _ shown: String) {
        #expect(Redaction.text(text) == shown)
    }
}

/// The real program, shown its tokens in every place where one can stand.
@Suite(.timeLimit(.minutes(1)), .serialized) struct SecretsTests {
    private let folder = TemporaryFolder()

    /// Heads that carry a secret, each in a place of its own.
    private func requests(with secret: String) -> [String] {
        let basic = Data("x:\(secret)".utf8).base64EncodedString()
        let post = "POST /log/water HTTP/1.1\r\nHost: a.local\r\n"
        func body(_ text: String) -> String {
            post + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        return [
            post + "Authorization: Bearer \(secret)\r\n\r\n",
            post + "Authorization: Basic \(basic)\r\n\r\n",
            post + "X-Relay-Token: \(secret)\r\nContent-Length: 3\r\n\r\nbad",
            "GET /log/water/trigger?token=\(secret)&value=x HTTP/1.1\r\nHost: a.local\r\n\r\n",
            "GET /login?code=\(secret) HTTP/1.1\r\nHost: a.local\r\n\r\n",
            "GET /log/\(secret) HTTP/1.1\r\nHost: a.local\r\n\r\n",
            "GET /\(secret) HTTP/1.1\r\nHost : a.local\r\n\r\n",
            "GET /context HTTP/1.1\r\nHost: \(secret).example\r\n\r\n",
            "GET /context HTTP/1.1\r\nHost: a.local\r\nCookie: beemed=\(secret)\r\n\r\n",
            body("token=\(secret)&value=1"), body(#"{"token":"\#(secret)","value":"x"}"#),
            body(#"{"token":"\#(secret)","#), body(#"{"auth_token":"\#(secret)"}"#),
            body("\(secret)"), body("1 \(secret)"),
            "PUT /connection HTTP/1.1\r\nHost: a.local\r\nContent-Length: 99\r\n"
                + "X-Relay-Token: \(secret)\r\n\r\n",
        ]
    }

    @Test func `no token is ever in the log, or among the last requests`() throws {
        let beeminders = "beeminders-s3cret"
        let program = try Executable(
            [
                "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--beeminder-url",
                "http://127.0.0.1:9", "--rate-limit", "off",
            ], environment: ["BEEMINDER_AUTH_TOKEN": beeminders])
        let line = try #require(program.line())
        let endpoint = try #require(Endpoint(String(line.dropFirst("Listening on http://".count))))
        let added = try Executable.run(["device", "add", "esp", "--data", folder.path]).output
        let owner = try #require(RelayStore(folder: folder.path).savedOwnerToken())
        let secrets = [added, owner, "br_wrong0wrong0wrong"]
        for secret in secrets {
            for request in requests(with: secret) {
                let client = Client(endpoint)
                client.send(request)
                client.closeSending()
                _ = client.rest()
            }
        }
        let client = Client(endpoint)
        client.send(
            "GET /requests HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(owner)\r\n\r\n")
        let shown = try #require(client.body())
        #expect(shown.contains("[redacted]"))
        program.send(SIGTERM)
        #expect(program.wait() == 0)
        let log = program.log
        #expect(log.contains("msg=refused"))
        for secret in secrets + [beeminders] {
            let basic = Data("x:\(secret)".utf8).base64EncodedString()
            for text in [log, shown] {
                #expect(!text.contains(secret))
                #expect(!text.contains(basic))
            }
        }
    }
}
