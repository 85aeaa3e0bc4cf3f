import Libc

/// The real file system, below a data folder. Names are resolved relative to open folders, so that
/// renaming the data folder under a running relay does no harm.
package final class SystemDisk: Disk {
    /// Flags for reading: O_NONBLOCK, so that opening a pipe of that name does not block.
    private static let reading = O_RDONLY | O_NONBLOCK

    private let dataFolder: String
    /// The folders that exist.
    private let folders: [StoredFile.Folder: Int32]

    /// Opens the folders. All except the journal's may be missing, for callers that only read; one
    /// that is there must open, since what cannot be read is not empty.
    package init(dataFolder path: String) throws(DiskError) {
        dataFolder = path
        var folders: [StoredFile.Folder: Int32] = [:]
        for folder in StoredFile.Folder.allCases {
            do throws(DiskError) {
                folders[folder] = try check(
                    unsafe open(
                        "\(path)/\(folder.rawValue)",
                        O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), "folder.open")
            } catch {
                if error.isMissing, folder != .journal { continue }
                for number in folders.values { _ = Libc.close(number) }
                throw error
            }
        }
        self.folders = folders
    }

    /// The file's path when the disk was opened, for people.
    package func path(_ file: StoredFile) -> String {
        "\(dataFolder)/\(file)"
    }

    deinit {
        for number in folders.values { _ = Libc.close(number) }
    }

    package func list(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) -> [String] {
        guard let number = folders[folder] else { return [] }
        let copy = try check(
            unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), operation)
        guard let stream = unsafe fdopendir(copy) else {
            let code = errno
            _ = Libc.close(copy)
            throw DiskError(operation, code: code)
        }
        defer { unsafe _ = closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package func read(
        _ file: StoredFile, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8] {
        let file = try openFile(file, SystemDisk.reading, operation)
        defer { close(file) }
        guard try !FileStatus(of: file.value, "", operation).isSpecial else {
            throw DiskError(operation, code: DiskError.special)
        }
        return try read(file, from: offset, count: count, operation)
    }

    package func read(
        _ file: FileNumber, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8] {
        var failure: Int32?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            while filled < count {
                let got = unsafe pread(
                    file.value, bytes.baseAddress?.advanced(by: filled), count - filled,
                    off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        if let failure { throw DiskError(operation, code: failure) }
        return bytes
    }

    package func create(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        try openFile(file, O_RDWR | O_CREAT | O_EXCL, operation)
    }

    private func openFile(
        _ file: StoredFile, _ flags: Int32, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW
        let made = try check(unsafe openat(number(file.folder), file.name, flags, 0o600), operation)
        return FileNumber(value: made)
    }

    package func write(
        _ bytes: borrowing Span<UInt8>, from offset: Int, to file: FileNumber, at position: Int,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    file.value, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                    off_t(position))
            }
            if count > 0 { return count }
            // pwrite(2) may return zero without an error; repeating it would loop for ever.
            if count == 0 { throw DiskError(operation, code: DiskError.noSpace) }
            if errno != EINTR { throw DiskError(operation, code: errno) }
        }
    }

    package func size(
        of file: FileNumber, named name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int {
        let named = try FileStatus(of: number(name.folder), name.name, operation)
        guard try FileStatus(of: file.value, "", operation).identity == named.identity else {
            throw DiskError(operation, code: DiskError.stale)
        }
        return named.size
    }

    package func size(
        of file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int {
        try FileStatus(of: number(file.folder), file.name, operation).size
    }

    package func truncate(
        _ file: FileNumber, to size: Int, _ operation: StaticString
    ) throws(DiskError) {
        try check(ftruncate(file.value, off_t(size)), operation)
    }

    package func sync(_ file: FileNumber, _ operation: StaticString) throws(DiskError) {
        try check(FullSync.content(of: file.value), operation)
    }

    package func sync(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        let file = try openFile(file, SystemDisk.reading, operation)
        defer { close(file) }
        try sync(file, operation)
    }

    package func close(_ file: FileNumber) {
        _ = Libc.close(file.value)
    }

    package func move(
        _ file: StoredFile, to target: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try check(
            unsafe renameat(
                number(file.folder), file.name, number(target.folder), target.name), operation)
    }

    package func link(
        _ file: StoredFile, to target: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try check(
            unsafe linkat(
                number(file.folder), file.name, number(target.folder), target.name, 0), operation)
    }

    package func unlink(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try check(unsafe unlinkat(number(file.folder), file.name, 0), operation)
    }

    package func syncFolder(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) {
        try check(FullSync.all(of: number(folder)), operation)
    }

    package func freeBytes(_ operation: StaticString) throws(DiskError) -> Int {
        var status = statvfs()
        try check(unsafe fstatvfs(number(.journal), &status), operation)
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)
            ).partialValue)
    }

    /// The folder's descriptor; for a missing folder -1, which every call refuses.
    private func number(_ folder: StoredFile.Folder) -> Int32 { folders[folder] ?? -1 }
}

/// Returns the result of a system call, repeated after EINTR.
@discardableResult
package func check(
    _ call: @autoclosure () -> Int32, _ operation: StaticString
) throws(DiskError) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        if errno != EINTR { throw DiskError(operation, code: errno) }
    }
}

/// The system calls that make what was written survive a power failure. On Apple's systems that is
/// `F_FULLFSYNC`: `fsync` there leaves the drive's cache (fsync(2)).
package enum FullSync {
    /// Syncs a file's content and size. Returns 0, or -1 with `errno`.
    static func content(of file: Int32) -> Int32 {
        #if !os(Linux)
            fcntl(file, F_FULLFSYNC)
        #else
            fdatasync(file)
        #endif
    }

    /// The same with everything of a file, or a folder's entries.
    package static func all(of descriptor: Int32) -> Int32 {
        #if !os(Linux)
            fcntl(descriptor, F_FULLFSYNC)
        #else
            fsync(descriptor)
        #endif
    }
}
