package import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    package import Glibc
#endif

extension PrivateFile {
    /// Creates a new folder, mode 0700.
    package static func makeFolder(_ path: String) throws(DiskError) {
        try again("private.folder") { unsafe mkdir(path, 0o700) }
    }

    /// The length of a file; nil when there is none, or it is no regular file.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Copies a file up to its present length, in chunks, into a new one, and syncs the content.
    ///
    /// - Parameter cutsTail: omit the bytes after the last line feed.
    static func copy(_ path: String, to target: String, cutsTail: Bool) throws(DiskError) {
        let file = try make(target)
        defer { _ = close(file) }
        let (size, lastLine) = try append(contentsOf: path, to: file)
        if cutsTail, lastLine < size {
            try again("copy.truncate") { ftruncate(file, off_t(lastLine)) }
        }
        try again("copy.sync") { FullSync.all(of: file) }
    }

    /// Appends what a file has up to its present length, in chunks.
    ///
    /// - Returns: its length, and the length up to its last line feed.
    @discardableResult
    static func append(
        contentsOf path: String, to file: Int32
    ) throws(DiskError) -> (size: Int, lastLine: Int) {
        let source = try again("copy.open") {
            unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        defer { _ = close(source) }
        var part = [UInt8](repeating: 0, count: 1 << 18)
        var (size, lastLine) = (0, 0)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { part in
                unsafe read(source, part.baseAddress, part.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError("copy.read", code: errno) }
            if count == 0 { return (size, lastLine) }
            if let end = part[..<count].lastIndex(of: 0x0A) { lastLine = size + end + 1 }
            try writeAll(Array(part[..<count]), to: file)
            size += count
        }
    }

    /// Writes to anything that has a path. A regular file is replaced atomically and keeps its
    /// mode, where a link leads to it, too; a device or a pipe is written to, since a file in its
    /// place would remove the device for everybody else.
    package static func write(
        _ bytes: [UInt8], toAny path: String, mode: mode_t
    ) throws(DiskError) {
        var status = stat()
        if unsafe lstat(path, &status) != 0, errno == ENOENT {
            return try write(bytes, to: path, mode: mode, isAmongOthers: true)
        }
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let real = realPath(path)
        {
            return try write(
                bytes, to: real, mode: status.st_mode & 0o777, isAmongOthers: true)
        }
        let file = try again("private.open") {
            unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
        }
        defer { _ = close(file) }
        try writeAll(bytes, to: file)
    }

    private static func make(_ path: String) throws(DiskError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return try again("private.create") { unsafe open(path, flags, 0o600) }
    }

    private static func read(
        _ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int
    ) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(file, bytes, count)
        #else
            unsafe Glibc.read(file, bytes, count)
        #endif
    }
}
