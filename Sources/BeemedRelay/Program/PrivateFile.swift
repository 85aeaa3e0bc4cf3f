import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Small files that only the owner may read, replaced whole: after a power failure there is the
/// old one or the new one.
enum PrivateFile {
    /// Writes the file, mode 0600, and makes it and its name durable.
    ///
    /// - Throws: `DiskError`; the old file is untouched.
    static func write(_ bytes: [UInt8], to path: String) throws(DiskError) {
        let temporary = "\(path).tmp"
        _ = unsafe unlink(temporary)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(temporary, flags, 0o600)
        guard file >= 0 else { throw DiskError("private.create", code: errno) }
        try fill(file, bytes)
        guard unsafe rename(temporary, path) == 0 else {
            throw DiskError("private.rename", code: errno)
        }
        try syncFolder(of: path)
    }

    /// The file's bytes; nil when there is none.
    ///
    /// - Throws: `DiskError` when there is one and it cannot be read.
    static func read(_ path: String) throws(DiskError) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw DiskError("private.open", code: errno)
        }
        defer { _ = close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { part in
                unsafe sysRead(file, part.baseAddress, part.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError("private.read", code: errno) }
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// Removes the file, if there is one.
    static func remove(_ path: String) throws(DiskError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw DiskError("private.unlink", code: errno)
        }
        try syncFolder(of: path)
    }

    private static func fill(_ file: Int32, _ bytes: [UInt8]) throws(DiskError) {
        defer { _ = close(file) }
        try append(bytes, to: file)
        guard fsync(file) == 0 else { throw DiskError("private.sync", code: errno) }
    }

    private static func append(_ bytes: [UInt8], to file: Int32) throws(DiskError) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe sysWrite(file, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError("private.write", code: errno) }
            start += count
        }
    }

    private static func syncFolder(of path: String) throws(DiskError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError("private.folder", code: errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DiskError("private.folder", code: errno) }
    }
}

/// `read(2)`, under a name that no method hides.
private func sysRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(file, bytes, count)
}

/// `write(2)`, likewise.
private func sysWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, bytes, count)
}
