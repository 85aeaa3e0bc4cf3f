/// Connectivity on Linux.
#if os(Linux)
    import Libc
    package import RelayHTTP
    import Synchronization

    /// Reports when this machine has an address that it did not have. The kernel tells that
    /// something has changed (rtnetlink(7)), and then what there is now is compared with what there
    /// was: every router advertisement repeats what is known. Without changes it causes no
    /// wake-ups.
    package final class RouteWatch: LoopSource {
        private struct State: Sendable {
            var addresses = RouteWatch.addresses
            /// When to report; nil when nothing is new.
            var wake: Instant?
            var cameBack: @Sendable () -> Void = {}
        }

        /// How long after the first message to report, in seconds: an interface that comes up
        /// causes a dozen about its link, addresses and routes, and is usable only after the last.
        private static let settling = 0.3

        private let descriptor: Int32
        private let state = Mutex(State())

        /// From linux/netlink.h and linux/rtnetlink.h, which Glibc's module omits.
        private static let family: UInt16 = 16  // AF_NETLINK
        private static let groups: UInt32 = 0x1 | 0x10 | 0x100  // link, v4, v6

        /// A watch; nil where the kernel does not allow one.
        package init?() {
            let type = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(Int32(RouteWatch.family), type, 0)
            guard descriptor >= 0 else { return nil }
            guard RouteWatch.subscribe(descriptor) else {
                close(descriptor)
                return nil
            }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// Begins to watch. Must be called once.
        ///
        /// - Parameter cameBack: called on the loop, within a second after a network comes back;
        ///   never because one disappears.
        package func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void) {
            state.withLock { $0.cameBack = cameBack }
            loop.addReader(self, of: descriptor)
        }

        package func turn(_ ready: [Ready], now: Instant) -> Instant? {
            if !ready.isEmpty { receive(at: now) }
            let (wake, cameBack) = state.withLock { ($0.wake, $0.cameBack) }
            guard let wake, wake <= now else { return wake }
            state.withLock { $0.wake = nil }
            cameBack()
            return nil
        }

        /// Takes all messages, whatever they say: if some were lost, the picture is as good.
        private func receive(at now: Instant) {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            var hasMore = true
            while hasMore {
                let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                    unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
                }
                hasMore = count > 0 || count < 0 && (errno == EINTR || errno == ENOBUFS)
            }
            let addresses = RouteWatch.addresses
            state.withLock { state in
                if !addresses.isSubset(of: state.addresses) {
                    state.wake = state.wake ?? now.advanced(bySeconds: RouteWatch.settling)
                }
                state.addresses = addresses
            }
        }

        /// The addresses of this machine that are in use, in hex.
        private static var addresses: Set<String> {
            let table = PrivateFile.textIfReadable("/proc/self/net/if_inet6") ?? ""
            return Set(LocalAddresses.reachable.map { SHA256Digest.hex($0.bytes) })
                .subtracting(tentative(in: table))
        }

        /// The IPv6 addresses, in hex, that are not used yet: the kernel asks first whether another
        /// machine has them (RFC 4862 section 5.4; `IFA_F_TENTATIVE`).
        ///
        /// - Parameter table: address, index, prefix length, scope, flags and interface.
        static func tentative(in table: String) -> Set<String> {
            let rows = table.split(separator: "\n").map { $0.split(separator: " ") }.filter {
                $0.count == 6 && (UInt32($0[4], radix: 16) ?? 0) & 0x40 != 0
            }
            return Set(rows.map { String($0[0]) })
        }

        /// sockaddr_nl: family, padding, port, groups. With port zero the kernel chooses one.
        private static func subscribe(_ descriptor: Int32) -> Bool {
            let words: [UInt32] = [UInt32(family.littleEndian), 0, groups]
            return unsafe words.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                let address = unsafe start.assumingMemoryBound(to: sockaddr.self)
                return unsafe bind(descriptor, address, socklen_t(bytes.count)) == 0
            }
        }
    }
#endif
