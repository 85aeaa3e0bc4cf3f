import Libc

/// The system calls on non-blocking stream sockets, each with its outcomes as cases.
enum Socket {
    enum Accepted: ~Copyable {
        case connection(Descriptor, Endpoint)
        case nobodyWaits
        /// No descriptor or memory is left: to accept again at once would only spin.
        case exhausted
    }

    enum Transfer {
        case bytes(Int)
        /// Of what is received.
        case end
        case later
        case broken
    }

    /// A new non-blocking socket for such an address; nil when the system has none left.
    private static func make(for endpoint: Endpoint) -> Descriptor? {
        let number = socket(endpoint.address.isIPv4 ? AF_INET : AF_INET6, streamType, 0)
        guard number >= 0 else { return nil }
        prepare(number)
        return Descriptor(owning: number)
    }

    /// Binds and listens.
    static func listening(on endpoint: Endpoint) throws(ListenError) -> Descriptor {
        guard let descriptor = make(for: endpoint) else { throw ListenError(endpoint) }
        let number = descriptor.number
        set(number, SOL_SOCKET, SO_REUSEADDR)
        setUnsentBytes(of: number, 131_072)
        let isBound =
            unsafe withSocketAddress(endpoint) { address, length in
                unsafe bind(number, address, length) == 0
            }
        guard isBound, listen(number, 4_096) == 0 else { throw ListenError(endpoint) }
        return descriptor
    }

    /// The next pending connection, non-blocking and with TCP_NODELAY.
    static func nextConnection(of listener: borrowing Descriptor) -> Accepted {
        let listening = listener.number
        while true {
            let (number, peer) = unsafe Socket.withEndpoint { unsafe accept(listening, $0, $1) }
            if number >= 0 {
                let descriptor = Descriptor(owning: number)
                guard let peer else { continue }  // It has gone already.
                prepare(number)
                set(number, Int32(IPPROTO_TCP), TCP_NODELAY)
                return .connection(descriptor, peer)
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nobodyWaits
            }
        }
    }

    static func read(
        _ descriptor: Int32, into scratch: inout [UInt8], atMost bytes: Int
    ) -> Transfer {
        let count = unsafe scratch.withUnsafeMutableBytes { scratch in
            unsafe recv(descriptor, scratch.baseAddress, min(bytes, scratch.count), 0)
        }
        if count > 0 { return .bytes(count) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .later : .broken
    }

    /// Sends the bytes from that offset on. A closed peer raises no signal.
    static func write(_ descriptor: Int32, _ bytes: [UInt8], from offset: Int) -> Transfer {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(
                descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset, noSignal)
        }
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .later : .broken
    }

    /// A non-blocking socket that connects; nil when that failed at once.
    static func beginConnecting(to endpoint: Endpoint) -> Descriptor? {
        guard let descriptor = make(for: endpoint) else { return nil }
        let number = descriptor.number
        set(number, Int32(IPPROTO_TCP), TCP_NODELAY)
        let isBegun =
            unsafe withSocketAddress(endpoint) { address, length in
                unsafe connect(number, address, length) == 0 || errno == EINPROGRESS
            }
        guard isBegun else { return nil }
        return descriptor
    }

