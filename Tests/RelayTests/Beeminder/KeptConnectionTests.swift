import Foundation
import Testing

@testable import BeemedDomain
@testable import BeemedRelay

/// A server that keeps a connection, and ends it when the second request has come.
@Suite(.timeLimit(.minutes(1))) struct KeptConnectionTests {
    /// Answers the first request of each connection; the second one gets no answer.
    private final class Server: Sendable {
        let port: UInt16
        private let listener: Int32

        init() throws {
            let socket = try LoopbackSocket(backlog: 4)
            let descriptor = socket.descriptor
            (listener, port) = (descriptor, socket.port)
            Thread {
                while true {
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { return }
                    if Server.receives(on: connection) {
                        Server.answer(on: connection)
                        _ = Server.receives(on: connection)
                    }
                    close(connection)
                }
            }.start()
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }

        private static func receives(on connection: Int32) -> Bool {
            var piece = [UInt8](repeating: 0, count: 4_096)
            return unsafe recv(connection, &piece, piece.count, 0) > 0
        }

        private static func answer(on connection: Int32) {
            let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8)
            _ = unsafe bytes.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, 0) }
        }

        func ask(_ transport: HTTPTransport, _ method: String) async -> Int? {
            let request = OutgoingRequest(method, "http://127.0.0.1:\(port)/")
            return try? await transport.send(request, atMost: 99, under: .alone).get().status
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func `a request that changes something is not repeated unseen`(_ method: String) async throws {
        let (server, transport) = (try Server(), HTTPTransport())
        #expect(await server.ask(transport, method) == 200)
        #expect(await server.ask(transport, method) == nil, "it may have been applied")
        #expect(await server.ask(transport, method) == 200, "on a new connection")
    }

    @Test func `one that reads is repeated on a new connection`() async throws {
        let (server, transport) = (try Server(), HTTPTransport())
        #expect(await server.ask(transport, "GET") == 200)
        #expect(await server.ask(transport, "GET") == 200)
    }
}
