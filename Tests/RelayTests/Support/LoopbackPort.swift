import Foundation
import Testing

/// Ports of this machine that belong to one test for as long as the process lives.
enum LoopbackPort {
    /// A port that the system gives to nobody else, held by a socket that never listens: a relay
    /// that is still trying to reach a Beeminder that has gone must not find another test's there.
    static func reserved() throws -> UInt16 {
        #if canImport(Darwin)
            let number = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        try #require(number >= 0)
        var isShared: Int32 = 1
        unsafe setsockopt(
            number, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(number, address, length) == 0
                    && getsockname(number, address, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}