    /// The error of the last operation that went on by itself, as connecting; 0 without one.
    static func error(of descriptor: borrowing Descriptor) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    static func shutDownWriting(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The bound address of a listening socket, with the real port if port 0 was requested.
    static func localEndpoint(of descriptor: borrowing Descriptor) -> Endpoint? {
        let number = descriptor.number
        return unsafe withEndpoint { unsafe getsockname(number, $0, $1) }.endpoint
    }

    /// The result of a system call that writes an address, and that address.
    private static func withEndpoint(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, endpoint: Endpoint?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result = unsafe call(address, &length)
                return (result, result < 0 ? nil : unsafe Endpoint(address))
            }
        }
    }

    static func prepare(_ number: Int32) {
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if !os(Linux)
            set(number, SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    /// Limits the unsent bytes of an answer that the system takes; 0 for its own limit. Each
    /// connection inherits the value from its listener. Without a limit a client that reads slowly
    /// makes room only when a third of a buffer of megabytes is free, and seems not to read.
    static func setUnsentBytes(of number: Int32, _ bytes: Int32) {
        set(number, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: bytes)
    }

    static func set(_ number: Int32, _ level: Int32, _ option: Int32, to value: Int32 = 1) {
        var value = value
        unsafe _ = setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func withSocketAddress(
        _ endpoint: Endpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        let isIPv4 = endpoint.address.isIPv4
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(isIPv4 ? AF_INET : AF_INET6)
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            // The places of the port and of the address (netinet/in.h).
            unsafe bytes.storeBytes(of: endpoint.port.bigEndian, toByteOffset: 2, as: UInt16.self)
            for (index, byte) in endpoint.address.bytes.enumerated() {
                unsafe bytes[(isIPv4 ? 4 : 8) + index] = byte
            }
            let size = isIPv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard let start = bytes.baseAddress else { return false }
            return unsafe body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
        }
    }

    #if !os(Linux)
        static let streamType = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #else
        static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}

/// Why an address cannot be listened on.
package struct ListenError: Error, Sendable, CustomStringConvertible {
    /// The address and port.
    package let endpoint: Endpoint
    /// The system's error number.
    package let code: Int32

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        code = errno
    }

    /// The message for the user, with advice.
    package var description: String {
        let advice =
            switch code {
            case EADDRINUSE: "another program listens there; stop it or choose another port"
            case EADDRNOTAVAIL: "this machine has no such address; choose another one"
            case EACCES: "ports below 1024 need special rights; choose a higher one"
            default: unsafe String(cString: strerror(code)) + "; choose another one"
            }
        return "cannot listen on \(endpoint): \(advice)"
    }
}

/// The number of descriptors this process may have: each connection needs one.
package enum DescriptorLimit {
    /// Raises the soft limit as far as a process is permitted to, and returns the limit in force.
    /// Many systems start a program with 256 or 1,024, which connections alone can use up.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(files, &limit) == 0 else { return 256 }
        let soft = limit.rlim_cur
        // macOS says "infinite" and then refuses more than OPEN_MAX.
        for wanted in [limit.rlim_max, 10_240] where wanted <= limit.rlim_max && wanted > soft {
            limit.rlim_cur = wanted
            if unsafe setrlimit(files, &limit) == 0 { return Int(clamping: wanted) }
        }
        return Int(clamping: soft)
    }

    #if !os(Linux)
        private static let files = RLIMIT_NOFILE
    #else
        private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}

/// A listening socket. Until somebody accepts connections, clients wait in its backlog.
package final class OpenPort: Sendable {
    let descriptor: Descriptor
    /// The bound address, with the port that the system chose for port 0.
    package let endpoint: Endpoint

    /// Binds and listens.
    package init(_ endpoint: Endpoint) throws(ListenError) {
        descriptor = try Socket.listening(on: endpoint)
        self.endpoint = Socket.localEndpoint(of: descriptor) ?? endpoint
    }

    /// Stops listening, whoever still holds the port: from now on clients are refused. The number
    /// of the descriptor stays its own, with nothing behind it.
    func close() {
        let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard nothing >= 0 else { return }
        _ = dup2(nothing, descriptor.number)
        _ = Libc.close(nothing)
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
        bytes = Array("Date: \(DateField.text(now))\r\n\(others)".utf8)
    }

    /// `IMF-fixdate` of RFC 9110 section 5.6.7, always in GMT; times before 1970 give 1970.
    static func text(_ unixSeconds: Int) -> String {
        var seconds = time_t(max(0, unixSeconds))
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 30)
        // The names are English, since no program here leaves C's own locale.
        let length = unsafe strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
