import Libc

#if os(Linux)
    import CFileStatus
#endif

/// The identity and the length of a file.
struct FileStatus {
    /// The device that has the file, and its number there (inode): no two files have the same.
    let identity: (device: UInt64, number: UInt64)
    /// In bytes.
    let size: Int
    /// Whether this is neither a file nor a folder.
    let isSpecial: Bool

    /// The status of an open file, or of a name in an open folder.
    ///
    /// On Linux without its times, which a file system notes: since version 6.13 a file whose times
    /// were asked for gets new ones with its next write, and its sync takes a third longer.
    ///
    /// - Parameter name: empty for the open file itself. A symbolic link is not followed.
    init(
        of descriptor: Int32, _ name: String, _ operation: StaticString
    ) throws(DiskError) {
        #if os(Linux)
            do throws(DiskError) {
                var found = file_status()
                try check(unsafe file_status_of(descriptor, name, &found), operation)
                identity = (found.device, found.number)
                size = Int(found.size)
                isSpecial = FileStatus.isSpecial(mode_t(found.mode))
                return
            } catch {
                // Kernels before 4.11 do not have the call, and some sandboxes do not let it through.
                guard error.code == ENOSYS || error.code == EPERM else { throw error }
            }
        #endif
        var status = stat()
        try check(
            name.isEmpty
                ? unsafe fstat(descriptor, &status)
                : unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW), operation)
        identity = (
            UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino)
        )
        size = Int(status.st_size)
        isSpecial = FileStatus.isSpecial(status.st_mode)
    }

    private static func isSpecial(_ mode: mode_t) -> Bool {
        let kind = mode & mode_t(S_IFMT)
        return kind != mode_t(S_IFREG) && kind != mode_t(S_IFDIR)
    }
}
