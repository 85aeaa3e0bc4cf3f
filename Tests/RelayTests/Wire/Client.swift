import Foundation

@testable import RelayHTTP

/// A blocking client of raw bytes. It waits on the socket and nowhere else.
final class Client {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// The server has reset the connection, so an answer may have been lost.
    private(set) var wasReset = false

    /// - Parameter receiveBytes: how much the system buffers for this client, if it matters.
    /// - Parameter host: the last byte of its own address, which all of 127/8 may be on Linux.
    init(_ endpoint: Endpoint, from host: UInt32 = 1, receiveBytes: Int32? = nil) {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        precondition(descriptor >= 0, "no socket: \(errno)")
        var patience = timeval(tv_sec: Int(HangLimit.seconds), tv_usec: 0)
        let patienceBytes = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, patienceBytes)
        #if canImport(Darwin)
            var on: Int32 = 1
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, 4)
        #endif
        if var receiveBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        if host != 1 {
            address.sin_addr.s_addr = UInt32(0x7F00_0000 | host).bigEndian
            let bound = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            precondition(bound == 0, "no such address: \(errno)")
        }
        address.sin_port = endpoint.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "cannot connect: \(errno)")
    }

    deinit {
        _ = close(descriptor)
    }

    #if canImport(Darwin)
        private static let noSignal: Int32 = 0  // SO_NOSIGPIPE is set instead.
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Sends as much as the server takes; that it is gone is no fault of the test.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Foundation.send(
                    descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                    Client.noSignal)
            }
            guard count > 0 else { return }
            offset += count
        }
    }

    func closeSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next answer, its body included; nil when the connection ends before.
    func answer(toHead: Bool = false) -> String? {
        while true {
            if let end = answerEnd(toHead: toHead) {
                defer { received.removeSubrange(..<end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// Reads until these words have come.
    ///
    /// - Returns: all up to and with them, or nil if the server closes before.
    func read(through words: String) -> String? {
        while true {
            if let range = received.firstRange(of: Array(words.utf8)) {
                let text = String(decoding: received[..<range.upperBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                return text
            }
            guard receive() else { return nil }
        }
    }

    /// The body of the next answer.
    func body() -> String? {
        answer()?.components(separatedBy: "\r\n\r\n").last
    }

    /// Everything until the server closes its direction.
    func rest() -> String {
        while receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether something comes in that time. For what must not come, or what is there already: what
    /// must come is read.
    func canRead(withinMilliseconds milliseconds: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, milliseconds) > 0
    }

    private func answerEnd(toHead: Bool) -> Int? {
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n")?.upperBound else { return nil }
        let headBytes = text[..<end].utf8.count
        let lines = text[..<end].components(separatedBy: "\r\n")
        let length = lines.first { $0.hasPrefix("Content-Length: ") }?.dropFirst(16)
        let bodyBytes = toHead ? 0 : length.flatMap { Int($0) } ?? 0
        return received.count >= headBytes + bodyBytes ? headBytes + bodyBytes : nil
    }

    private func receive() -> Bool {
        var scratch = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe scratch.withUnsafeMutableBytes { scratch in
            unsafe recv(descriptor, scratch.baseAddress, scratch.count, 0)
        }
        guard count > 0 else {
            wasReset = wasReset || (count < 0 && errno == ECONNRESET)
            return false
        }
        received += scratch[..<count]
        return true
    }
}
