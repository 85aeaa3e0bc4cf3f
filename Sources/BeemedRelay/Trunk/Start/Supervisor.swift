import RelayHTTP

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reports the state of the service to the supervisor, systemd (sd_notify(3)), through the socket
/// that it names in the environment. Without one nothing is sent.
package enum Supervisor {
    /// Sends assignments such as `READY=1`, one a line.
    package static func tell(_ state: String) {
        guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with '@' is in the abstract namespace, which has a zero there.
        var name = Array(path.utf8)
        guard name.count > 1, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return
        }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let message = Array(state.utf8)
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe _ = sendto(descriptor, message, message.count, 0, address, length)
            }
        }
    }

    /// The time that `RELOADING=1` must come with: microseconds of the monotonic clock.
    package static var monotonicTime: String {
        "MONOTONIC_USEC=\(Instant.monotonicNanoseconds / 1_000)"
    }
}
