import Foundation
import Testing

@testable import RelayHTTP

/// Content that has not all come takes room, and there is so much of it.
struct BodyBudgetTests {
    private func limits(inAll: Int, ofStrangers: Int) -> Limits {
        var limits = Limits.unhurried
        limits.bodyBytes = 8
        limits.bodyBytesInAll = inAll
        limits.bodyBytesOfStrangers = ofStrangers
        return limits
    }

    @Test func `strangers leave room for those who are known`() {
        var budget = BodyBudget(limits(inAll: 30, ofStrangers: 10))
        let address = Address([192, 0, 2, 1])
        let stranger = BodyBudget.Reservation(bytes: 8, account: .stranger, address: address)
        let known = BodyBudget.Reservation(bytes: 8, account: .known, address: address)
        let admitted = [stranger, stranger, known, known, known].map { budget.reserve($0) }
        expect(admitted, is: [true, false, true, true, false])
        budget.release(stranger)
        let next = [stranger, stranger, known].map { budget.reserve($0) }
        expect(next, is: [true, false, false])
    }

    @Test func `one address leaves room for the others`() {
        var limits = limits(inAll: 40, ofStrangers: 8)
        limits.bodyBytesPerAddress = 20
        var budget = BodyBudget(limits)
        func reservation(_ bytes: Int, _ last: UInt8) -> BodyBudget.Reservation {
            BodyBudget.Reservation(
                bytes: bytes, account: .known, address: Address([192, 0, 2, last]))
        }
        let stalled = (0..<3).map { _ in budget.reserve(reservation(8, 1)) }
        expect(stalled, is: [true, true, false])
        let other = budget.reserve(reservation(12, 2))
        expect(other)
        budget.release(reservation(8, 1))
        let next = budget.reserve(reservation(8, 1))
        expect(next)
        // A single one is never too large for its address.
        var empty = BodyBudget(limits)
        let large = [empty.reserve(reservation(30, 1)), empty.reserve(reservation(1, 1))]
        expect(large, is: [true, false])
    }

    @Test func `clients behind one proxy have each a part of their own`() throws {
        var limits = limits(inAll: 20, ofStrangers: 8)
        limits.bodyBytesPerAddress = 10
        // Their addresses, as a proxy that is trusted would tell them.
        let server = try RunningServer(limits: limits) { announced, _ in
            let last = announced.target.path == "/a" ? UInt8(1) : 2
            return .body(atMost: 10, .known, of: Address([192, 0, 2, last]))
        }.start()
        let clients = ["/a", "/b", "/a"].map { path in
            let client = Client(server.endpoint)
            client.send(head(path, 10) + "1")
            return client
        }
        clients[1].send("234567890")
        expect(
            clients[1].body(), is: "POST /b 1234567890", "the other one's content is not counted")
        clients[2].send("234567890")
        expect(!clients[2].canRead(withinMilliseconds: 50))
        clients[0].send("234567890")
        expect(clients[0].body(), is: "POST /a 1234567890")
        expect(clients[2].body(), is: "POST /a 1234567890")
    }

