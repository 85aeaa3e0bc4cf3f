#if canImport(Darwin)
    import Darwin
#else
    import CFileStatus
    import Glibc
#endif

/// Which file it is, and how long.
struct FileStatus {
    private let device: UInt64
    private let number: UInt64
    /// In bytes.
    let size: Int

    /// The status of an open file, or of a name in an open folder.
    ///
    /// On Linux without its times, which a file system notes: since version 6.13 a file whose times
    /// were asked for gets new ones with its next write, and its sync takes a third longer.
    ///
    /// - Parameter name: empty for the open file itself. A symbolic link is not followed.
    /// - Returns: nil if the system call has failed; `errno` has the reason.
    init?(of descriptor: Int32, _ name: String) {
        #if os(Linux)
            var found = file_status()
            if unsafe file_status_of(descriptor, name, &found) == 0 {
                (device, number, size) = (found.device, found.number, Int(found.size))
                return
            }
            // Kernels before 4.11 do not have the call, and some sandboxes do not let it through.
            guard errno == ENOSYS || errno == EPERM else { return nil }
        #endif
        var status = stat()
        let result =
            name.isEmpty
            ? unsafe fstat(descriptor, &status)
            : unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
        guard result == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int(status.st_size)
    }

    func isSameFile(as other: FileStatus) -> Bool {
        number == other.number && device == other.device
    }
}
