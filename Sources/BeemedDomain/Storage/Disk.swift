#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file of the store, by folder and name.
package struct StoredFile: Hashable, Sendable, CustomStringConvertible {
    /// The folders that the journal keeps, inside the data folder.
    package enum Folder: String, CaseIterable, Sendable {
        case journal, quarantine, history
    }

    package var folder: Folder
    package var name: String

    /// A name in a folder.
    package init(_ folder: Folder, _ name: String) {
        self.folder = folder
        self.name = name
    }

    package var description: String { "\(folder.rawValue)/\(name)" }
}

/// An open file of a `Disk`.
package struct FileNumber: Hashable, Sendable {
    package let value: Int32

    /// A number that means something to one disk only.
    package init(_ value: Int32) {
        self.value = value
    }
}

/// A system call that failed.
package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call site, so that a test can fail exactly one and a log can name it.
    package let operation: String
    /// `errno`.
    package let code: Int32

    /// A failure at that call site.
    package init(_ operation: StaticString, code: Int32) {
        self.operation = "\(operation)"
        self.code = code
    }

    /// Whether space is what is missing: a full disk, a quota, a limit on file sizes.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    /// Whether the file system was mounted, or remounted after an error, for reading only.
    package var isReadOnly: Bool { code == EROFS }

    /// Whether there is nothing of that name.
    var isMissing: Bool { code == ENOENT }

    /// Whether a folder stands where a file should be.
    var isFolder: Bool { code == EISDIR }

    /// Whether the same call may succeed a moment later, with nothing done about the disk: the
    /// process or the system has too many files open, memory is short, a signal came, or a name
    /// is in use for the moment.
    var isPassing: Bool { DiskError.passing.contains(code) }

    private static let passing: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EEXIST]

    /// A name that is in use.
    static let nameTaken = EEXIST

    /// What a full disk says.
    static let noSpace = ENOSPC
    /// A number for which there is no name.
    static let tooGreat = EOVERFLOW
    /// What is open is not what has the name any more.
    static let stale = ESTALE
    /// What a disk says that lies.
    static let inputOutput = EIO

    package var description: String {
        "\(operation): \(unsafe String(cString: strerror(code))) (error \(code))"
    }
}

/// What the journal asks of a file system. Every call names its call site as `operation`.
///
/// The promises are POSIX's and no more: a write is durable after the file's sync, a name after
/// its folder's.
package protocol Disk: Sendable {
    /// The names in a folder, sorted.
    func list(_ folder: StoredFile.Folder, _ operation: StaticString) throws(DiskError) -> [String]
    /// Up to `count` bytes from `offset`; fewer only at the end.
    func read(
        _ file: StoredFile, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8]
    /// Creates a file that must not exist, for appending.
    func create(_ file: StoredFile, _ operation: StaticString) throws(DiskError) -> FileNumber
    /// Creates a file that must not exist, to be overwritten and not appended to.
    func createNote(_ file: StoredFile, _ operation: StaticString) throws(DiskError) -> FileNumber
    /// Overwrites such a file from its beginning. It is not synced, and never shorter than before.
    func overwrite(
        _ file: FileNumber, with bytes: [UInt8], _ operation: StaticString
    ) throws(DiskError)
    /// Appends some of the bytes from `offset` on, and says how many.
    func append(
        _ bytes: [UInt8], from offset: Int, to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) -> Int
    /// The file's size in bytes, as the file system has it.
    func size(of file: FileNumber, _ operation: StaticString) throws(DiskError) -> Int
    /// The size of an open file, in bytes, if it still is the one of that name. Whoever edits,
    /// restores or removes a file leaves the open one where nobody will ever find it: `ESTALE`
    /// then, or that there is none.
    func size(
        of file: FileNumber, named name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int
    /// The size of a file that is not open, in bytes.
    func size(of file: StoredFile, _ operation: StaticString) throws(DiskError) -> Int
    /// Cuts the file off at that size.
    func truncate(
        _ file: FileNumber, to size: Int, _ operation: StaticString
    ) throws(DiskError)
    /// Makes what was appended durable.
    func sync(_ file: FileNumber, _ operation: StaticString) throws(DiskError)
    /// Makes a file durable that somebody else has written.
    func sync(_ file: StoredFile, _ operation: StaticString) throws(DiskError)
    /// Closes a file.
    func close(_ file: FileNumber)
    /// Renames inside one folder. The caller knows that the new name is free, or wants what has it
    /// replaced.
    func rename(
        _ file: StoredFile, to name: String, _ operation: StaticString
    ) throws(DiskError)
    /// Moves a file or a folder to another folder of the store, under a name that is free there.
    func move(
        _ file: StoredFile, to place: StoredFile, _ operation: StaticString
    ) throws(DiskError)
    /// Removes a name.
    func unlink(_ file: StoredFile, _ operation: StaticString) throws(DiskError)
    /// Makes the folder's names durable.
    func syncFolder(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError)
    /// Bytes that can still be written.
    func freeBytes(_ operation: StaticString) throws(DiskError) -> Int
}
