import Testing

@testable import RelayHTTP

/// Content whose length is missing or too short: a request is handed out whole, or refused.
struct UnframedContentTests {
    /// A client's act after its last byte.
    enum End {
        /// Closes its sending direction.
        case ends
        /// Waits for the answer until the server's patience ends.
        case isSilent
    }

    private static let closing = [
        "POST / HTTP/1.0\r\n", "PUT / HTTP/1.0\r\nHost: a\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
        "PATCH / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
    ]
    private static let kept = [
        "POST / HTTP/1.1\r\nHost: a\r\n", "PUT / HTTP/1.1\r\nHost: a\r\n",
        "POST / HTTP/1.0\r\nConnection: keep-alive\r\n",
    ]
    private static let type = "Content-Type: application/json\r\n"
    private static let json = #"{"value":0.25}"#
    private static let bodies = [
        json, "0.25", "+1", "value=0.25&comment=x", #"1 "with milk""#, #"{"a":"}","value":[1,{}]}"#,
        #"[{"goal":"a"}]"#,
        "--b\r\nContent-Disposition: form-data; name=value\r\n\r\n2\r\n--b--\r\n",
    ]

    /// The server's results for bytes that come in these pieces: the contents that the server hands
    /// out, and its refusals.
    private func outcome(_ pieces: [String], _ end: End) -> [String] {
        var connection = Connection(limits: Limits())
        var found: [String] = []
        for piece in pieces {
            connection.received(Array(piece.utf8).span)
            advance(&connection, &found)
        }
        switch end {
        case .ends: connection.inputEnded()
        case .isSilent:
            if !connection.endSilence(), let fault = connection.timedOut() {
                found.append("\(fault)")
            }
        }
        advance(&connection, &found)
        return found
    }

    private func advance(_ connection: inout Connection, _ found: inout [String]) {
        while true {
            switch connection.next() {
            case .deliver(let request):
                found.append(String(decoding: request.body, as: UTF8.self))
                connection.respond(with: Response(status: 200), date: [])
            case .refuse(let fault):
                found.append("\(fault)")
                connection.refuse(Response(status: fault.status), date: [])
            case .ask: _ = connection.admit(bodyBytes: 100)
            case .endWait, .shutDown: break
            case .wait: if connection.unsentBytes == 0 { return }
            case .close: return
            }
            connection.didSend(connection.unsentBytes)
        }
    }

    @Test(arguments: closing)
    func `the end of the input ends content without a length, wherever it is cut`(
        _ head: String
    ) {
        for type in ["", UnframedContentTests.type] {
            for body in UnframedContentTests.bodies {
                let bytes = "\(head)\(type)\r\n\(body)"
                expect(outcome([bytes], .ends), is: [body])
                for cut in 1..<bytes.utf8.count {
                    let bytes = Array(bytes.utf8)
                    let pieces = [bytes[..<cut], bytes[cut...]].map {
                        String(decoding: $0, as: UTF8.self)
                    }
                    expect(outcome(pieces, .ends), is: [body], "\(cut) of \(bytes)")
                }
            }
        }
    }

    @Test(arguments: closing)
    func `of a silent client only content that tells its own end is whole`(_ head: String) {
        for type in ["", UnframedContentTests.type] {
            for body in UnframedContentTests.bodies {
                let isWhole = body.hasPrefix("{") || body.hasPrefix("[")
                let expected = isWhole ? body : "lengthRequired"
                expect(outcome(["\(head)\(type)\r\n", body], .isSilent), is: [expected])
                expect(outcome(["\(head)\(type)\r\n\(body)"], .isSilent), is: [expected])
            }
            for body in [#"{"value":0.2"#, #"{"a":"}"#, "{}{}", "{}\n{}", "{} x", "[1]]", "x{}"] {
                let found = outcome(["\(head)\(type)\r\n\(body)"], .isSilent)
                expect(found, is: ["lengthRequired"], "\(body)")
            }
        }
    }

    @Test(arguments: closing, [End.ends, .isSilent])
    func `without a byte there is no content, unless its type is named`(
        _ head: String, _ end: End
    ) {
        expect(outcome(["\(head)\r\n"], end), is: [""])
        expect(outcome(["\(head)Content-Type:\r\n\r\n"], end), is: [""])
        expect(outcome(["\(head)\(UnframedContentTests.type)\r\n"], end), is: ["lengthRequired"])
        expect(
            outcome(["\(head)\(UnframedContentTests.type)Content-Length: 0\r\n\r\n"], end), is: [""]
        )
    }

    @Test(arguments: kept)
    func `content without a length is refused where the connection stays`(_ head: String) {
        for body in UnframedContentTests.bodies {
            let named = "\(head)\(UnframedContentTests.type)\r\n"
            expect(outcome(["\(named)\(body)"], .ends), is: ["lengthRequired"])
            expect(outcome([named, body], .isSilent), is: ["lengthRequired"])
            expect(outcome(["\(head)\r\n\(body)"], .ends), is: ["contentBeyondLength"])
            // It was answered before these bytes came.
            expect(outcome(["\(head)\r\n", body], .ends), is: ["", "contentAfterAnswer"])
        }
        expect(outcome(["\(head)\r\n"], .isSilent), is: [""])
        expect(outcome(["\(head)Content-Type: \r\n\r\n"], .isSilent), is: [""])
    }

