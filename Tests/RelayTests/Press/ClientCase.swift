import Foundation

/// A client's request, byte for byte as that client sends it, and the press that must be read.
///
/// In the bytes, `RELAY` stands for address and port, `TOKEN` for the device's token and `BASIC`
/// for user and token as Basic has them. The texts are written with bare line ends, of which the
/// head's become CR LF.
struct ClientCase: CustomStringConvertible, Sendable {
    let client: String
    let head: String
    var body = ""
    var goal = "water"
    var value = 1.0
    var comment = ""
    var parsed: String
    var metadata: [String: String] = [:]
    /// Whether it sends its body only when it was told to go on.
    var awaitsGoAhead = false
    /// Whether the connection ends with the answer.
    var closes = false

    var description: String { client }

    /// The head's bytes. `LENGTH` is the body's.
    func head(relay: String, token: String) -> String {
        let basic = Data("x:\(token)".utf8).base64EncodedString()
        return head.replacing("\n", with: "\r\n").replacing("RELAY", with: relay)
            .replacing("TOKEN", with: token).replacing("BASIC", with: basic)
            .replacing("LENGTH", with: "\(body(token).utf8.count)") + "\r\n\r\n"
    }

    /// The body's bytes.
    func body(_ token: String) -> String {
        body.replacing("TOKEN", with: token)
    }

    private static let multipart = """
        --------------------------9b94631bbfe5f8ae\r
        Content-Disposition: form-data; name="value"\r
        \r
        2\r
        --------------------------9b94631bbfe5f8ae\r
        Content-Disposition: form-data; name="comment"\r
        \r
        two & a half\r
        --------------------------9b94631bbfe5f8ae--\r

        """

    private static let token = "Authorization: Bearer TOKEN"
    private static let length = "Content-Length: LENGTH"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    /// curl as it sends what these options say: its own fields first.
    private static func curl(
        _ options: String, _ line: String, _ fields: [String], body: String = "",
        value: Double = 1, comment: String = "", parsed: String, awaitsGoAhead: Bool = false
    ) -> ClientCase {
        let own = ["\(line) HTTP/1.1", "Host: RELAY", "User-Agent: curl/7.88.1", "Accept: */*"]
        return ClientCase(
            client: "curl \(options)", head: (own + fields).joined(separator: "\n"), body: body,
            value: value, comment: comment, parsed: parsed, awaitsGoAhead: awaitsGoAhead)
    }

    static let curl = [
        curl(
            "-d '+1'", "POST /log/water",
            [token, length, form], body: "+1", parsed: "text"),
        curl(
            "-d 'goal=water&value=1'", "POST /log",
            ["X-Relay-Token: TOKEN", length, form], body: "goal=water&value=1", parsed: "form"),
        curl(
            "--data-urlencode", "POST /log/water",
            [token, length, form],
            body: "comment=3+sets+%2B+coffee", comment: "3 sets + coffee", parsed: "form"),
        ClientCase(
            client: "curl --json",
            head: """
                POST /log HTTP/1.1
                Host: RELAY
                User-Agent: curl/7.88.1
                Authorization: Bearer TOKEN
                Content-Type: application/json
                Accept: application/json
                Content-Length: LENGTH
                """, body: #"{"goal":"water","value":0.25,"comment":"a glass"}"#, value: 0.25,
            comment: "a glass", parsed: "json"),
        curl(
            "-d '{...}', which calls it a form", "POST /log/water",
            [token, length, form], body: #"{"value":2}"#, value: 2, parsed: "json"),
        ClientCase(
            client: "curl -X POST -u, with neither length nor body",
            head: """
                POST /log/water HTTP/1.1
                Host: RELAY
                Authorization: Basic BASIC
                User-Agent: curl/7.88.1
                Accept: */*
                """, parsed: "empty"),
        curl(
            "-d ''", "POST /log/water?token=TOKEN",
            ["Content-Length: 0", form], parsed: "empty"),
        curl(
            "-H 'Content-Type:' -d '+1'", "POST /log/water",
            [token, length], body: "+1", parsed: "text"),
        curl(
            "-F", "POST /log/water",
            [
                token, length,
                "Content-Type: multipart/form-data; "
                    + "boundary=------------------------9b94631bbfe5f8ae",
            ], body: multipart, value: 2, comment: "two & a half", parsed: "multipart"),
        curl(
            "-T file, which waits for 100", "PUT /log/water",
            [token, length, "Expect: 100-continue"],
            body: "value=1\n", parsed: "form", awaitsGoAhead: true),
        curl(
            "-T -, chunked, which waits for 100", "PUT /log/water",
            [token, "Transfer-Encoding: chunked", "Expect: 100-continue"],
            body: "3\r\n+2\n\r\n0\r\n\r\n", value: 2, parsed: "text", awaitsGoAhead: true),
        curl(
            "--http2", "POST /log/water",
            [
                "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA", token, length, form,
            ], body: "value=1", parsed: "form"),
        curl(
            "-G -d value=+1, unencoded", "GET /log/water/trigger?value=+1&token=TOKEN",
            [], parsed: "empty"),
    ]
}
