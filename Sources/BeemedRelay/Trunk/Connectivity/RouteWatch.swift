/// Connectivity on Linux.
#if os(Linux)
    import Glibc
    package import RelayHTTP
    import Synchronization

    /// The kernel's messages about links, addresses and routes (rtnetlink(7)), read on the loop.
    /// Without changes it causes no wake-ups.
    package final class RouteWatch: LoopSource {
        private struct State: Sendable {
            var picture = NetworkPicture()
            var debounce = Debounce()
            var cameBack: @Sendable () -> Void = {}
        }

        private let descriptor: Int32
        private let state = Mutex(State())

        /// From linux/netlink.h and linux/rtnetlink.h, which Glibc's module omits.
        private static let family: UInt16 = 16  // AF_NETLINK
        private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400  // link, v4, v6

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
        /// - Parameter cameBack: called on the loop, within a second after a network comes back and
        ///   at most once a second; never because one disappears.
        package func watch(on loop: Loop, cameBack: @escaping @Sendable () -> Void) {
            state.withLock { $0.cameBack = cameBack }
            loop.addReader(self, of: descriptor)
        }

        package func turn(_ ready: [Ready], now: Instant) -> Instant? {
            if !ready.isEmpty { receive(at: now) }
            let (fires, cameBack) = state.withLock { state in
                (state.debounce.fires(at: now), state.cameBack)
            }
            if fires { cameBack() }
            return state.withLock { $0.debounce.wake }
        }

        private func receive(at now: Instant) {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                    unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
                }
                if count > 0 {
                    state.withLock { state in
                        guard state.picture.parse(buffer[..<count]) else { return }
                        state.debounce.update(at: now)
                    }
                } else if count < 0, errno == ENOBUFS {
                    // The socket's buffer overflowed; a lost message may have been a change.
                    state.withLock { $0.debounce.update(at: now) }
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
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
