/// An open file with the name that it had when it was noted: by it, one system call tells the
/// file's size and whether it still has the name.
///
/// An object, since it never changes and the open segment is copied for each batch.
package final class NamedFile: Sendable {
    package let file: FileNumber
    package let name: StoredFile
    /// Tells the file from others: as long as it is open, no other file gets this.
    let identity: FileIdentity
    /// The name as system calls take it, with a NUL behind it.
    let systemName: ContiguousArray<CChar>

    init(_ file: FileNumber, _ name: StoredFile, _ identity: FileIdentity) {
        self.file = file
        self.name = name
        self.identity = identity
        systemName = name.name.utf8CString
    }
}

/// What tells a file from all others that exist at the same time.
struct FileIdentity: Equatable, Sendable {
    /// The device that has it.
    let device: UInt64
    /// Its number there (inode).
    let number: UInt64
}
