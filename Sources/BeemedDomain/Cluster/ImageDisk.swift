import Synchronization

/// The journal of a key-value store as files in memory, so that recovery, verification and
/// compaction read it with the code that reads a folder: a snapshot is one segment, and all batches
/// after it are the next. History and quarantine are those of another disk.
final class ImageDisk: Disk {
    private struct State: Sendable {
        var files: [String: [UInt8]] = [:]
        /// The names of files that are written.
        var open: [Int32: String] = [:]
        var lastNumber: Int32 = 0
    }

    private let state = Mutex(State())
    /// Nil if there is no history.
    private let local: (any Disk)?

    init(besides local: (any Disk)?) {
        self.local = local
    }

    /// Puts a whole segment.
    func put(_ bytes: consuming [UInt8], as segment: Int) {
        let bytes = bytes
        state.withLock { $0.files[SegmentName.live(segment)] = bytes }
    }

    /// The contents of a file; nil when there is none.
    func take(_ file: StoredFile) -> [UInt8]? {
        state.withLock { $0.files.removeValue(forKey: file.name) }
    }

    /// The contents of a segment; nil when there is none.
    func bytes(of segment: Int) -> [UInt8]? {
        state.withLock { $0.files[SegmentName.live(segment)] }
    }

    private func other(_ operation: StaticString) throws(DiskError) -> any Disk {
        guard let local else { throw DiskError(operation, code: DiskError.missing) }
        return local
    }

    private func isOurs(_ file: FileNumber) -> Bool { file.value < 0 }

    private func change<Value>(
        _ file: FileNumber, _ operation: StaticString, _ body: (inout [UInt8]) -> Value
    ) throws(DiskError) -> Value {
        let value: Value? = state.withLock { state in
            guard let name = state.open[file.value],
                var bytes = state.files.removeValue(forKey: name)
            else { return nil }
            defer { state.files[name] = bytes }
            return body(&bytes)
        }
        guard let value else { throw DiskError(operation, code: DiskError.missing) }
        return value
    }

    // MARK: Disk

    func list(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) -> [String] {
        guard folder == .journal else { return try local?.list(folder, operation) ?? [] }
        return state.withLock { $0.files.keys.sorted() }
    }

    func read(
        _ file: StoredFile, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8] {
        guard file.folder == .journal else {
            return try other(operation).read(file, from: offset, count: count, operation)
        }
        let part: [UInt8]? = state.withLock { state in
            guard let bytes = state.files[file.name] else { return nil }
            return Array(bytes.dropFirst(offset).prefix(count))
        }
        guard let part else { throw DiskError(operation, code: DiskError.missing) }
        return part
    }

    func create(_ file: StoredFile, _ operation: StaticString) throws(DiskError) -> FileNumber {
        guard file.folder == .journal else { return try other(operation).create(file, operation) }
        return state.withLock { state in
            state.lastNumber -= 1
            state.files[file.name] = []
            state.open[state.lastNumber] = file.name
            return FileNumber(state.lastNumber)
        }
    }

    func createUnsynced(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        guard file.folder == .journal else {
            return try other(operation).createUnsynced(file, operation)
        }
        return try create(file, operation)
    }

    func reopen(_ file: StoredFile, _ operation: StaticString) throws(DiskError) -> FileNumber {
        guard file.folder == .journal else { return try other(operation).reopen(file, operation) }
        return try state.withLock { state throws(DiskError) in
            guard state.files[file.name] != nil else {
                throw DiskError(operation, code: DiskError.missing)
            }
            state.lastNumber -= 1
            state.open[state.lastNumber] = file.name
            return FileNumber(state.lastNumber)
        }
    }

    func overwrite(
        _ file: FileNumber, at position: Int, with bytes: borrowing Span<UInt8>,
        _ operation: StaticString
    ) throws(DiskError) {
        guard isOurs(file) else {
            return try other(operation).overwrite(file, at: position, with: bytes, operation)
        }
        let bytes = Array(copying: bytes)
        try change(file, operation) {
            $0.replaceSubrange(position..<min($0.count, position + bytes.count), with: bytes)
        }
    }

    func holds(
        _ bytes: borrowing Span<UInt8>, behind before: [UInt8], in file: FileNumber,
        at position: Int, _ operation: StaticString
    ) throws(DiskError) -> Bool {
        guard isOurs(file) else {
            return try other(operation).holds(
                bytes, behind: before, in: file, at: position, operation)
        }
        let wanted = before + Array(copying: bytes)
        return try change(file, operation) {
            $0.dropFirst(position - before.count).prefix(wanted.count)
                .elementsEqual(wanted)
        }
    }

    func append(
        _ bytes: borrowing Span<UInt8>, from offset: Int, to file: FileNumber,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        guard isOurs(file) else {
            return try other(operation).append(bytes, from: offset, to: file, operation)
        }
        let more = Array(copying: bytes.extracting(offset...))
        try change(file, operation) { $0 += more }
        return more.count
    }

    func size(of file: FileNumber, _ operation: StaticString) throws(DiskError) -> Int {
        guard isOurs(file) else { return try other(operation).size(of: file, operation) }
        return try change(file, operation) { $0.count }
    }

    func named(
        _ file: FileNumber, _ name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> NamedFile {
        guard isOurs(file) else { return try other(operation).named(file, name, operation) }
        return NamedFile(
            file, name, FileIdentity(device: 0, number: UInt64(bitPattern: Int64(file.value))))
    }

    func size(of file: NamedFile, _ operation: StaticString) throws(DiskError) -> Int {
        guard isOurs(file.file) else { return try other(operation).size(of: file, operation) }
        return try size(of: file.file, operation)
    }

    func size(of file: StoredFile, _ operation: StaticString) throws(DiskError) -> Int {
        guard file.folder == .journal else { return try other(operation).size(of: file, operation) }
        return try read(file, from: 0, count: .max, operation).count
    }

    func truncate(
        _ file: FileNumber, to size: Int, _ operation: StaticString
    ) throws(DiskError) {
        guard isOurs(file) else {
            return try other(operation).truncate(file, to: size, operation)
        }
        try change(file, operation) { $0.removeSubrange(size...) }
    }

    func sync(_ file: FileNumber, _ operation: StaticString) throws(DiskError) {
        if !isOurs(file) { try other(operation).sync(file, operation) }
    }

    func sync(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        if file.folder != .journal { try other(operation).sync(file, operation) }
    }

    func close(_ file: FileNumber) {
        guard isOurs(file) else {
            local?.close(file)
            return
        }
        state.withLock { $0.open[file.value] = nil }
    }

    func rename(
        _ file: StoredFile, to name: String, _ operation: StaticString
    ) throws(DiskError) {
        guard file.folder == .journal else {
            return try other(operation).rename(file, to: name, operation)
        }
        state.withLock { $0.files[name] = $0.files.removeValue(forKey: file.name) }
    }

    func move(
        _ file: StoredFile, to place: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try other(operation).move(file, to: place, operation)
    }

    func unlink(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        guard file.folder == .journal else { return try other(operation).unlink(file, operation) }
        state.withLock { $0.files[file.name] = nil }
    }

    func syncFolder(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) {
        if folder != .journal { try local?.syncFolder(folder, operation) }
    }

    func freeBytes(_ operation: StaticString) throws(DiskError) -> Int {
        try local?.freeBytes(operation) ?? .max / 16
    }
}
