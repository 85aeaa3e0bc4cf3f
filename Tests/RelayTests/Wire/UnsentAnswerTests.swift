import Testing

@testable import RelayHTTP

/// Clients that ask for long answers and do not read them.
struct UnsentAnswerTests {
    @Test func `those with the longest unsent answers are closed when all are too long`() throws {
        var limits = Limits.unhurried
        limits.unsentInAll = 10 << 20
        let server = try RunningServer(limits: limits).start()
        let idle = (0..<6).map { _ in
            let client = Client(server.endpoint, receiveBytes: 4_096)
            client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client
        }
        let reader = Client(server.endpoint)
        var left = idle.count + 1
        while left > 4 {
            reader.send("GET /count HTTP/1.1\r\nHost: a\r\n\r\n")
            left = try require(reader.body().flatMap { Int($0.filter(\.isNumber)) })
        }
        // Two answers of 4 MB fit, and a press is answered meanwhile.
        reader.send("POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n+1")
        expect(reader.body(), is: "POST /log +1")
        let whole = idle.map { $0.rest().utf8.count }.filter { $0 > 4 << 20 }
        expect((1...3).contains(whole.count))
    }

    @Test func `one answer alone may be longer than that`() throws {
        var limits = Limits.unhurried
        limits.unsentInAll = 1 << 20
        let server = try RunningServer(limits: limits).start()
        let client = Client(server.endpoint, receiveBytes: 4_096)
        client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        expect(client.rest().utf8.count > 4 << 20)
    }
}
