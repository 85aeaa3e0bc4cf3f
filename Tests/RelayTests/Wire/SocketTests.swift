import Foundation
import Testing

@testable import RelayHTTP

/// The socket options of each connection.
struct SocketTests {
    @Test func `a connection has little unsent in the system, so that progress is seen`() throws {
        let listener = try Socket.listening(on: Endpoint(Address([127, 0, 0, 1]), port: 0))
        let endpoint = Socket.localEndpoint(of: listener)
        let client = Client(try require(endpoint))
        guard case .connection(let connection, _) = Socket.nextConnection(of: listener)
        else { throw Unexpected("no connection") }
        var (value, size): (Int32, socklen_t) = (0, 4)
        unsafe getsockopt(
            connection.number, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &value, &size)
        expect(value, is: 131_072)
        _ = client
    }
}
