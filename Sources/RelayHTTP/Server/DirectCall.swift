#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A request over its own connection, for commands that call a server on this machine.
///
/// Connects to that address only. The system's HTTP clients use the proxy of the environment or the
/// settings, and would send it the token.
package enum DirectCall {
    /// Why the call failed.
    package enum Fault: Error, Equatable {
        /// No server listens there, or no answer came in time.
        case unreachable
        /// The answer is not HTTP, or is incomplete.
        case unreadable
    }

    /// Sends a request, which must ask to close the connection, and reads the answer.
    ///
    /// - Parameters:
    ///   - request: the whole request.
    ///   - seconds: the timeout for each step; something must come within it.
    ///   - progress: called with the bytes received so far.
    /// - Returns: the answer's status and content.
    package static func send(
        _ request: [UInt8], to endpoint: Endpoint, seconds: Double,
        progress: (Int) -> Void = { _ in }
    ) throws(Fault) -> (status: Int, body: [UInt8]) {
        let end = Instant.now.advanced(bySeconds: seconds)
        guard let descriptor = Socket.connect(to: endpoint, seconds: seconds) else {
            throw .unreachable
        }
        var sent = 0
        while sent < request.count {
            switch Socket.send(descriptor.number, request, from: sent) {
            case .bytes(let count): sent += count
            case .later: guard Instant.now < end else { throw .unreachable }
            case .broken: throw .unreachable
            }
        }
        var answer: [UInt8] = []
        var scratch = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch Socket.receive(descriptor.number, into: &scratch, atMost: scratch.count) {
            case .bytes(let count):
                answer += scratch[..<count]
                progress(answer.count)
            case .later: guard Instant.now < end else { throw .unreachable }
            case .end:
                guard let read = parse(answer) else { throw .unreadable }
                return read
            case .broken: throw .unreachable
            }
        }
    }

    /// The answer's status and content; nil when incomplete or not HTTP.
    private static func parse(_ answer: [UInt8]) -> (status: Int, body: [UInt8])? {
        guard let end = ResponseHead.end(in: answer), let head = ResponseHead(answer[..<end]) else {
            return nil
        }
        var body = answer[end...]
        if head.isChunked {
            var chunks = ChunkReader()
            guard let content = chunks.take(&body), chunks.isComplete else { return nil }
            return (head.response.status, content)
        }
        guard head.length ?? body.count == body.count else { return nil }
        return (head.response.status, Array(body))
    }
}

extension Socket {
    /// A connected blocking socket whose calls have this timeout; nil when connecting failed.
    static func connect(to endpoint: Endpoint, seconds: Double) -> Descriptor? {
        let isIPv4 = endpoint.address.isIPv4
        let number = socket(isIPv4 ? AF_INET : AF_INET6, streamType, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        var patience = timeval()
        patience.tv_sec = Int(seconds.rounded(.up))
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        let isConnected =
            unsafe withSocketAddress(endpoint) { address, length in
                unsafe systemConnect(number, address, length) == 0
            }
        guard isConnected else { return nil }
        return descriptor
    }

    #if canImport(Darwin)
        static let systemConnect = unsafe Darwin.connect
    #else
        static func systemConnect(
            _ number: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
        ) -> Int32 {
            unsafe Glibc.connect(number, address, length)
        }
    #endif
}
