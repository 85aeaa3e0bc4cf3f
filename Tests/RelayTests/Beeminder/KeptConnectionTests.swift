import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// A server that keeps a connection, and ends it when the second request on it has come.
struct KeptConnectionTests {
    private final class Count: Sendable {
        let value = Mutex(0)
    }

    /// Answers the first request of each connection; the second one gets no answer.
    private final class Server: Sendable {
        let port: UInt16
        private let listener: LoopbackSocket
        private let count = Count()

        /// The number of requests that have come.
        var requests: Int { count.value.withLock { $0 } }

        init() throws {
            listener = try LoopbackSocket(backlog: 4)
            port = listener.port
            listener.acceptAll { [count] connection in Server.serve(connection, count) }
        }

        deinit { listener.stop() }

        private static func serve(_ connection: Int32, _ count: Count) {
            if receives(on: connection, count) {
                answer(on: connection)
                _ = receives(on: connection, count)
            }
            close(connection)
        }

        private static func receives(on connection: Int32, _ count: Count) -> Bool {
            var piece = [UInt8](repeating: 0, count: 4_096)
            guard unsafe recv(connection, &piece, piece.count, 0) > 0 else { return false }
            count.value.withLock { $0 += 1 }
            return true
        }

        private static func answer(on connection: Int32) {
            let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
            _ = unsafe bytes.withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, 0)
            }
        }

        func ask(_ transport: SystemTransport, _ method: String) -> Int? {
            let request = OutgoingRequest(method, "http://127.0.0.1:\(port)/")
            return try? transport.perform(request, atMost: 99, during: nil).get().status
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func `a request that changes something is never repeated unseen`(
        _ method: String
    ) throws {
        let (server, transport) = (try Server(), SystemTransport())
        for number in 1...3 {
            expect(server.ask(transport, method), is: 200)
            expect(server.requests, is: number, "each on a new connection")
        }
    }

    @Test func `one that reads is repeated on a new connection`() throws {
        let (server, transport) = (try Server(), SystemTransport())
        // Usually the second one; a connection that was kept too long is not used again.
        var count = 0
        repeat {
            count += 1
            expect(server.ask(transport, "GET"), is: 200)
        } while server.requests == count && count < 100
        expect(server.requests, is: count + 1, "the last one twice")
    }
}
