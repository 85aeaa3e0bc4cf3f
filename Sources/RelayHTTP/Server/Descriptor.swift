#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file descriptor with one owner, closed exactly once.
struct Descriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) {
        precondition(number >= 0)
        self.number = number
    }

    deinit {
        // After EINTR too, the descriptor is closed; to close it again could close another one's.
        _ = close(number)
    }
}

/// The number of descriptors this process may have: each connection needs one.
package enum DescriptorLimit {
    /// Raises the soft limit as far as a process is permitted to. Many systems start a program with
    /// 256 or 1,024, which a server's connections alone can use up.
    ///
    /// - Returns: the limit in force.
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

    #if canImport(Darwin)
        private static let files = RLIMIT_NOFILE
    #else
        private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
