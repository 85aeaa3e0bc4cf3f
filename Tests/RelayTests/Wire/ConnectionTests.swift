import Testing

@testable import RelayHTTP

/// A connection without a socket: what comes in is text, what goes out is text.
private struct Line {
    var connection: Connection
    private let date = Array("Date: D\r\n".utf8)

    private let limits: Limits

    /// With room for several answers that nobody has taken.
    private static let roomy: Limits = {
        var limits = Limits()
        limits.unsentPerClient = 65_536
        return limits
    }()

    init(limits: Limits = Line.roomy) {
        self.limits = limits
        connection = Connection(limits: limits)
    }

    mutating func receive(_ text: String) {
        connection.received(Array(text.utf8).span)
    }

    /// The next step, as a word; a request by its target.
    mutating func next() -> String {
        switch connection.next() {
        case .wait: "wait"
        case .ask: connection.admit(bodyBytes: limits.bodyBytes) ? "send" : next()
        case .endWait: "end wait"
        case .shutDown: "shut down"
        case .close: "close"
        case .refuse(let error): "refuse \(error)"
        case .deliver(let request): "deliver \(request.target.path)"
        }
    }

    mutating func answer(_ response: Response = Response(status: 200)) {
        connection.respond(with: response, date: date)
    }

    mutating func refuse(_ response: Response = Response(status: 400)) {
        connection.refuse(response, date: date)
    }

    /// Everything that waits to be sent, which is then sent.
    mutating func sent() -> String {
        let text = String(decoding: connection.outbox[connection.sent...], as: UTF8.self)
        connection.didSend(connection.unsentBytes)
        return text
    }
}

/// A step of a conversation, with what it must come to.
private enum Step {
    case receives(String)
    /// The next thing to do, as `Line` names it.
    case next(String)
    case answers
    case refuses
    /// All that is to be sent, which is then sent.
    case sends(String)
    case reads(Bool)
    case waits(Connection.Wait.Kind)
    case inputEnds
    case drains
}

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n\r\n"
private let okAndClose =
    "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
private let bad =
    "HTTP/1.1 400 Bad Request\r\nDate: D\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
private let put = "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"

struct ConnectionTests {
    private func play(_ conversations: [(String, [Step])]) {
        for (name, steps) in conversations {
            var line = Line()
            for (index, step) in steps.enumerated() {
                play(step, &line, "\(name), step \(index + 1)")
            }
        }
    }

    private func play(_ step: Step, _ line: inout Line, _ place: Comment) {
        switch step {
        case .receives(let text): line.receive(text)
        case .next(let word): expect(line.next(), is: word, place)
        case .answers: line.answer()
        case .refuses: line.refuse()
        case .sends(let text): expect(line.sent(), is: text, place)
        case .reads(let isSo): expect(line.connection.wantsInput, is: isSo, place)
        case .waits(let kind): expect(line.connection.wait.kind, is: kind, place)
        case .inputEnds: line.connection.inputEnded()
        case .drains: line.connection.drain()
        }
    }

