import Libc

/// A file of the store: folder and name.
package struct StoredFile: Hashable, Sendable, CustomStringConvertible {
    /// The folders of the journal, inside the data folder.
    package enum Folder: String, CaseIterable, Sendable {
        case journal, quarantine, history
    }

    package var folder: Folder
    package var name: String

    /// Creates a file reference.
    package init(_ folder: Folder, _ name: String) {
        self.folder = folder
        self.name = name
    }

    package var description: String { "\(folder.rawValue)/\(name)" }
}

/// An open file of a `Disk`.
package struct FileNumber: Hashable, Sendable {
    package let value: Int32
}

/// A failed system call.
package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call site, so that a test can fail exactly one call and a log can name it.
    package let operation: String
    /// `errno`.
    package let code: Int32

    /// Creates an error of that call site.
    package init(_ operation: StaticString, code: Int32) {
        self.operation = "\(operation)"
        self.code = code
    }

    /// Whether space is missing: a full disk, a quota, a limit on file sizes.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Whether the file system is mounted read-only, or was remounted so after an error.
    package var isReadOnly: Bool { code == EROFS }

    /// Whether this user may not do that.
    package var isNotPermitted: Bool { code == EACCES || code == EPERM }

    /// Whether the name does not exist.
    package var isMissing: Bool { code == ENOENT }

    /// Whether a folder has the name of a file.
    package var isFolder: Bool { code == EISDIR }

    /// Whether a pipe, a socket or a device has the name of a file.
    var isSpecial: Bool { code == DiskError.special || code == ENXIO }

    /// Whether a symbolic link has the name of a file.
    var isLink: Bool { code == ELOOP }

    /// Whether the same call may succeed a moment later without any repair: too many open files in
    /// the process or the system, too little memory, a signal, or a name that is temporarily in
    /// use.
    var isPassing: Bool { DiskError.passing.contains(code) }

    private static let passing: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EEXIST]

    static let nameTaken = EEXIST
    static let notPermitted = EPERM
    static let tooGreat = EOVERFLOW
    /// The disk is full.
    package static let noSpace = ENOSPC
    /// Access is denied.
    package static let denied = EACCES
    /// The file is a pipe or something like that.
    package static let special = ESPIPE
    /// The open file no longer has the name.
    package static let stale = ESTALE
    /// Contents or size on the disk differ from the bytes written.
    package static let inputOutput = EIO

    /// For people: what is wrong, without the call site.
    package var description: String {
        isSpecial
            ? "a pipe, a socket or a device is there, and no file"
            : unsafe String(cString: strerror(code))
    }

    /// For the log: with the call site and the number.
    package var cause: String { "\(operation): \(self) (error \(code))" }
}

/// The file system operations of the journal. `operation` names the call site.
///
/// Only POSIX guarantees are assumed: a write is durable after the file's sync, a name after its
/// folder's.
package protocol Disk: Sendable {
    /// The names in a folder, sorted.
    func list(_ folder: StoredFile.Folder, _ operation: StaticString) throws(DiskError) -> [String]
    /// Up to `count` bytes from `offset`; fewer only at the end. Of a file only: nothing is read of
    /// a pipe or a device, and opening one does not wait.
    func read(
        _ file: StoredFile, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8]
    /// The same of a file that is open.
    func read(
        _ file: FileNumber, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8]
    /// Creates a file for writing, and for reading back; it must not exist.
    func create(_ file: StoredFile, _ operation: StaticString) throws(DiskError) -> FileNumber
    /// Writes at least one of the bytes from `offset` on at that position of the file, without a
    /// sync, and returns how many.
    func write(
        _ bytes: borrowing Span<UInt8>, from offset: Int, to file: FileNumber, at position: Int,
        _ operation: StaticString
    ) throws(DiskError) -> Int
    /// The size of an open file, in bytes, if it still has that name. After the file was edited,
    /// restored or removed, the open file cannot be found by name: then the error is `ESTALE`, or
    /// that the name does not exist.
    func size(
        of file: FileNumber, named name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int
    /// The size of a file that is not open, in bytes.
    func size(of file: StoredFile, _ operation: StaticString) throws(DiskError) -> Int
    /// Truncates the file to that size.
    func truncate(
        _ file: FileNumber, to size: Int, _ operation: StaticString
    ) throws(DiskError)
    /// Makes written bytes durable.
    func sync(_ file: FileNumber, _ operation: StaticString) throws(DiskError)
    /// Makes a file durable that another process has written.
    func sync(_ file: StoredFile, _ operation: StaticString) throws(DiskError)
    /// Closes a file.
    func close(_ file: FileNumber)
    /// Gives a file or folder another name. An existing file of that name is replaced, so the
    /// caller must know that it is free or to be replaced.
    func move(
        _ file: StoredFile, to target: StoredFile, _ operation: StaticString
    ) throws(DiskError)
    /// Gives a file a second name, which must be free. Some file systems have none.
    func link(
        _ file: StoredFile, to target: StoredFile, _ operation: StaticString
    ) throws(DiskError)
    /// Removes a name.
    func unlink(_ file: StoredFile, _ operation: StaticString) throws(DiskError)
    /// Makes the folder's names durable.
    func syncFolder(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError)
    /// The number of bytes that can still be written.
    func freeBytes(_ operation: StaticString) throws(DiskError) -> Int
}

extension Disk {
    /// The size of a folder's files in bytes, as far as they can be read.
    func bytes(in folder: StoredFile.Folder, _ operation: StaticString) -> Int {
        let names = (try? list(folder, operation)) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? size(of: StoredFile(folder, name), operation)) ?? 0)
        }
    }

    /// Writes all bytes at that position.
    func writeAll(
        _ bytes: [UInt8], to file: FileNumber, at position: Int, _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            written += try write(
                bytes.span, from: written, to: file, at: position + written, operation)
        }
    }
}
