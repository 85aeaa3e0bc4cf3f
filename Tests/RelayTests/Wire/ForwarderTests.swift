import Foundation
import Synchronization
import Testing

@testable import RelayHTTP

/// A forwarder on a loop of its own, which notes what it reports.
private final class RunningForwarder: Sendable {
    private let loop = Loop()
    private let forwarder: Forwarder
    private let events = Mutex<[String]>([])
    private let reported = DispatchSemaphore(value: 0)

    init() {
        forwarder = Forwarder(on: loop)
        loop.post { [forwarder] in forwarder.assumeIsolated { $0.start() } }
        Thread { [loop] in loop.run() }.start()
    }

    func send(_ path: String, to endpoint: Endpoint, seconds: Double = 0.2) throws {
        var parser = RequestParser(limits: Limits())
        parser.feed(Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span)
        guard case .request(let request)? = try parser.next() else { return }
        loop.post { [self] in
            let patience = (connection: seconds, answer: seconds, more: seconds)
            _ = forwarder.assumeIsolated { forwarder in
                forwarder.send(request, [("Host", "a")], to: endpoint, patience) {
                    number, event in
                    self.record(event)
                    self.loop.post { self.forwarder.assumeIsolated { $0.resume(number) } }
                }
            }
        }
    }

    private func record(_ event: Forwarder.Event) {
        let text =
            switch event {
            case .failed(let fault): "\(fault)"
            case .opening(let bytes, _): String(decoding: bytes.prefix(12), as: UTF8.self)
            case .more(let bytes): "\(bytes.count)"
            case .end: "end"
            }
        events.withLock { $0.append(text) }
        reported.signal()
    }

    /// The next so many reports, each within half a minute.
    func reports(_ count: Int) -> [String] {
        for _ in 0..<count where !reported.awaitSignal() { break }
        return events.withLock { $0 }
    }

    deinit { loop.stop() }
}

/// Passing requests on has limits of time.
struct ForwarderTests {
    @Test func `an answer that never begins is given up`() throws {
        let server = try RunningServer().start()
        let forwarder = RunningForwarder()
        try forwarder.send("/hold", to: server.endpoint)
        expect(forwarder.reports(1), is: ["timedOut"])
    }

    @Test func `an answer that was begun and does not go on is given up`() throws {
        let port = try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0))
        let forwarder = RunningForwarder()
        try forwarder.send("/", to: port.endpoint, seconds: 0.5)
        let peer = try require(accepted(from: port))
        let text = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx".utf8)
        _ = Socket.write(peer.descriptor.number, text, from: 0)
        expect(forwarder.reports(2), is: ["HTTP/1.1 200", "end"])
    }

    @Test func `a server that cannot be reached was sent nothing`() throws {
        var port: OpenPort? = try OpenPort(Endpoint(Address([127, 0, 0, 1]), port: 0))
        let endpoint = try require(port?.endpoint)
        port = nil
        let forwarder = RunningForwarder()
        try forwarder.send("/", to: endpoint)
        expect(forwarder.reports(1), is: ["notSent"])
    }

    @Test func `a server that does not answer the connection is given up in time`() throws {
        let number = socket(AF_INET, Socket.streamType, 0)
        let listening = Peer(Descriptor(owning: number))
        let local = Endpoint(Address([127, 0, 0, 1]), port: 0)
        let isBound = unsafe Socket.withSocketAddress(local) { unsafe bind(number, $0, $1) == 0 }
        expect(isBound && listen(number, 0) == 0)
        let bound = Socket.localEndpoint(of: listening.descriptor)
        let endpoint = try require(bound)
        // Nobody accepts: what comes behind the first two is not answered.
        var others: [Peer] = []
        for _ in 0..<2 {
            guard let descriptor = Socket.beginConnecting(to: endpoint) else { continue }
            others.append(Peer(descriptor))
        }
        let forwarder = RunningForwarder()
        let begin = Instant.now
        try forwarder.send("/", to: endpoint)
        expect(forwarder.reports(1), is: ["notSent"])
        let seconds = Double(Instant.now.nanoseconds - begin.nanoseconds) / 1e9
        expect(seconds >= 0.15 && others.count == 2)
    }

    private final class Peer {
        let descriptor: Descriptor
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    /// The next connection; nil on a hang.
    private func accepted(from port: OpenPort) -> Peer? {
        let end = Instant.now.advanced(bySeconds: HangLimit.seconds)
        while Instant.now < end {
            if case .connection(let descriptor, _) = Socket.nextConnection(of: port.descriptor) {
                return Peer(descriptor)
            }
        }
        return nil
    }
}
