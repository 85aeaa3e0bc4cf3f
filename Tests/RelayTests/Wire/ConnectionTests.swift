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

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n\r\n"
private let okAndClose =
    "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

struct ConnectionTests {
    @Test func `hands out pipelined requests one by one, each after the last one's answer`() {
        var line = Line()
        line.receive("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(line.next(), is: "deliver /1")
        expect(line.next(), is: "wait")
        line.answer()
        expect(line.next(), is: "deliver /2")
        line.answer()
        expect(line.next(), is: "wait")
        expect(line.sent(), is: ok + ok)
    }

    @Test func `the refusal of bytes behind a HEAD has its content`() {
        var line = Line()
        line.receive("HEAD /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(line.next(), is: "deliver /1")
        line.answer()
        _ = line.sent()
        line.receive("foo=1")
        expect(line.next(), is: "refuse contentAfterAnswer")
        line.refuse(Response(status: 400, body: Array("why".utf8)))
        expect(line.sent().hasSuffix("\r\n\r\nwhy"))
    }

    @Test func `sends the go-ahead at once, and the answer when the body has come`() {
        var line = Line()
        line.receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n")
        line.receive("Content-Length: 2\r\n\r\n")
        expect(line.next(), is: "send")
        expect(line.sent(), is: "HTTP/1.1 100 Continue\r\n\r\n")
        expect(line.next(), is: "wait")
        line.receive("+1")
        expect(line.next(), is: "deliver /")
    }

    @Test func `sends no go-ahead to a client that did not wait for it`() {
        var line = Line()
        line.receive("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n")
        line.receive("Content-Length: 2\r\n\r\n+")
        expect(line.next(), is: "wait")
        expect(line.sent(), is: "")
    }

    @Test func `reads nothing of a body before it is admitted`() throws {
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
    }

    @Test func `refuses a body that is longer than was admitted`() throws {
        for framing in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
            var line = Line()
            line.receive("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            guard case .ask = line.connection.next() else { throw Unexpected("nobody was asked") }
            _ = line.connection.admit(bodyBytes: 8)
            line.receive("9\r\n")
            expect(line.next(), is: "refuse bodyTooLarge")
        }
    }

    @Test func `closes as the client wishes, after the answer and the client's own end`() {
        var line = Line()
        line.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.next(), is: "wait")
        expect(line.sent(), is: okAndClose)
        expect(line.next(), is: "shut down")
        expect(line.next(), is: "wait")
        line.connection.inputEnded()
        expect(line.next(), is: "close")
    }

    @Test func `answers a client that has closed its sending direction`() {
        var line = Line()
        line.receive(get + get)
        line.connection.inputEnded()
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.next(), is: "wait")
        expect(line.sent(), is: ok + ok)
        expect(line.next(), is: "close")
    }

    @Test(arguments: ["", "GE", "GET / HTTP/1.1\r\nHo", "\r\n"])
    func `says nothing to a client that ends in the middle of a head`(_ beginning: String) {
        var line = Line()
        line.receive(beginning)
        expect(line.next(), is: "wait")
        line.connection.inputEnded()
        expect(line.next(), is: "close")
        expect(line.sent(), is: "")
    }

    @Test func `says nothing to a client that ends in the middle of a body`() {
        var line = Line()
        line.receive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
        line.connection.inputEnded()
        expect(line.next(), is: "close")
    }

    @Test func `reads nothing behind a fault, and goes on discarding until the client ends`() {
        var line = Line()
        line.receive("GET / HTTP/1.1\r\nHost : a\r\n\r\n" + get)
        expect(line.next(), is: "refuse malformedField")
        line.refuse()
        expect(line.next(), is: "wait")
        expect(line.sent().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        expect(line.next(), is: "shut down")
        line.receive(get)
        expect(line.next(), is: "wait")
        expect(line.connection.wantsInput)
        expect(line.connection.wait.kind, is: .linger)
        line.connection.inputEnded()
        expect(line.next(), is: "close")
    }

    @Test func `answers what came before a fault`() {
        var line = Line()
        line.receive(get + "GET /  HTTP/1.1\r\n")
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.next(), is: "refuse malformedRequestLine")
    }

