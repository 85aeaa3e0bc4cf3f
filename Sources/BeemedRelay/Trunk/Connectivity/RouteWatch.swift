/// Connectivity on Linux.
#if os(Linux)
    import Libc
    package import RelayHTTP
    import Synchronization

    /// Reports when this machine has a way to others that it did not have. The kernel tells that
    /// something has changed (rtnetlink(7)), and then what there is now is compared with what there
    /// was: every router advertisement repeats what is known. Without changes it causes no
    /// wake-ups.
    package final class RouteWatch: LoopSource {
        private struct State: Sendable {
            var ways = WaysOut.present
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
            let ways = WaysOut.present
            state.withLock { state in
                if !ways.isSubset(of: state.ways) { state.debounce.update(at: now) }
                state.ways = ways
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

    /// The ways from this machine to others: its addresses and its default routes, as texts.
    enum WaysOut {
        /// The present ones.
        static var present: Set<String> {
            let unused = tentativeAddresses(PrivateFile.textIfReadable("/proc/self/net/if_inet6"))
            let addresses = LocalAddresses.reachable.map { SHA256Digest.hex($0.bytes) }
            let routes = defaultRoutes(
                PrivateFile.textIfReadable("/proc/self/net/route"),
                PrivateFile.textIfReadable("/proc/self/net/ipv6_route"))
            return routes.union(addresses).subtracting(unused)
        }

        /// The IPv6 addresses, in hex, that are not used yet: the kernel asks first whether another
        /// machine has them (RFC 4862 section 5.4; `IFA_F_TENTATIVE`).
        ///
        /// - Parameter table: address, index, prefix length, scope, flags and interface.
        static func tentativeAddresses(_ table: String?) -> Set<String> {
            let rows = rows(table).filter {
                $0.count == 6 && (UInt32($0[4], radix: 16) ?? 0) & 0x40 != 0
            }
            return Set(rows.map { String($0[0]) })
        }

        /// The default routes, each as its interface and gateway, without those that reject.
        ///
        /// - Parameters:
        ///   - table4: interface, destination, gateway, flags, three counts and the mask.
        ///   - table6: destination and source, each with its length, then gateway, metric, two
        ///     counts, flags and interface.
        static func defaultRoutes(_ table4: String?, _ table6: String?) -> Set<String> {
            let zero = "00000000"
            let rows4 = rows(table4).filter {
                $0.count > 7 && $0[1] == zero && $0[7] == zero && $0[0] != "*"
            }
            let rows6 = rows(table6).filter { $0.count == 10 && $0[1] == "00" && $0[9] != "lo" }
            return Set(rows4.map { "\($0[0]) \($0[2])" } + rows6.map { "\($0[9]) \($0[4])" })
        }

        private static func rows(_ table: String?) -> [[Substring]] {
            (table ?? "").split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
        }
    }
#endif
