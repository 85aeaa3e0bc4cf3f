#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system calls that make what was written survive a power failure. On Apple's systems that is
/// `F_FULLFSYNC`: `fsync` there leaves the drive's cache (fsync(2)).
package enum FullSync {
    /// Syncs a file's content and size.
    ///
    /// - Returns: 0, or -1 with `errno`.
    static func content(of file: Int32) -> Int32 {
        #if canImport(Darwin)
            fcntl(file, F_FULLFSYNC)
        #else
            fdatasync(file)
        #endif
    }

    /// Syncs everything of a file, or a folder's entries.
    ///
    /// - Returns: 0, or -1 with `errno`.
    package static func all(of descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            fcntl(descriptor, F_FULLFSYNC)
        #else
            fsync(descriptor)
        #endif
    }
}
