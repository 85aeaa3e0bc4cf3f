/// Passes requests on to another server, each over a connection of its own, and reports the bytes of
/// the answers as they come: event streams and long answers pass through. It runs on the loop.
package actor Forwarder {
    /// Names a request that is passed on. A later one is greater.
    package typealias Number = UInt32

    /// Why there is no answer.
    package enum Fault: Error, Sendable {
        /// There was no connection, so the request was not sent.
        case notSent
        /// The connection ended: whether the request took effect is unknown.
        case interrupted
        /// Nothing came in time: whether the request took effect is unknown.
        case timedOut
    }

    /// An event of a request. After the end or a fault nothing follows.
    package enum Event: Sendable {
        /// The head of the answer, and the bytes that came with its end. The content begins behind
        /// `headBytes`.
        case opening([UInt8], headBytes: Int)
        case more([UInt8])
        /// The other server has closed the connection behind its answer, or within it.
        case end
        /// There is no answer.
        case failed(Fault)
    }

    /// How long to wait, in seconds: for the connection, from then on for the first bytes of the
    /// answer, and from then on for more of them, each time.
    package typealias Patience = (connection: Double, answer: Double, more: Double)

    private let loop: Loop
    private var sourceNumber: UInt64 = 0
    private var sockets: [Number: ForwardingSocket] = [:]
    private var lastNumber: Number = 0
    private var scratch = [UInt8](repeating: 0, count: 65_536)

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    package init(on loop: Loop) {
        self.loop = loop
    }

    /// Takes part in the loop's turns. Call it on the loop, once.
    package func start() { sourceNumber = UInt64(loop.add(self)) }

    // MARK: Requests

    /// A request as it is passed on: in the version of its client, which the answer must suit.
    ///
    /// - Parameter fields: those besides the ones of the message's framing.
    private static func message(
        _ request: Request, _ fields: [(name: String, value: String)]
    ) -> [UInt8] {
        let query = request.target.query.map { "?\($0)" } ?? ""
        let version = request.version == .http10 ? "1.0" : "1.1"
        var text = "\(request.method.token) \(request.target.path)\(query) HTTP/\(version)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        text += "Content-Length: \(request.body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + request.body
    }

    /// Connects and sends a request.
    ///
    /// - Parameters:
    ///   - fields: those of its head besides the ones of its framing.
    ///   - report: called on the loop, in a later turn.
    package func send(
        _ request: Request, _ fields: [(name: String, value: String)], to endpoint: Endpoint,
        _ patience: Patience, report: @escaping @Sendable (Number, Event) -> Void
    ) -> Number {
        lastNumber &+= 1
        let number = lastNumber
        guard let descriptor = Socket.beginConnecting(to: endpoint) else {
            loop.post { report(number, .failed(.notSent)) }
            return number
        }
        let socket = ForwardingSocket(
            descriptor, Forwarder.message(request, fields), patience, report: report)
        sockets[number] = socket
        loop.poller.add(socket.descriptor.number, token: token(number), socket.interest)
        loop.post {}  // The new deadline counts from now on.
        return number
    }

    /// The client sends nothing more, or has gone: the other server is told in the same way.
    package func endInput(_ number: Number) {
        guard let socket = sockets[number] else { return }
        socket.endsInput = true
        if socket.isSent { Socket.shutDownWriting(socket.descriptor.number) }
    }

    /// The client has taken all parts so far: more may be received.
    package func resume(_ number: Number) {
        guard let socket = sockets[number], socket.isPaused else { return }
        socket.isPaused = false
        socket.postpone(to: Instant.now.advanced(bySeconds: socket.patience.more))
        settle(number, socket)
    }

    /// The other server must have answered within this time, or its answer is lost.
    package func limit(_ number: Number, toSeconds seconds: Double) {
        guard let socket = sockets[number], !socket.isLimited else { return }
        socket.due = min(socket.due, Instant.now.advanced(bySeconds: seconds))
        socket.isLimited = true
        loop.post {}
    }

    /// Closes the connection. Nothing more is reported.
    package func cancel(_ number: Number) {
        sockets[number] = nil
    }

    private func token(_ number: Number) -> UInt64 { sourceNumber << 56 | UInt64(number) }

    // MARK: A turn

    private func work(_ ready: [Ready], _ now: Instant) -> Instant? {
        for event in ready {
            let number = Number(truncatingIfNeeded: event.token)
            if let socket = sockets[number] { handle(event, number, socket, now) }
        }
        for (number, socket) in sockets where socket.due <= now {
            let fault: Fault = socket.isLimited ? .interrupted : .timedOut
            fail(number, socket, socket.hasSentAny ? fault : .notSent)
        }
        return sockets.values.map(\.due).min().flatMap { $0 == .distantFuture ? nil : $0 }
    }

    private func handle(
        _ event: Ready, _ number: Number, _ socket: ForwardingSocket, _ now: Instant
    ) {
        if !socket.isConnected {
            guard event.canWrite || event.isBroken else { return }
            guard Socket.error(of: socket.descriptor) == 0 else {
                return fail(number, socket, .notSent)
            }
            socket.isConnected = true
            socket.postpone(to: now.advanced(bySeconds: socket.patience.answer))
        }
        if event.canWrite, !socket.write() { return fail(number, socket, .notSent) }
        // A pause holds back what has not come yet, not the end.
        if event.canRead && !socket.isPaused || event.isBroken { receive(number, socket, now) }
        settle(number, socket)
    }

    private func receive(_ number: Number, _ socket: ForwardingSocket, _ now: Instant) {
        let received = Socket.read(
            socket.descriptor.number, into: &scratch, atMost: scratch.count)
        switch received {
        case .later: break
        case .bytes(let count):
            socket.postpone(to: now.advanced(bySeconds: socket.patience.more))
            guard let event = socket.received(scratch[..<count]) else {
                if !socket.mayBeHTTP { fail(number, socket, .interrupted) }
                return
            }
            // Not faster than the client takes it: `resume` goes on.
            socket.isPaused = true
            socket.postpone(to: .distantFuture)
            socket.report(number, event)
        case .end, .broken:
            fail(number, socket, socket.hasSentAny ? .interrupted : .notSent)
        }
    }

    private func fail(_ number: Number, _ socket: ForwardingSocket, _ fault: Fault) {
        sockets[number] = nil
        socket.report(number, socket.hasAnswer ? .end : .failed(fault))
    }

    /// Updates the poller's interest to the socket's state.
    private func settle(_ number: Number, _ socket: ForwardingSocket) {
        guard sockets[number] === socket else { return }
        let interest = Interest(read: !socket.isPaused, write: !socket.isSent)
        guard interest != socket.interest else { return }
        socket.interest = interest
        loop.poller.change(socket.descriptor.number, token: token(number), interest)
    }
}

extension Forwarder: LoopSource {
    package nonisolated func turn(_ ready: [Ready], now: Instant) -> Instant? {
        assumeIsolated { $0.work(ready, now) }
    }
}

/// The connection of one request that is passed on.
final class ForwardingSocket {
    let descriptor: Descriptor
    let patience: Forwarder.Patience
    let report: @Sendable (Forwarder.Number, Forwarder.Event) -> Void
    var interest = Interest(read: true, write: true)
    /// When the request fails, if nothing happens.
    fileprivate(set) var due: Instant
    /// Whether nothing postpones that.
    var isLimited = false
    var isConnected = false
    /// Whether parts of the answer wait in the socket until the client has taken those before.
    var isPaused = false
    /// Whether the sending direction is to be closed behind the request.
    var endsInput = false
    /// Whether the head of the answer has come.
    private(set) var hasAnswer = false
    private var head: [UInt8] = []
    private var message: [UInt8]
    private var sent = 0

    init(
        _ descriptor: consuming Descriptor, _ message: [UInt8], _ patience: Forwarder.Patience,
        report: @escaping @Sendable (Forwarder.Number, Forwarder.Event) -> Void
    ) {
        self.descriptor = descriptor
        self.message = message
        self.patience = patience
        self.report = report
        due = Instant.now.advanced(bySeconds: patience.connection)
    }

    /// Something must happen until that later time.
    func postpone(to due: Instant) {
        if !isLimited { self.due = due }
    }

    /// The event to report after these bytes of the answer; nil while the head is not complete.
    func received(_ bytes: ArraySlice<UInt8>) -> Forwarder.Event? {
        guard !hasAnswer else { return .more(Array(bytes)) }
        head += bytes
        guard mayBeHTTP, let end = ASCII.position(of: ForwardingSocket.headEnd, in: head[...])
        else { return nil }
        hasAnswer = true
        return .opening(head, headBytes: end)
    }

    /// Whether the bytes so far can be the head of an answer; another program may have the address
    /// of a relay that was moved.
    var mayBeHTTP: Bool {
        head.count <= 65_536
            && head.prefix(7).elementsEqual(Array("HTTP/1.".utf8).prefix(head.count))
    }

    private static let headEnd: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

    /// Whether nothing is left to send.
    var isSent: Bool { message.isEmpty }
    var hasSentAny: Bool { sent > 0 }

    /// Sends what is left, as far as the system takes it. False when nothing was sent or can be.
    func write() -> Bool {
        while sent < message.count {
            switch Socket.write(descriptor.number, message, from: sent) {
            case .bytes(let count): sent += count
            case .later: return true
            case .end, .broken:
                // An answer may have come before the rest of the request was needed.
                message = []
                return hasSentAny
            }
        }
        guard !isSent else { return true }
        message = []
        if endsInput { Socket.shutDownWriting(descriptor.number) }
        return true
    }
}