    private func head(_ path: String, _ length: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    /// Lets those in whose path says who they are.
    private static let byPath: @Sendable (Request, Endpoint) -> Admission = { announced, _ in
        switch announced.target.path {
        case "/closed": .refuse(.text(401, "who are you?"))
        case "/known": .body(atMost: 20, .known)
        default: .body(atMost: 8, .stranger)
        }
    }

    @Test func `whoever finds no room waits, and goes on when there is some`() throws {
        let limits = limits(inAll: 20, ofStrangers: 8)
        let server = try RunningServer(limits: limits, admit: Self.byPath).start()
        let first = Client(server.endpoint)
        first.send(head("/a", 8) + "1234")
        let waiting = Client(server.endpoint)
        waiting.send(head("/b", 8) + "123")
        let known = Client(server.endpoint)
        known.send(head("/known", 12) + "1234")
        known.send("56789012")
        expect(known.body(), is: "POST /known 123456789012", "strangers are not in its way")
        waiting.send("45678")
        expect(!waiting.canRead(withinMilliseconds: 50))
        first.send("5678")
        expect(first.body(), is: "POST /a 12345678")
        expect(waiting.body(), is: "POST /b 12345678")
    }

    @Test func `small content waits for nobody's room`() throws {
        var limits = Limits.unhurried
        limits.bodyBytes = 4_096
        limits.bodyBytesOfStrangers = 4_096
        limits.bodyBytesInAll = 4_096
        limits.connections = 100
        let server = try RunningServer(limits: limits) { _, _ in .body(atMost: 4_096, .stranger) }
            .start()
        let crowd = (0..<20).map { _ in
            let client = Client(server.endpoint)
            client.send(head("/a", 4_096) + "1")
            return client
        }
        // As small devices do: the head in one write, the content in another.
        let device = Client(server.endpoint)
        device.send(head("/b", 40))
        device.send(String(repeating: "x", count: 40))
        expect(device.body(), is: "POST /b " + String(repeating: "x", count: 40))
        _ = crowd
    }

    @Test
    func
        `a small chunked press waits for nobody's room, and a long one is put off`()
        throws
    {
        var limits = Limits.unhurried
        limits.bodyBytes = 65_536
        limits.bodyBytesOfStrangers = 65_536
        limits.bodyBytesInAll = 65_536
        limits.connections = 8
        let server = try RunningServer(limits: limits) { _, _ in .body(atMost: 65_536, .known) }
            .start()
        let crowd = Client(server.endpoint)
        crowd.send(head("/a", 65_536) + "1")
        let chunked = "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        let device = Client(server.endpoint)
        device.send(chunked + "2\r\n+1\r\n")
        device.send("0\r\n\r\n")
        expect(device.body(), is: "POST /b +1")
        let long = Client(server.endpoint)
        long.send(chunked + "2001\r\n" + String(repeating: "x", count: 0x2001) + "\r\n0\r\n\r\n")
        expect(long.rest().hasPrefix("HTTP/1.1 503 "))
        // With room it is taken.
        crowd.send(String(repeating: "2", count: 65_535))
        expect(crowd.body()?.hasPrefix("POST /a 1"), is: true)
        let again = Client(server.endpoint)
        again.send(chunked + "2001\r\n" + String(repeating: "x", count: 0x2001) + "\r\n0\r\n\r\n")
        expect(again.body()?.hasPrefix("POST /b xxx"), is: true)
    }

    @Test func `strangers have less time for content that others wait for`() throws {
        var limits = limits(inAll: 20, ofStrangers: 8)
        limits.timeouts.strangerBody = 0.1
        let server = try RunningServer(limits: limits, admit: Self.byPath).start()
        let known = Client(server.endpoint)
        known.send(head("/known", 12) + "1234")
        let stranger = Client(server.endpoint)
        stranger.send(head("/a", 8) + "1")
        expect(stranger.rest().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        expect(!known.canRead(withinMilliseconds: 0))
        known.send("56789012")
        expect(known.body(), is: "POST /known 123456789012")
    }

    @Test func `whoever leaves makes room`() throws {
        let limits = limits(inAll: 8, ofStrangers: 8)
        let server = try RunningServer(limits: limits, admit: Self.byPath).start()
        var first: Client? = Client(server.endpoint)
        first?.send(head("/a", 8) + "1234")
        let waiting = Client(server.endpoint)
        waiting.send(
            "PUT /b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 8\r\n\r\n")
        expect(!waiting.canRead(withinMilliseconds: 50), "no go-ahead before there is room")
        first = nil
        expect(waiting.answer(), is: "HTTP/1.1 100 Continue\r\n\r\n")
        waiting.send("12345678")
        expect(waiting.body(), is: "PUT /b 12345678")
    }

    @Test func `whoever waits too long hears so, and the others come to no harm`() throws {
        var limits = limits(inAll: 8, ofStrangers: 8)
        limits.timeouts.body = 0.3
        let server = try RunningServer(limits: limits, admit: Self.byPath).start()
        let clients = (0..<8).map { _ in Client(server.endpoint) }
        for client in clients { client.send(head("/a", 8) + "1") }
        let statuses = clients.map { $0.rest().dropFirst(9).prefix(3) }
        expect(statuses.first, is: "408", "it had room, and sent nothing")
        expect(statuses.dropFirst().allSatisfy { $0 == "503" || $0 == "408" })
        let after = Client(server.endpoint)
        after.send(head("/a", 8) + "12345678")
        expect(after.body(), is: "POST /a 12345678")
    }

    @Test func `two addresses leave room for a third one`() throws {
        var limits = limits(inAll: 64, ofStrangers: 8)
        limits.bodyBytesPerAddress = 32
        let server = try RunningServer(limits: limits) { announced, _ in
            let last = announced.target.path.utf8.last ?? 0
            return .body(atMost: 8, .known, of: Address([192, 0, 2, last]))
        }.start()
        let stalled = (0..<8).map { index in
            let client = Client(server.endpoint)
            client.send(head(index < 4 ? "/a" : "/b", 8) + "1")
            return client
        }
        let third = Client(server.endpoint)
        third.send(head("/c", 8) + "1")
        third.send("2345678")
        expect(third.body(), is: "POST /c 12345678")
        for client in stalled.prefix(4) { client.send("2345678") }
        for client in stalled.prefix(4) { expect(client.body(), is: "POST /a 12345678") }
        for client in stalled.suffix(4) { client.send("2345678") }
        for client in stalled.suffix(4) { expect(client.body(), is: "POST /b 12345678") }
    }
}
