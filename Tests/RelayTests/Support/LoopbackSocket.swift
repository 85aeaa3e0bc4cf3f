import Foundation

/// A socket on the loopback address, at a free port: a server that a test plays byte by byte.
struct LoopbackSocket: Sendable {
    let descriptor: Int32
    let port: UInt16

    /// - Parameter backlog: how many connections the system takes before they are accepted; nil for
    ///   a socket that never listens, and leaves its port to a server of this process.
    init(backlog: Int32?) throws {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var isShared: Int32 = backlog == nil ? 1 : 0
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0
                    && (backlog.map { listen(descriptor, $0) } ?? 0) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isOpen else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Accepts all connections, each for a thread of its own, until `stop`.
    func acceptAll(_ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [descriptor] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { serve(connection) }
            }
            close(descriptor)
        }
    }

    /// Ends `acceptAll`, whose thread closes the socket: if another one did, the next socket of any
    /// test could have its number while that thread accepts once more.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Ports of this machine that belong to one test for as long as the process lives.
enum LoopbackPort {
    /// A port that the system gives to nobody else: a relay that is still trying to reach a
    /// Beeminder that has gone must not find another test's there.
    static func reserved() throws -> UInt16 { try LoopbackSocket(backlog: nil).port }
}
