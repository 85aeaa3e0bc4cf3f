import Libc
import Synchronization

/// Why a data folder cannot be used.
package enum DataFolderError: Error, Equatable, Sendable {
    /// Another process uses it.
    case inUse(by: String)
    /// The folder has another owner, or others may write to it.
    case unsafePermissions(String)
    /// A system call failed.
    case unusable(DiskError)
}

/// The data folder of one relay at a time: mode 0700, with a lock that ends with the process.
package final class DataFolder: Sendable {
    /// The folder's path.
    package let path: String
    /// The folder itself: unlike a file in it, it cannot be deleted under a running relay.
    private let lock: Int32
    private let isReleased = Atomic(false)

    /// Creates the folder if missing, checks its owner and write permissions, and locks it. After an
    /// error nothing was changed.
    ///
    /// - Parameter note: the text of the lock file, which begins with the process id.
    package init(path: String, note: String) throws(DataFolderError) {
        self.path = path
        try DataFolder.make(path)
        try DataFolder.checkOwner(path)
        lock = try DataFolder.lock(path)
        do throws(DiskError) { try write(note: note) } catch {
            // A read-only file system does not prevent the start: known events can be delivered.
            guard error.isReadOnly else { throw .unusable(error) }
        }
        for folder in StoredFile.Folder.allCases {
            try DataFolder.make("\(path)/\(folder.rawValue)")
            try DataFolder.checkOwner("\(path)/\(folder.rawValue)")
        }
    }

    deinit {
        release()
    }

    /// Releases the lock: another relay may use the folder from now on. Call it after the last
    /// write; further calls do nothing.
    package func release() {
        let wasReleased = isReleased.exchange(true, ordering: .relaxed)
        guard !wasReleased else { return }
        _ = close(lock)
    }

    /// The id of this process.
    package static var process: Int32 { getpid() }

    /// Replaces the text of the lock file.
    package func write(note: String) throws(DiskError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let file = try check(unsafe open("\(path)/lock", flags, 0o600), "lock.open")
        defer { _ = close(file) }
        let bytes = Array(note.utf8)
        _ = ftruncate(file, 0)
        unsafe _ = pwrite(file, bytes, bytes.count, 0)
    }

    /// Whether users other than the owner may list the folder: its contents are private, and its
    /// files are protected only by their own modes.
    package static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & 0o055 != 0
    }

    /// Whether this user may not look into the folder, or into one above it: systemd keeps that of
    /// a service behind a closed one (`/var/lib/private`).
    package static func isClosedToUs(_ path: String) -> Bool {
        guard unsafe access(path, R_OK | X_OK) != 0, errno == EACCES else { return false }
        var status = stat()
        // For a file the right to run it is missing.
        return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFDIR
    }

    /// Why a start on this folder by a user would be refused or could not write, one sentence each;
    /// determined without changing anything.
    package static func startBlockers(at path: String, by user: UInt32 = geteuid()) -> [String] {
        var all: [String] = []
        for folder in [path] + StoredFile.Folder.allCases.map({ "\(path)/\($0.rawValue)" }) {
            do throws(DataFolderError) {
                try checkOwner(folder, user)
            } catch {
                switch error {
                case .unsafePermissions(let advice):
                    all.append("a start would be refused: \(advice)")
                case .unusable(let cause) where !cause.isMissing:
                    all.append("a start would be refused: \(folder): \(cause)")
                case .unusable, .inUse: break  // A missing folder is created.
                }
            }
        }
        for folder in [path, "\(path)/\(StoredFile.Folder.journal.rawValue)"]
        where all.isEmpty && !isWritable(folder) {
            all.append(
                "nothing can be written to \(folder): a start would accept nothing or be refused")
        }
        return all
    }

    /// Whether the owner of a folder may write to it. A missing one is made.
    private static func isWritable(_ folder: String) -> Bool {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { return true }
        let isReadOnly = unsafe access(folder, W_OK) != 0 && errno == EROFS
        return status.st_mode & 0o300 == 0o300 && !isReadOnly
    }

    /// The folder in which a missing one would be made first, if this user may not write to it.
    package static func obstacle(toMaking path: String) -> String? {
        var folder = parent(of: path)
        while unsafe access(folder, F_OK) != 0, parent(of: folder) != folder {
            folder = parent(of: folder)
        }
        return unsafe access(folder, W_OK | X_OK) == 0 ? nil : folder
    }

    /// The text of the lock file if a relay uses the folder, else nil. Nothing is changed.
    package static func holder(of path: String) -> String? {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { _ = close(folder) }
        // The lock is shared for this instant, so that two readers do not detect each other.
        guard flock(folder, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return note(in: path)
    }

    /// Creates the folder and its parents, and syncs each in its own parent.
    private static func make(_ path: String) throws(DataFolderError) {
        if unsafe access(path, F_OK) == 0 { return }
        let parent = parent(of: path)
        if parent != path { try make(parent) }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .unusable(DiskError("folder.make", code: errno))
        }
        do throws(DiskError) { try sync(folder: parent) } catch { throw .unusable(error) }
    }

    /// Makes a folder's entries durable.
    package static func sync(folder path: String) throws(DiskError) {
        let folder = try check(
            unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "folder.open")
        defer { _ = close(folder) }
        try check(FullSync.all(of: folder), "folder.sync")
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func checkOwner(
        _ path: String, _ user: UInt32 = geteuid()
    ) throws(DataFolderError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            throw .unusable(DiskError("folder.stat", code: errno))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .unusable(DiskError("folder.stat", code: ENOTDIR))
        }
        guard status.st_uid == user else {
            throw .unsafePermissions(
                "\(path) belongs to another user; run this as that user, or with sudo, or give it "
                    + "to the relay's with 'chown \(user)', if no relay uses it")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .unsafePermissions("others may write to \(path); run: chmod 700 \(path)")
        }
    }

    /// Locks the folder. Uses `flock`, because `fcntl` locks end when any other descriptor of the
    /// file is closed. A command may have the lock for a moment, also one that only looks
    /// (`holder`), and must not keep a relay from starting, so locking is tried for a second.
    private static func lock(_ path: String) throws(DataFolderError) -> Int32 {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .unusable(DiskError("lock.open", code: errno)) }
        for attempt in 0...100 {
            if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
            guard errno == EWOULDBLOCK, attempt < 100 else { break }
            SystemThread.sleep(seconds: 0.01)
        }
        let code = errno
        _ = close(folder)
        throw code == EWOULDBLOCK
            ? .inUse(by: note(in: path)) : .unusable(DiskError("lock.take", code: code))
    }

    /// The text of the lock file; empty where somebody has deleted it.
    private static func note(in path: String) -> String {
        let file = unsafe open("\(path)/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return "" }
        defer { _ = close(file) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe pread(file, bytes.baseAddress, bytes.count, 0)
        }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
