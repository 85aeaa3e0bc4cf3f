#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The greatest size of a file that this process may write, in bytes: to it a full disk.
enum FileSizeLimit {
    /// - Returns: whether it was set; it stays until it is set again, or the process ends.
    static func set(to bytes: UInt) -> Bool {
        var limit = rlimit()
        #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
        #else
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = rlim_t(bytes)
        return unsafe setrlimit(resource, &limit) == 0
    }
}
