package import BeemedDomain
import Foundation
package import Libc

/// Small files for the owner alone, replaced atomically: a power failure leaves the old or the new.
package enum PrivateFile {
    /// Writes the file, and syncs it and its folder; the old one stays when that fails.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t = 0o600
    ) throws(DiskError) {
        let temporary = temporaryPath(of: path)
        let file = try create(temporary, mode)
        do throws(DiskError) {
            defer { _ = close(file) }
            try writeAll(bytes, to: file)
            try check(FullSync.all(of: file), "private.sync")
            try check(unsafe rename(temporary, path), "private.rename")
        } catch {
            _ = unsafe unlink(temporary)
            throw error
        }
        try syncFolder(of: path)
    }

    /// The file's bytes; nil without a file. Nothing is read of a pipe or a device, and opening one
    /// does not wait.
    package static func read(_ path: String) throws(DiskError) -> [UInt8]? {
        let file: Int32
        do throws(DiskError) {
            let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            file = try check(unsafe open(path, flags), "private.open")
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        defer { _ = close(file) }
        var status = stat()
        try check(unsafe fstat(file, &status), "private.status")
        let kind = status.st_mode & S_IFMT
        // A folder is reported by the read.
        guard kind == S_IFREG || kind == S_IFDIR else {
            throw DiskError("private.open", code: DiskError.special)
        }
        return try contents(of: file)
    }

    /// The bytes of anything that has a path and can be read to its end, pipes and links included.
    package static func contents(ofAny path: String) throws(DiskError) -> [UInt8] {
        let file = try check(unsafe open(path, O_RDONLY | O_CLOEXEC), "private.open")
        defer { _ = close(file) }
        return try contents(of: file)
    }

    /// The text of a file of the system's, as those in `/proc`; nil when unreadable.
    package static func textIfReadable(_ path: String) -> String? {
        guard let bytes = try? read(path) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// All that can be read of an open file.
    static func contents(of file: Int32) throws(DiskError) -> [UInt8] {
        var bytes: [UInt8] = []
        try readAll(of: file, "private.read") { bytes += $0 }
        return bytes
    }

    /// Hands on all that can be read of an open file, in chunks.
    private static func readAll(
        of file: Int32, _ operation: StaticString,
        _ take: (ArraySlice<UInt8>) throws(DiskError) -> Void
    ) throws(DiskError) {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe part.withUnsafeMutableBytes { part in
                unsafe Libc.read(file, part.baseAddress, part.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError(operation, code: errno) }
            if count == 0 { return }
            try take(part[..<count])
        }
    }

    /// The path of a file or folder without links and `..` in it; nil when there is none.
    package static func realPath(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The names of the files in a folder; none when there is no such folder.
    package static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    static func move(_ path: String, to target: String) throws(DiskError) {
        try check(unsafe rename(path, target), "private.move")
        try syncFolder(of: target)
        try syncFolder(of: path)
    }

    /// Removes the file, if there is one.
    package static func remove(_ path: String) throws(DiskError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw DiskError("private.unlink", code: errno)
        }
        try syncFolder(of: path)
    }

    /// Writes all bytes to an open file, where it stands.
    package static func writeAll(_ bytes: [UInt8], to file: Int32) throws(DiskError) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Libc.write(file, bytes.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError("private.write", code: errno) }
            start += count
        }
    }

    static func syncFolder(of path: String) throws(DiskError) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        try DataFolder.sync(folder: folder)
    }

    /// A free name beside the file: another one where a folder has the usual name.
    private static func temporaryPath(of path: String) -> String {
        let usual = "\(path).tmp"
        guard unsafe unlink(usual) != 0, errno != ENOENT else { return usual }
        return "\(path).\(UInt64.random(in: 0 ... .max)).tmp"
    }

    /// Creates a new folder, mode 0700.
    package static func makeFolder(_ path: String) throws(DiskError) {
        try check(unsafe mkdir(path, 0o700), "private.folder")
    }

    /// The length of a file; nil when there is none, or it is no regular file.
    static func size(of path: String) -> Int? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int(status.st_size)
    }

    /// Copies a file up to its present length, in chunks, into a new one, and syncs the content;
    /// with `cutsTail` without the bytes after the last line feed.
    static func copy(_ path: String, to target: String, cutsTail: Bool) throws(DiskError) {
        let source = try check(
            unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), "copy.open")
        defer { _ = close(source) }
        let file = try create(target, 0o600)
        defer { _ = close(file) }
        var (size, lastLine) = (0, 0)
        try readAll(of: source, "copy.read") { (part) throws(DiskError) in
            if let end = part.lastIndex(of: 0x0A) { lastLine = size + end + 1 }
            try writeAll(Array(part), to: file)
            size += part.count
        }
        if cutsTail, lastLine < size {
            try check(ftruncate(file, off_t(lastLine)), "copy.truncate")
        }
        try check(FullSync.all(of: file), "copy.sync")
    }

    private static func create(_ path: String, _ mode: mode_t) throws(DiskError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return try check(unsafe open(path, flags, mode), "private.create")
    }
}

/// The value of an operation on the disk, whose error follows these words.
package func onDisk<Value>(
    _ operation: @autoclosure () throws(DiskError) -> Value, orFail code: ExitCode,
    _ words: @autoclosure () -> String
) throws(Failure) -> Value {
    do throws(DiskError) { return try operation() } catch {
        throw Failure(code, "\(words()): \(error)")
    }
}
