import BeemedDomain
import Foundation
import Synchronization

@testable import RelayTrunk

/// A server that writes exactly the bytes that a test gives it, one answer a connection, so that a
/// test can send what no well-made server sends.
final class RawBeeminder: Sendable {
    let port: UInt16
    private let listener: LoopbackSocket
    private let heads = HeadLog()
    private let arrivals = DispatchSemaphore(value: 0)

    /// - Parameter answer: the bytes to write, by the head of the request; called on a thread of
    ///   the server's own. The connection is closed after them.
    init(_ answer: @escaping @Sendable (String) -> String) throws {
        listener = try LoopbackSocket(backlog: 16)
        port = listener.port
        listener.acceptAll { [heads, arrivals] connection in
            RawBeeminder.serve(connection) { head, body in
                heads.add(head, body)
                arrivals.signal()
                return answer(head)
            }
        }
    }

    deinit { listener.stop() }

    /// The heads of the requests so far, in the order in which they came.
    var asked: [String] { heads.all }

    /// Their bodies, in the same order.
    var bodies: [String] { heads.bodies }

    /// Waits for one request more.
    ///
    /// - Returns: false when none has come within a minute.
    func awaitOne() -> Bool { arrivals.awaitSignal() }

    /// A client that goes there.
    func client() throws -> BeeminderClient {
        try BeeminderClient(
            base: "http://127.0.0.1:\(port)", account: .personalToken("s3cret"),
            wallClock: { .init(1_760_000_000) })
    }

    /// Reads one request, its body included, and answers it.
    private static func serve(_ connection: Int32, _ answer: (String, String) -> String) {
        defer { close(connection) }
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while !isWhole(received) {
            let count = unsafe recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return }
            received += piece.prefix(count)
        }
        let text = String(decoding: received, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        let body = parts.dropFirst().joined(separator: "\r\n\r\n")
        let bytes = Array(answer(parts[0], body).utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe send(connection, $0.baseAddress, $0.count, 0) }
        shutdown(connection, Int32(SHUT_WR))
        // The connection stays until the client has read all and closes it.
        while unsafe recv(connection, &piece, piece.count, 0) > 0 {}
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count > 1 else { return false }
        let lengths = parts[0].components(separatedBy: "\r\n").filter {
            $0.lowercased().hasPrefix("content-length:")
        }
        let length = lengths.first.flatMap {
            Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces))
        }
        return parts[1...].joined(separator: "\r\n\r\n").utf8.count >= length ?? 0
    }
}

/// The requests so far, from whatever thread.
private final class HeadLog: Sendable {
    private let requests = Mutex<[(head: String, body: String)]>([])

    var all: [String] { requests.withLock { $0.map(\.head) } }
    var bodies: [String] { requests.withLock { $0.map(\.body) } }

    func add(_ head: String, _ body: String) {
        requests.withLock { $0.append((head, body)) }
    }
}

/// A server that takes requests and answers none before `stop()`.
final class SilentBeeminder: Sendable {
    private let gate: DispatchSemaphore
    private let server: RawBeeminder

    init() throws {
        let gate = DispatchSemaphore(value: 0)
        self.gate = gate
        server = try RawBeeminder { _ in
            _ = gate.awaitSignal()
            return ""
        }
    }

    var base: String { "http://127.0.0.1:\(server.port)" }

    /// Lets the requests end.
    func stop() { for _ in 0..<8 { gate.signal() } }
}
