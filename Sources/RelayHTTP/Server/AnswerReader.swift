#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Passes a request on to another server, over a connection of its own, and reports the answer as
/// it comes: event streams and long answers pass through.
package enum Forwarding {
    /// A part of the answer.
    package enum Piece: Sendable {
        /// An answer with all of its content.
        case whole(Response)
        /// The beginning of one that has no length. If it has an end, `end` follows.
        case opening(Response, hasEnd: Bool)
        case more([UInt8])
        case end
    }

    /// Why there is no answer, or only a part of one.
    package enum Fault: Error, Equatable {
        /// There is no connection, so the request was not sent.
        case notSent
        /// The connection ended: whether the request took effect is unknown.
        case interrupted
    }

    /// The fields of an answer that are passed on.
    private static let names: [StaticString] = [
        "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Origin", "Access-Control-Max-Age", "Allow", "Cache-Control",
        "Content-Disposition", "Content-Security-Policy", "Content-Type", "ETag", "Location",
        "Referrer-Policy", "Retry-After", "Service-Worker-Allowed", "Set-Cookie", "Vary",
        "WWW-Authenticate", "X-Accel-Buffering",
    ]

    /// The longest answer that is passed on as a whole, in bytes.
    private static let longest = 64 << 20

    /// Sends a request and reports the answer. The thread waits meanwhile.
    ///
    /// - Parameters:
    ///   - head: the fields to send besides those of the message's framing.
    ///   - seconds: the timeout for connecting and sending.
    ///   - isWanted: called about once a second; false ends it.
    ///   - report: receives the parts of the answer, in order.
    package static func send(
        _ request: Request, with head: [(name: String, value: String)], to endpoint: Endpoint,
        seconds: Double, while isWanted: () -> Bool, report: (Piece) -> Void
    ) throws(Fault) {
        guard let descriptor = Socket.connect(to: endpoint, seconds: seconds) else {
            throw .notSent
        }
        try write(bytes(of: request, head), to: descriptor, seconds)
        Socket.setPatience(of: descriptor, seconds: 1)
        var reader = AnswerReader(isHead: request.method == .head)
        var scratch = [UInt8](repeating: 0, count: 65_536)
        while isWanted() {
            switch Socket.receive(descriptor.number, into: &scratch, atMost: scratch.count) {
            case .bytes(let count):
                guard let pieces = reader.take(scratch[..<count]) else { throw .interrupted }
                for piece in pieces { report(piece) }
                if reader.isComplete { return }
            case .later: continue
            case .end:
                guard let pieces = reader.end() else { throw .interrupted }
                for piece in pieces { report(piece) }
                return
            case .broken: throw .interrupted
            }
        }
        throw .interrupted
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: borrowing Descriptor, _ seconds: Double
    ) throws(Fault) {
        let end = Instant.now.advanced(bySeconds: seconds)
        var sent = 0
        while sent < bytes.count {
            switch Socket.send(descriptor.number, bytes, from: sent) {
            case .bytes(let count): sent += count
            case .later: guard Instant.now < end else { throw .interrupted }
            case .broken: throw sent == 0 ? .notSent : .interrupted
            }
        }
    }

    private static func bytes(
        of request: Request, _ head: [(name: String, value: String)]
    ) -> [UInt8] {
        let query = request.target.query.map { "?\($0)" } ?? ""
        var text = "\(request.method.token) \(request.target.path)\(query) HTTP/1.1\r\n"
        for (name, value) in head { text += "\(name): \(value)\r\n" }
        text += "Content-Length: \(request.body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + request.body
    }

    /// Reads an answer.
    private struct AnswerReader {
        private enum State {
            case head
            case content(Response, bytes: Int)
            case chunks(ChunkReader)
            case untilClose
            case complete
        }

        private let isHead: Bool
        private var state = State.head
        private var buffer: [UInt8] = []

        init(isHead: Bool) { self.isHead = isHead }

        var isComplete: Bool {
            if case .complete = state { true } else { false }
        }

        /// - Returns: the parts that are complete; nil when it is not HTTP.
        mutating func take(_ bytes: ArraySlice<UInt8>) -> [Piece]? {
            buffer += bytes
            var pieces: [Piece] = []
            if case .head = state {
                guard let end = Forwarding.end(ofHeadIn: buffer) else {
                    return buffer.count > 65_536 ? nil : []
                }
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end)
                guard begin(head, &pieces) else { return nil }
            }
            switch state {
            case .head, .complete: return pieces
            case .content(var response, let count):
                guard buffer.count >= count else { return pieces }
                response.body = Array(buffer.prefix(count))
                state = .complete
                return pieces + [.whole(response)]
            case .untilClose:
                if !buffer.isEmpty { pieces.append(.more(buffer)) }
                buffer = []
                return pieces
            case .chunks(var chunks):
                guard let content = chunks.take(&buffer) else { return nil }
                state = chunks.isComplete ? .complete : .chunks(chunks)
                if !content.isEmpty { pieces.append(.more(content)) }
                return pieces + (chunks.isComplete ? [.end] : [])
            }
        }

        /// The connection has ended.
        func end() -> [Piece]? {
            if case .untilClose = state { [.end] } else { nil }
        }

        private mutating func begin(_ head: String, _ pieces: inout [Piece]) -> Bool {
            let lines = head.split(separator: "\r\n")
            guard let first = lines.first, first.hasPrefix("HTTP/1."),
                let status = Int(first.dropFirst(9).prefix(3)), (200...599).contains(status)
            else { return false }
            var response = Response(status: status)
            var length: Int?
            var isChunked = false
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let name = line[..<colon].lowercased()
                var value = line[line.index(after: colon)...]
                while value.first == " " { value.removeFirst() }
                if name == "content-length" { length = Int(value) }
                if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
                if let known = Forwarding.names.first(where: { "\($0)".lowercased() == name }) {
                    response.fields.append(Response.Field(known, String(value)))
                }
            }
            if isHead || status == 204 || status == 304 {
                state = .complete
                pieces.append(.whole(response))
            } else if isChunked {
                state = .chunks(ChunkReader())
                pieces.append(.opening(response, hasEnd: true))
            } else if let length {
                guard (0...Forwarding.longest).contains(length) else { return false }
                state = .content(response, bytes: length)
            } else {
                state = .untilClose
                pieces.append(.opening(response, hasEnd: false))
            }
            return true
        }
    }

    /// Reads chunks (RFC 9112 section 7.1).
    private struct ChunkReader {
        /// What is left of the present chunk, with its line end; nil before its size.
        private var rest: Int?
        private(set) var isComplete = false

        /// - Returns: the content; nil when these are no chunks.
        mutating func take(_ buffer: inout [UInt8]) -> [UInt8]? {
            var content: [UInt8] = []
            while !isComplete {
                if let left = rest {
                    guard !buffer.isEmpty else { break }
                    let count = min(left, buffer.count)
                    content += buffer.prefix(min(count, max(0, left - 2)))
                    buffer.removeFirst(count)
                    rest = left == count ? nil : left - count
                } else {
                    guard let end = buffer.firstIndex(of: 0x0A) else {
                        return buffer.count > 64 ? nil : content
                    }
                    let digits = String(decoding: buffer[..<end], as: UTF8.self)
                        .prefix { $0 != ";" && $0 != "\r" && $0 != "\r\n" }
                    guard let size = Int(digits, radix: 16), size >= 0 else { return nil }
                    buffer.removeFirst(end + 1)
                    isComplete = size == 0
                    rest = size + 2
                }
            }
            return content
        }
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        guard bytes.count >= mark.count else { return nil }
        return (0...(bytes.count - mark.count)).first { bytes[$0...].starts(with: mark) }
            .map { $0 + mark.count }
    }
}

extension Socket {
    /// Sets the timeout of receiving.
    static func setPatience(of descriptor: borrowing Descriptor, seconds: Int) {
        var patience = timeval()
        patience.tv_sec = seconds
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    }
}