    @Test(arguments: closing + kept)
    func `a length that is too short is found by what is left over`(_ head: String) {
        for body in UnframedContentTests.bodies {
            for length in 0..<body.utf8.count {
                let framed = "\(head)Content-Length: \(length)\r\n\r\n"
                let rest = body.utf8.dropFirst(length).first ?? 0
                // A new line may follow a body: the rest of this one is nothing else.
                guard rest != 0x0D, rest != 0x0A else { continue }
                expect(outcome(["\(framed)\(body)"], .ends), is: ["contentBeyondLength"])
                expect(
                    outcome([framed, body], .ends),
                    is: [length == 0 ? "" : "contentBeyondLength"]
                        + (length == 0 && !head.contains("close") && !head.contains("1.0\r\nHost")
                            && head != "POST / HTTP/1.0\r\n" ? ["contentAfterAnswer"] : []))
            }
        }
    }

    @Test func `content behind a GET is refused, too`() {
        for head in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
            expect(outcome([head + UnframedContentTests.json], .ends), is: ["contentBeyondLength"])
        }
    }

    @Test(arguments: [
        "", "\r\n", "\n", "\0", "\r\n\r\n", "\n\n\0\0",
    ])
    func `requests that follow one another are answered`(_ between: String) {
        let one = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n+1" + between
        for other in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n", "get / HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            expect(outcome([one + other + one], .ends), is: ["+1", "", "+1"])
            expect(outcome([one, other, one], .ends), is: ["+1", "", "+1"])
        }
        for beginning in ["G", "PO", "OPTIONS", "PUT ", "PATCH /lo"] {
            expect(outcome([one + beginning], .ends), is: ["+1"])
        }
    }

    @Test func `a request behind one that closes is not looked at`() {
        let one = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n+1"
        expect(outcome([one + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"], .ends), is: ["+1"])
        expect(outcome([one + "25"], .ends), is: ["contentBeyondLength"])
    }

    @Test func `content without a length has the limit of others`() {
        let head = UnframedContentTests.closing[0] + "\r\n"
        for (count, isTaken) in [(100, true), (101, false)] {
            let body = String(repeating: "x", count: count)
            expect(outcome([head, body], .ends), is: [isTaken ? body : "bodyTooLarge"])
        }
    }

    @Test func `each byte begins the silence anew`() throws {
        var connection = Connection(limits: Limits())
        connection.received(Array((UnframedContentTests.closing[0] + "\r\n").utf8).span)
        guard case .ask = connection.next() else { throw Unexpected("nobody was asked") }
        expect(connection.wait.kind == .body)
        expect(!connection.wantsInput && !connection.endSilence())
        _ = connection.admit(bodyBytes: 100)
        let before = connection.wait
        expect(before.kind, is: .silence)
        connection.received([UInt8]("0".utf8).span)
        expect(connection.wait.kind == .silence && connection.wait != before)
    }

    // MARK: Over a socket

    private func server() throws -> RunningServer {
        var limits = Limits()
        limits.timeouts.silence = 0.05
        return try RunningServer(limits: limits).start()
    }

    @Test func `clients that wait for the answer get one`() throws {
        let server = try server()
        for (head, body, answer) in [
            ("POST /a HTTP/1.0\r\n\r\n", "", "POST /a "),
            ("POST /a HTTP/1.0\r\n\r\n", "{}", "POST /a {}"),
            (
                "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "{\"a\":1}\r\n",
                "POST /a {\"a\":1}\r\n"
            ),
        ] {
            let client = Client(server.endpoint)
            client.send(head)
            client.send(body)
            expect(client.rest().hasSuffix("\r\n\r\n\(answer)"))
        }
        let client = Client(server.endpoint)
        client.send("POST /a HTTP/1.0\r\n\r\n0.")
        expect(client.rest().hasPrefix("HTTP/1.1 411 Length Required\r\n"))
    }

    @Test func `a byte at a time ends with the time for all content`() throws {
        var limits = Limits()
        limits.timeouts.silence = 60
        limits.timeouts.body = 0.05
        let server = try RunningServer(limits: limits).start()
        let client = Client(server.endpoint)
        client.send("POST /a HTTP/1.0\r\n\r\n")
        client.send("0")
        expect(client.rest().hasPrefix("HTTP/1.1 411 Length Required\r\n"))
    }

    @Test func `the rest of content that was cut is seen behind the head`() throws {
        let server = try RunningServer().start()
        for _ in 0..<20 {
            let client = Client(server.endpoint)
            client.send(
                "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
            expect(client.answer(), is: "HTTP/1.1 100 Continue\r\n\r\n")
            client.send(UnframedContentTests.json)
            client.closeSending()
            expect(client.rest().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        }
    }
}
