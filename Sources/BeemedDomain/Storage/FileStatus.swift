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
    /// - Parameter name: ends with a NUL; empty for the open file itself. A symbolic link is not
    ///   followed.
    init?(of descriptor: Int32, _ name: UnsafePointer<CChar>) {
        #if os(Linux)
            var found = file_status()
            if unsafe file_status_of(descriptor, name, &found) == 0 {
                identity = (found.device, found.number)
                size = Int(found.size)
                isSpecial = FileStatus.isSpecial(mode_t(found.mode))
                return
            }
            // Kernels before 4.11 do not have the call, and some sandboxes do not let it through.
            guard errno == ENOSYS || errno == EPERM else { return nil }
        #endif
        var status = stat()
        let result =
            unsafe name[0] == 0
            ? unsafe fstat(descriptor, &status)
            : unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
        guard result == 0 else { return nil }
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
