/// A listening socket.
final class Listener: Sendable {
    let descriptor: Descriptor
    let endpoint: Endpoint

    init(_ endpoint: Endpoint) throws(ListenError) {
        descriptor = try Socket.listen(on: endpoint)
        self.endpoint = Socket.localEndpoint(of: descriptor)
    }

    func accept() -> Socket.Accepted {
        Socket.accept(from: descriptor)
    }
}

/// A listening socket that nobody accepts connections from yet: clients wait in its backlog.
package struct OpenPort: Sendable {
    let listener: Listener
    /// The bound address, with the port that the system chose for port 0.
    package var endpoint: Endpoint { listener.endpoint }

    /// Binds and listens.
    ///
    /// - Throws: `ListenError`, with the system's reason.
    package init(_ endpoint: Endpoint) throws(ListenError) {
        listener = try Listener(endpoint)
    }
}

/// The `Date` field of the answers, renewed once a second, and the fields that never change.
struct DateField {
    private(set) var bytes: [UInt8] = []
    private var second = -1
    private let others: String

    /// - Parameter fields: further fields of every answer.
    init(with fields: [Response.Field]) {
        others = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    mutating func update() {
        let now = Int(Instant.wallNanoseconds / 1_000_000_000)
        guard now != second else { return }
        second = now
        bytes = Array("Date: \(HTTPDate.text(now))\r\n\(others)".utf8)
    }
}
