import Foundation
import Testing

@testable import RelayHTTP

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

@Suite(.serialized)
struct ServerTests {
    @Test func `answers HEAD without a body and goes on`() throws {
        let server = try RunningServer().start()
        let client = Client(server.endpoint)
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get)
        let head = try require(client.answer(toHead: true))
        expect(head.contains("\r\nContent-Length: 7\r\n"))
        expect(client.body(), is: "GET / ")
    }

    @Test func `forgets a connection that ends in the middle of a request`() throws {
        let server = try RunningServer().start()
        for beginning in ["GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"] {
            let client = Client(server.endpoint)
            client.send(beginning)
            client.closeSending()
            expect(client.rest(), is: "")
        }
        expect(countsDown(to: 1, server))
    }

    @Test func `delivers its refusal although input is left unread`() throws {
        let server = try RunningServer().start()
        let body = String(repeating: "x", count: 4_000_000)
        for _ in 0..<20 {
            let client = Client(server.endpoint)
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
            client.send(body)
            client.closeSending()
            expect(client.rest().hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
            expect(!client.wasReset)
        }
    }

    @Test(arguments: [
        ("G", "ET / HTTP/1.1\r\nX: ", "the request's head"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n", "ab", "the request's body"),
    ])
    func `answers 408 by one deadline`(
        _ beginning: String, _ more: String, _ words: String
    ) throws {
        var limits = Limits.unhurried
        limits.timeouts.head = 0.05
        limits.timeouts.body = 0.05
        let server = try RunningServer(limits: limits).start()
        let client = Client(server.endpoint)
        client.send(beginning)
        client.send(more)
        let answer = client.rest()
        expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        expect(answer.contains(words))
        expect(answer.contains("\r\nConnection: close\r\n"))
    }

    @Test func `lets an idle connection go without a word`() throws {
        var limits = Limits.unhurried
        limits.timeouts.idle = 0.05
        let server = try RunningServer(limits: limits).start()
        // A client that gets no processor before it sends is idle, too.
        var client = Client(server.endpoint)
        var answer: String?
        for _ in 0..<1_000 where answer == nil {
            client = Client(server.endpoint)
            client.send(get + "\r\n")
            answer = client.body()
        }
        expect(answer, is: "GET / ")
        expect(client.rest(), is: "")
    }

    @Test func `drops a client that never reads`() throws {
        var limits = Limits.unhurried
        limits.timeouts.write = 0.05
        let server = try RunningServer(limits: limits).start()
        let client = Client(server.endpoint, receiveBytes: 4_096)
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(countsDown(to: 1, server))
        _ = client
    }

    @Test func `gives a slow reader all of a large answer`() throws {
        let server = try RunningServer().start()
        let client = Client(server.endpoint, receiveBytes: 4_096)
        client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let answer = client.rest()
        expect(answer.utf8.count > 4 << 20)
        expect(!client.wasReset)
    }

    // MARK: Full tables

    @Test(arguments: [
        "", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    ])
    func `serves a newcomer at once when the table is full of the silent`(
        _ beginning: String
    ) throws {
        var limits = Limits.unhurried
        limits.connections = 200
        let server = try RunningServer(limits: limits).start()
        let crowd = (0..<300).map { _ in
            let client = Client(server.endpoint)
            client.send(beginning)
            return client
        }
        expect(server.answersNewcomer())
        _ = crowd
    }

    @Test func `never makes room at the expense of a request it has read`() throws {
        var limits = Limits.unhurried
        limits.connections = 2
        let server = try RunningServer(limits: limits).start()
        let holders = (0..<2).map { _ in
            let client = Client(server.endpoint)
            client.send("GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client
        }
        server.awaitHeld(2)
        let newcomer = Client(server.endpoint)
        newcomer.send(get)
        server.release()
        for client in holders { expect(client.rest().hasSuffix("\r\n\r\nh")) }
        expect(newcomer.body(), is: "GET / ", "it waited in the system's queue")
    }

    #if os(Linux)
        @Test func `the address with most of the connections gives way first`() throws {
            var limits = Limits.unhurried
            limits.connections = 4
            let server = try RunningServer(limits: limits).start()
            // The oldest and quietest of all, from another address.
            let device = Client(server.endpoint, from: 2)
            device.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
            let crowd = (0..<8).map { _ in
                let client = Client(server.endpoint)
                client.send(get)
                expect(client.body(), is: "GET / ")
                return client
            }
            device.send("x")
            expect(device.body(), is: "POST /a x")
            expect(crowd[0].rest(), is: "")
        }
    #endif

    // MARK: Draining

    @Test func `answers what was read, then closes everything, when it drains`() throws {
        let server = try RunningServer().start()
        let idle = Client(server.endpoint)
        idle.send(get)
        expect(idle.body(), is: "GET / ")
        let busy = Client(server.endpoint)
        busy.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n" + get)
        server.awaitHeld(1)
        let done = server.drain()
        expect(idle.rest(), is: "")
        // No client waits in the port's queue any more: another server can have it.
        _ = try OpenPort(server.endpoint)
        idle.closeSending()
        expect(done.wait(timeout: .now()), is: .timedOut)
        server.release()
        expect(busy.body(), is: "h")
        let last = try require(busy.answer())
        expect(last.hasSuffix("GET / "))
        expect(last.contains("\r\nConnection: close\r\n"))
        expect(busy.rest(), is: "")
        expect(!busy.wasReset)
        busy.closeSending()
        expect(done.awaitSignal())
    }

    @Test func `a client that does not read holds up a shutdown for so long only`() throws {
        var limits = Limits.unhurried
        limits.timeouts.drain = 0.05
        let server = try RunningServer(limits: limits).start()
        let client = Client(server.endpoint, receiveBytes: 4_096)
        client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        expect(client.canRead(withinMilliseconds: Int32(HangLimit.seconds * 1_000)))
        expect(server.drain().awaitSignal())
        _ = client
    }

    @Test func `answers what had arrived but was not read yet, when it drains`() throws {
        let server = try RunningServer()
        let clients = (0..<50).map { _ in Client(server.endpoint) }
        for client in clients { client.send(get) }
        let done = server.drain()
        let running = server.start()
        for client in clients {
            expect(client.rest().hasSuffix("GET / "))
            client.closeSending()
        }
        expect(done.awaitSignal())
        _ = running
    }

    /// Asks the server for its connections, this one included, until there are so many.
    private func countsDown(to count: Int, _ server: RunningServer) -> Bool {
        let client = Client(server.endpoint)
        for _ in 0..<1_000_000 {
            client.send("GET /count HTTP/1.1\r\nHost: a\r\n\r\n")
            guard let body = client.body() else { return false }
            if body == "\(count)\n" { return true }
        }
        return false
    }
}