    @Test func `requests are answered one by one, until either side ends`() {
        play([
            (
                "pipelined requests are handed out each after the last one's answer",
                [
                    .receives(
                        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"),
                    .next("deliver /1"), .next("wait"), .answers, .next("deliver /2"), .answers,
                    .next("wait"), .sends(ok + ok),
                ]
            ),
            (
                "the go-ahead is sent at once, and the answer when the body has come",
                [
                    .receives(put), .next("send"), .sends("HTTP/1.1 100 Continue\r\n\r\n"),
                    .next("wait"), .receives("+1"), .next("deliver /"),
                ]
            ),
            (
                "no go-ahead for a client that did not wait for it",
                [.receives(put + "+"), .next("wait"), .sends("")]
            ),
            (
                "a client wishes an end, which follows the answer and the client's own",
                [
                    .receives("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
                    .next("deliver /"), .answers, .next("wait"), .sends(okAndClose),
                    .next("shut down"), .next("wait"), .inputEnds, .next("close"),
                ]
            ),
            (
                "a wish for an end behind more options than are read",
                [
                    .receives(
                        "GET / HTTP/1.1\r\nHost: a\r\nConnection: "
                            + String(repeating: "x-hop, ", count: 40) + "close\r\n\r\n"),
                    .next("deliver /"), .answers, .next("wait"), .sends(okAndClose),
                    .next("shut down"),
                ]
            ),
            (
                "a client that has closed its sending direction is answered",
                [
                    .receives(get + get), .inputEnds, .next("deliver /"), .answers,
                    .next("deliver /"), .answers, .next("wait"), .sends(ok + ok), .next("close"),
                ]
            ),
            (
                "nothing is said to a client that ends in the middle of a body",
                [
                    .receives("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"),
                    .inputEnds, .next("close"), .sends(""),
                ]
            ),
            (
                "nothing is read behind a fault, and all discarded until the client ends",
                [
                    .receives("GET / HTTP/1.1\r\nHost : a\r\n\r\n" + get),
                    .next("refuse malformedField"), .refuses, .next("wait"), .sends(bad),
                    .next("shut down"), .receives(get), .next("wait"), .reads(true),
                    .waits(.linger), .inputEnds, .next("close"),
                ]
            ),
            (
                "what came before a fault is answered",
                [
                    .receives(get + "GET /  HTTP/1.1\r\n"), .next("deliver /"), .answers,
                    .next("refuse malformedRequestLine"),
                ]
            ),
        ])
        play(
            ["", "GE", "GET / HTTP/1.1\r\nHo", "\r\n"].map { beginning in
                (
                    "nothing is said to a client that ends after '\(beginning)'",
                    [.receives(beginning), .next("wait"), .inputEnds, .next("close"), .sends("")]
                )
            })
    }

    @Test func `what has begun is finished when it drains`() {
        play([
            ("an idle connection is closed", [.drains, .next("shut down")]),
            (
                "every request that was read is answered",
                [
                    .receives(get + get + "GET "), .next("deliver /"), .drains, .reads(false),
                    .answers, .next("deliver /"), .answers, .sends(ok + okAndClose),
                    .next("shut down"),
                ]
            ),
            (
                "a request that has begun is read to its end",
                [
                    .receives("GET / HTTP/1.1\r\n"), .drains, .next("wait"), .reads(true),
                    .receives("Host: a\r\n\r\n"), .next("deliver /"), .answers,
                    .sends(okAndClose),
                ]
            ),
            (
                "the end follows an answer that is still on its way",
                [
                    .receives(get), .next("deliver /"), .answers, .drains, .next("wait"),
                    .sends(ok), .next("shut down"),
                ]
            ),
        ])
    }

    @Test func `only the refusal of bytes behind a HEAD has content`() {
        var line = Line()
        line.receive("HEAD /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(line.next(), is: "deliver /1")
        line.answer()
        _ = line.sent()
        line.receive("foo=1")
        expect(line.next(), is: "refuse contentAfterAnswer")
        line.refuse(Response(status: 400, body: Array("why".utf8)))
        expect(line.sent().hasSuffix("\r\n\r\nwhy"))
        // A HEAD that is faulty or too long.
        for fields in ["Host: a b", "X y", "Host: a\r\nContent-Length: 999999999"] {
            line = Line()
            line.receive("HEAD / HTTP/1.1\r\n\(fields)\r\n\r\n")
            expect(line.next().hasPrefix("refuse"), "\(fields)")
            line.connection.refuse(.text(400, "no"), date: [])
            expect(line.sent().hasSuffix("\r\n\r\n"), "\(fields)")
        }
    }

    @Test func `a body is admitted before it is read, and is no longer than that`() throws {
        var line = Line()
        line.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab")
        guard case .ask(let head) = line.connection.next()
        else { throw Unexpected("nobody was asked") }
        expect(head.declaredBytes, is: 9)
        expect(head.target.path, is: "/")
        expect(line.next(), is: "wait")
        expect(line.connection.admittedBytes, is: 0)
        let isAwaited = line.connection.admit(bodyBytes: 9)
        expect(!isAwaited)
        expect(line.connection.admittedBytes, is: 9)
        expect(line.connection.readLimit, is: 7 + Limits().lookaheadBytes)
        line.receive("cdefghi")
        expect(line.next(), is: "deliver /")
        for framing in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
            line = Line()
            line.receive("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            guard case .ask = line.connection.next() else { throw Unexpected("nobody was asked") }
            _ = line.connection.admit(bodyBytes: 8)
            line.receive("9\r\n")
            expect(line.next(), is: "refuse bodyTooLarge", "\(framing)")
        }
        // Content that has come with its head is judged by the head only if it is long.
        line = Line()
        for (count, step) in [(65_536, "deliver"), (65_537, "ask")] {
            line.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
            line.receive(String(repeating: "x", count: count))
            switch line.connection.next() {
            case .deliver:
                expect(step, is: "deliver")
                line.answer()
            case .ask: expect(step, is: "ask")
            case .refuse(let error): Issue.record("\(error)")
            default: Issue.record("neither")
            }
        }
    }

    @Test func `a client runs ahead of its answer by one head, and of unsent ones not at all`() {
        var line = Line()
        line.receive(get)
        expect(line.next(), is: "deliver /")
        expect(line.connection.wantsInput)
        line.receive(String(repeating: get, count: Limits().headBytes / get.utf8.count + 1))
        expect(!line.connection.wantsInput)
        // At most one answer is kept, whatever its length.
        for isLong in [true, false] {
            var limits = Limits()
            if isLong { limits.unsentPerClient = 100 }
            line = Line(limits: limits)
            line.receive(get + get)
            expect(line.next(), is: "deliver /")
            let long = Response.text(200, String(repeating: "x", count: 100))
            line.answer(isLong ? long : Response(status: 200))
            expect(line.next(), is: "wait", "\(isLong)")
            expect(!line.connection.wantsInput, "\(isLong)")
            _ = line.sent()
            expect(line.next(), is: "deliver /", "\(isLong)")
        }
    }

    @Test func `each stage has its deadline, whatever drips in`() {
        var line = Line()
        var kinds: [Connection.Wait.Kind] = [line.connection.wait.kind]
        for text in ["\r\n", "POST / HTTP/1.1\r\n", "Host: a\r\nContent-Length: 2\r\n\r\n", "+1"] {
            line.receive(text)
            _ = line.next()
            kinds.append(line.connection.wait.kind)
        }
        line.answer()
        kinds.append(line.connection.wait.kind)
        _ = line.sent()
        kinds.append(line.connection.wait.kind)
        expect(kinds, is: [.idle, .idle, .head, .body, .answer, .write, .idle])
        // There is one for a head and one for a body.
        line = Line()
        line.receive("P")
        _ = line.next()
        let head = line.connection.wait
        for byte in "OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r" {
            line.receive(String(byte))
            _ = line.next()
        }
        expect(line.connection.wait, is: head)
        expect(line.connection.timedOut(), is: .headTimeout)
        line.receive("\n")
        _ = line.next()
        let body = line.connection.wait
        expect(body != head)
        line.receive("+")
        _ = line.next()
        expect(line.connection.wait, is: body)
        expect(line.connection.timedOut(), is: .bodyTimeout)
        // A new one for the next request, and for each step of a slow reader.
        line = Line()
        let idle = line.connection.wait
        line.receive(get)
        _ = line.next()
        expect(line.connection.timedOut() == nil)
        line.answer()
        let full = line.connection.wait
        line.connection.didSend(1)
        expect(line.connection.wait != full)
        _ = line.sent()
        expect(line.connection.wait.kind, is: .idle)
        expect(line.connection.wait != idle)
    }

    @Test func `the silent make room, and never one that is kept waiting`() {
        var line = Line()
        var credits = [line.connection.evictionGrace]
        line.receive("GET ")
        credits.append(line.connection.evictionGrace)
        line.receive("/ HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = line.next()
        credits.append(line.connection.evictionGrace)
        line.answer()
        credits.append(line.connection.evictionGrace)
        expect(credits, is: [0, 1, nil, 5])
    }

    @Test func `an answer that the client does not take is abandoned`() {
        var line = Line()
        line.receive(get)
        _ = line.next()
        line.answer()
        line.connection.abandonOutput()
        expect(line.sent(), is: "")
        expect(line.next(), is: "close")
        // The application hears of an open answer whose client has gone.
        for hasEnd in [true, false] {
            line = Line()
            line.receive(get)
            expect(line.next(), is: "deliver /")
            line.connection.open(Response(status: 200), hasEnd: hasEnd, date: [])
            line.connection.append([0x78])
            line.connection.abandonOutput()
            expect(line.connection.tellsEnd, "\(hasEnd)")
            expect(line.next(), is: "close", "\(hasEnd)")
            expect(line.connection.tellsEnd, "\(hasEnd)")
        }
    }

    @Test func `traps on an answer that nobody asked for`() async {
        await #expect(processExitsWith: .failure) {
            var connection = Connection(limits: Limits())
            connection.respond(with: Response(status: 200), date: [])
        }
    }
}
