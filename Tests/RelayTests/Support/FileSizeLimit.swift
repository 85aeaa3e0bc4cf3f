#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The greatest size of a file that this process may write, in bytes: to it a full disk.
enum FileSizeLimit {
    /// - Returns: whether it was set; it stays until the process ends.
    static func set(to bytes: UInt) -> Bool {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
        #else
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #endif
        return unsafe setrlimit(resource, &limit) == 0
    }
}
