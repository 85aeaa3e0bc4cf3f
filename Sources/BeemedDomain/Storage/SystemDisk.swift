#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The real file system, below a data folder. Names are resolved relative to open folders, so that
/// renaming the data folder under a running relay does no harm.
package final class SystemDisk: Disk {
    /// Flags for reading: O_NONBLOCK, so that opening a pipe of that name does not block.
    private static let reading = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    /// The bytes that are read back at once.
    private static let comparedBytes = 1 << 16

    /// The descriptor of a missing folder.
    private static let none: Int32 = -1

    private let dataFolder: String
    private let journal: Int32
    /// Nil if the folder does not exist yet, like the next one.
    private let quarantine: Int32?
    private let history: Int32?

    /// Opens the folders. All except the journal's may be missing, for callers that only read.
    ///
    /// - Throws: `DiskError` when the journal's folder, or another one that is there, cannot be
    ///   opened.
    package init(dataFolder path: String) throws(DiskError) {
        dataFolder = path
        journal = try SystemDisk.openFolder("\(path)/\(StoredFile.Folder.journal.rawValue)")
        var opened = [journal]
        do throws(DiskError) {
            quarantine = try SystemDisk.openIfThere(path, .quarantine)
            if let quarantine { opened.append(quarantine) }
            history = try SystemDisk.openIfThere(path, .history)
        } catch {
            for number in opened { _ = systemClose(number) }
            throw error
        }
    }

    /// Nil only if there is no such folder: what cannot be read is not empty.
    private static func openIfThere(
        _ path: String, _ folder: StoredFile.Folder
    ) throws(DiskError) -> Int32? {
        do throws(DiskError) {
            return try openFolder("\(path)/\(folder.rawValue)")
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// The file's path when the disk was opened, for people.
    package func path(_ file: StoredFile) -> String {
        "\(dataFolder)/\(file)"
    }

    deinit {
        _ = systemClose(journal)
        if let quarantine { _ = systemClose(quarantine) }
        if let history { _ = systemClose(history) }
    }

    package func list(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) -> [String] {
        if number(folder) == SystemDisk.none { return [] }
        let copy = try check(
            unsafe openat(number(folder), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), operation)
        guard let stream = unsafe fdopendir(copy) else {
            let code = errno
            _ = systemClose(copy)
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
        let flags = SystemDisk.reading
        let descriptor = try check(unsafe openat(number(file.folder), file.name, flags), operation)
        defer { _ = systemClose(descriptor) }
        let kind = try status(operation) { unsafe FileStatus(of: descriptor, "") }.kind
        guard kind != .other else { throw DiskError(operation, code: DiskError.special) }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor, bytes.baseAddress?.advanced(by: filled), count - filled,
                    off_t(offset + filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw DiskError(operation, code: errno)
            }
            if got == 0 { break }
            filled += got
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    package func create(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return FileNumber(
            try check(unsafe openat(number(file.folder), file.name, flags, 0o600), operation))
    }

    package func createUnsynced(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        // Not O_APPEND: on Linux pwrite(2) would then append, whatever its offset.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return FileNumber(
            try check(unsafe openat(number(file.folder), file.name, flags, 0o600), operation))
    }

    package func reopen(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        let flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return FileNumber(
            try check(unsafe openat(number(file.folder), file.name, flags), operation))
    }

    package func overwrite(
        _ file: FileNumber, at position: Int, with bytes: borrowing Span<UInt8>,
        _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    file.value, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(position + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError(operation, code: count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    package func holds(
        _ bytes: borrowing Span<UInt8>, behind before: [UInt8], in file: FileNumber,
        at position: Int,
        _ operation: StaticString
    ) throws(DiskError) -> Bool {
        let first = position - before.count
        let count = before.count + bytes.count
        var checked = 0
        while checked < count {
            let most = min(count - checked, SystemDisk.comparedBytes)
            let found: (count: Int, isSame: Bool) = unsafe withUnsafeTemporaryAllocation(
                of: UInt8.self, capacity: most
            ) { copy in
                let count = unsafe pread(
                    file.value, copy.baseAddress, most, off_t(first + checked))
                guard count > 0 else { return (count, false) }
                let read = unsafe Span(_unsafeElements: UnsafeBufferPointer(copy))
                    .extracting(..<count)
                // Two arrays and one call: to join them first would copy each line once more.
                let earlier = min(checked, before.count)
                let split = min(count, before.count - earlier)
                let isSame =
                    read.extracting(..<split).equals(before.span, from: earlier)
                    && read.extracting(split...).equals(bytes, from: checked - earlier)
                return (count, isSame)
            }
            if found.count < 0, errno == EINTR { continue }
            guard found.count >= 0 else { throw DiskError(operation, code: errno) }
            guard found.count > 0, found.isSame else { return false }
            checked += found.count
        }
        return true
    }

    package func append(
        _ bytes: borrowing Span<UInt8>, from offset: Int, to file: FileNumber,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe write(
                    file.value, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if count >= 0 { return count }
            if errno != EINTR { throw DiskError(operation, code: errno) }
        }
    }

    package func size(
        of file: FileNumber, _ operation: StaticString
    ) throws(DiskError) -> Int {
        var status = stat()
        try check(unsafe fstat(file.value, &status), operation)
        return Int(status.st_size)
    }

    package func named(
        _ file: FileNumber, _ name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> NamedFile {
        let status = try status(operation) { unsafe FileStatus(of: file.value, "") }
        return NamedFile(file, name, status.identity)
    }

    package func size(
        of file: NamedFile, _ operation: StaticString
    ) throws(DiskError) -> Int {
        let folder = number(file.name.folder)
        let named = try status(operation) {
            unsafe file.systemName.withUnsafeBufferPointer { name in
                unsafe name.baseAddress.flatMap { unsafe FileStatus(of: folder, $0) }
            }
        }
        guard named.identity == file.identity else {
            throw DiskError(operation, code: DiskError.stale)
        }
        return named.size
    }

    private func status(
        _ operation: StaticString, _ status: () -> FileStatus?
    ) throws(DiskError) -> FileStatus {
        while true {
            if let status = status() { return status }
            if errno != EINTR { throw DiskError(operation, code: errno) }
        }
    }

    package func size(
        of file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int {
        var status = stat()
        let folder = number(file.folder)
        try check(unsafe fstatat(folder, file.name, &status, AT_SYMLINK_NOFOLLOW), operation)
        return Int(status.st_size)
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
        let flags = SystemDisk.reading
        let descriptor = try check(unsafe openat(number(file.folder), file.name, flags), operation)
        defer { _ = systemClose(descriptor) }
        try sync(FileNumber(descriptor), operation)
    }

    package func close(_ file: FileNumber) {
        _ = systemClose(file.value)
    }

    package func rename(
        _ file: StoredFile, to name: String, _ operation: StaticString
    ) throws(DiskError) {
        let folder = number(file.folder)
        try check(unsafe renameat(folder, file.name, folder, name), operation)
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
        try check(unsafe fstatvfs(journal, &status), operation)
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)
            ).partialValue)
    }

    private func number(_ folder: StoredFile.Folder) -> Int32 {
        switch folder {
        case .journal: journal
        case .quarantine: quarantine ?? SystemDisk.none
        case .history: history ?? SystemDisk.none
        }
    }

    private static func openFolder(_ path: String) throws(DiskError) -> Int32 {
        while true {
            let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            if number >= 0 { return number }
            if errno != EINTR { throw DiskError("folder.open", code: errno) }
        }
    }

    /// Returns the result of a system call, repeated after EINTR.
    @discardableResult
    private func check(
        _ call: @autoclosure () -> Int32, _ operation: StaticString
    ) throws(DiskError) -> Int32 {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw DiskError(operation, code: errno) }
        }
    }
}

/// `close(2)`, which the method of that name hides inside `SystemDisk`. After EINTR too, the
/// descriptor is closed, so the result is of no use.
private func systemClose(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
        Darwin.close(descriptor)
    #else
        Glibc.close(descriptor)
    #endif
}

/// The system calls that make what was written survive a power failure. On Apple's systems that is
/// `F_FULLFSYNC`: `fsync` there leaves the drive's cache (fsync(2)).
package enum FullSync {
    /// Syncs a file's content and size.
    ///
    /// - Returns: 0, or -1 with `errno`.
    static func content(of file: Int32) -> Int32 {
        #if canImport(Darwin)
            fcntl(file, F_FULLFSYNC)
        #else
            fdatasync(file)
        #endif
    }

    /// Syncs everything of a file, or a folder's entries.
    ///
    /// - Returns: 0, or -1 with `errno`.
    package static func all(of descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            fcntl(descriptor, F_FULLFSYNC)
        #else
            fsync(descriptor)
        #endif
    }
}
