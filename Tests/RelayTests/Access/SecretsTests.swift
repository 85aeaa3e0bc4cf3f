import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

struct RedactionTests {
    @Test(arguments: [
        ("token=s3cret&value=1", "token=[redacted]&value=1"),
        (
            "value=1&auth_token=a&access%5Ftoken=b",
            "value=1&auth_token=[redacted]&access%5Ftoken=[redacted]"
        ),
        ("code=abc&barcode=7", "code=[redacted]&barcode=7"),
        ("comment=br_abc123", "comment=[redacted]"), ("a&b=&=c", "a&b=&=c"),
        ("br_abc123", "[redacted]"), ("br_abc123=1&value=1", "[redacted]=1&value=1"),
        ("comment=br%5Fabc123", "comment=[redacted]"), ("br%5Fabc123", "[redacted]"),
        ("comment=%62%72%5fabc", "comment=[redacted]"), ("x=br%255Fabc&y=1", "x=[redacted]&y=1"),
        ("x=1%26token%3Ds3cret&y=1", "x=[redacted]&y=1"), ("t%6Fken=s3cret", "t%6Fken=[redacted]"),
        ("comment=100%25", "comment=100%25"),
        ("x=tok%65n%20s3cret%20br_1&y=1", "x=[redacted]&y=1"),
        ("comment=my+token:+s3cret&y=1", "comment=my+token:+[redacted]&y=1"),
        ("comment=rt_water.20261118.0a1b&y=1", "comment=[redacted]&y=1"),
        ("x=rt_water%2E20261118%2E0a1b&y=1", "x=[redacted]&y=1"), ("start_date=7", "start_date=7"),
    ])
    func `takes the secrets out of a query`(_ query: String, _ shown: String) {
        expect(Redaction.query(query), is: shown)
    }

    @Test(arguments: [
        ("/log/br_0123abc", "/log/[redacted]"), ("plain text", "plain text"),
        (#"{"token":"s3cret","value":1"#, #"{"token":"[redacted]"#),
        ("{'auth_token' : s3cret", "{'auth_token' : [redacted]"),
        ("Bearer s3cret", "Bearer [redacted]"), ("snake_case", "snake_case"),
        ("br_0123abc", "[redacted]"), (#""br_0123abc""#, #""[redacted]""#),
        (#"["br_0123abc", 'br_4']"#, #"["[redacted]", '[redacted]']"#),
        ("br%5F0123abc", "[redacted]"), ("xbr_1 and BR_2", "x[redacted] and [redacted]"),
        (#"{"token":["s3cret","other"],"value":1}"#, #"{"token":["[redacted]"#),
        (#"{"auth":{"user":"x","word":"s3cret"}}"#, #"{"auth":{"[redacted]"#),
        (#""token": "two words", 1"#, #""token": "[redacted]"#),
        (#"\"token\":\"s3cret\""#, #"\"token\":\"[redacted]"#),
        ("Authorization: Bearer s3cret, x", "Authorization: [redacted]"),
        ("my token", "my token"), ("100% br", "100% br"),
        ("rt_water.20261118.0a1b, x", "[redacted], x"), ("/log/RT_a.1.b", "/log/[redacted]"),
        ("heart_rate 60, start_date", "heart_rate 60, start_date"),
    ])
    func `takes the secrets out of a text`(_ text: String, _ shown: String) {
        expect(Redaction.text(text), is: shown)
    }

    @Test func `looks at the beginning of a text, however long it is`() {
        let text = String(repeating: "a", count: 100_000) + " token=s3cret"
        expect(Redaction.text(text), is: String(repeating: "a", count: 512) + "...")
        expect(Redaction.path("/" + text).utf8.count, is: 515)
        expect(Redaction.query(text).utf8.count, is: 515)
    }
}

/// The real program, shown its tokens in every place where one can stand.
@Suite(.serialized) struct SecretsTests {
    private let folder = TemporaryFolder()
    /// A token as a reminder's buttons have it.
    private static let button = "rt_water.20261118.0123456789abcdef0123456789abcdef01234567"

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
            "GET /context HTTP/1.1\r\nHost: a.local\r\nCookie: beemed-x7k2p1=\(secret)\r\n\r\n",
            body("token=\(secret)&value=1"), body(#"{"token":"\#(secret)","value":"x"}"#),
            body(#"{"token":"\#(secret)","#), body(#"{"auth_token":"\#(secret)"}"#),
            body("\(secret)"), body("1 \(secret)"),
            body("value=x&comment=a+\(secret),+b"), body(#""\#(secret)""#),
            body(#"["\#(secret)"]"#), body(#"{"value":["\#(secret)"]}"#), body("\(secret)=1"),
            body(secret.replacingOccurrences(of: "_", with: "%5F")),
            body("value=" + secret.replacingOccurrences(of: "_", with: "%5f")),
            "GET /log/water/trigger?\(secret) HTTP/1.1\r\nHost: a.local\r\n\r\n",
            "GET /log/water/trigger?\(secret)=\(secret) HTTP/1.1\r\nHost: a.local\r\n\r\n",
            "GET /log/water/trigger?x=br%5F\(secret.dropFirst(3)) HTTP/1.1\r\n"
                + "Host: a.local\r\n\r\n",
            "GET /br%5F\(secret.dropFirst(3))/ HTTP/1.1\r\nHost: a.local\r\n\r\n",
            post + "\(secret): x\r\nX-A: \(secret)\r\n\r\n",
            "\(secret) / HTTP/1.1\r\nHost: a.local\r\n\r\n",
            post + "Authorization: \(secret)\r\n\r\n",
            "PUT /connection HTTP/1.1\r\nHost: a.local\r\nContent-Length: 99\r\n"
                + "X-Relay-Token: \(secret)\r\n\r\n",
        ]
    }

    @Test func `no token is ever in the log, or among the last requests`() throws {
        let beeminders = "beeminders-s3cret"
        let program = try Executable.relay(on: folder, token: beeminders)
        let endpoint = try Executable.endpoint(program.line())
        let added = try Executable.run(["device", "add", "esp", "--data", folder.path]).output
        let owner = try require(try RelayStore(folder: folder.path).savedOwnerToken())
        let secrets = [
            added, owner, "br_wrong0wrong0wrong", SecretsTests.button + "br_",
            SecretsTests.button,
        ]
        for secret in secrets {
            for request in requests(with: secret) {
                let client = Client(endpoint)
                client.send(request)
                client.closeSending()
                _ = client.rest()
            }
        }
        let client = Client(endpoint)
        let comment = "value=x&comment=\(beeminders)"
        client.send(
            "POST /log/water HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(owner)\r\n"
                + "Content-Length: \(comment.utf8.count)\r\n\r\n\(comment)")
        expect(client.answer()?.hasPrefix("HTTP/1.1 422"), is: true)
        client.send(
            "GET /requests HTTP/1.1\r\nHost: a.local\r\nX-Relay-Token: \(owner)\r\n\r\n")
        let shown = try require(client.body())
        expect(shown.contains("[redacted]"))
        expect(program.terminate(), is: 0)
        let log = program.log
        expect(log.contains("msg=refused"))
        for secret in secrets + [beeminders] {
            let basic = Data("x:\(secret)".utf8).base64EncodedString()
            for text in [log, shown] {
                expect(!text.contains(secret))
                expect(!text.contains(secret.dropFirst(3)))
                expect(!text.contains(basic))
            }
        }
    }
}