    @Test func `lets a client run ahead of its answer by one head and no more`() {
        var line = Line()
        line.receive(get)
        expect(line.next(), is: "deliver /")
        expect(line.connection.wantsInput)
        line.receive(String(repeating: get, count: Limits().headBytes / get.utf8.count + 1))
        expect(!line.connection.wantsInput)
    }

    /// One answer at most is kept, whatever its length.
    @Test(arguments: [true, false])
    func `reads nothing more from a client that does not take its answers`(_ isLong: Bool) {
        var limits = Limits()
        if isLong { limits.unsentPerClient = 100 }
        var line = Line(limits: limits)
        line.receive(get + get)
        expect(line.next(), is: "deliver /")
        line.answer(isLong ? .text(200, String(repeating: "x", count: 100)) : Response(status: 200))
        expect(line.next(), is: "wait")
        expect(!line.connection.wantsInput)
        _ = line.sent()
        expect(line.next(), is: "deliver /")
    }

    @Test func `tells what is waited for at every stage`() {
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
    }

    @Test func `has one deadline for a head and one for a body, whatever drips in`() {
        var line = Line()
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
    }

    @Test func `has a new deadline for the next request, and for each step of a slow reader`() {
        var line = Line()
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

    @Test func `gives nobody an answer that takes none`() {
        var line = Line()
        line.receive(get)
        _ = line.next()
        line.answer()
        line.connection.abandonOutput()
        expect(line.sent(), is: "")
        expect(line.next(), is: "close")
    }

    @Test func `makes room at the expense of the silent, and never of one it keeps waiting`() {
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

    @Test(arguments: [true, false])
    func `the application hears of an open answer whose client has gone`(_ hasEnd: Bool) {
        var line = Line()
        line.receive(get)
        expect(line.next(), is: "deliver /")
        line.connection.open(Response(status: 200), hasEnd: hasEnd, date: [])
        line.connection.append([0x78])
        line.connection.abandonOutput()
        expect(line.connection.tellsEnd)
        expect(line.next(), is: "close")
        expect(line.connection.tellsEnd)
    }

    @Test(arguments: ["Host: a b", "X y", "Host: a\r\nContent-Length: 999999999"])
    func `the refusal of a HEAD that is faulty or too long has no content`(_ fields: String) {
        var line = Line()
        line.receive("HEAD / HTTP/1.1\r\n\(fields)\r\n\r\n")
        expect(line.next().hasPrefix("refuse"))
        line.connection.refuse(.text(400, "no"), date: [])
        expect(line.sent().hasSuffix("\r\n\r\n"))
    }

    @Test func `content that has come with its head is judged by the head if it is long`() {
        var line = Line()
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

    @Test func `traps on an answer that nobody asked for`() async {
        await #expect(processExitsWith: .failure) {
            var connection = Connection(limits: Limits())
            connection.respond(with: Response(status: 200), date: [])
        }
    }

    // MARK: Draining

    @Test func `closes an idle connection when it drains`() {
        var line = Line()
        line.connection.drain()
        expect(line.next(), is: "shut down")
    }

    @Test func `answers every request that was read before it drains`() {
        var line = Line()
        line.receive(get + get + "GET ")
        expect(line.next(), is: "deliver /")
        line.connection.drain()
        expect(!line.connection.wantsInput)
        line.answer()
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.sent(), is: ok + okAndClose)
        expect(line.next(), is: "shut down")
    }

    @Test func `lets a request that has begun be finished when it drains`() {
        var line = Line()
        line.receive("GET / HTTP/1.1\r\n")
        line.connection.drain()
        expect(line.next(), is: "wait")
        expect(line.connection.wantsInput)
        line.receive("Host: a\r\n\r\n")
        expect(line.next(), is: "deliver /")
        line.answer()
        expect(line.sent(), is: okAndClose)
    }

    @Test func `closes behind an answer that is still on its way when it drains`() {
        var line = Line()
        line.receive(get)
        _ = line.next()
        line.answer()
        line.connection.drain()
        expect(line.next(), is: "wait")
        expect(line.sent(), is: ok)
        expect(line.next(), is: "shut down")
    }
}
