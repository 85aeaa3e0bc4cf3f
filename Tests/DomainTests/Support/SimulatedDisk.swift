import Synchronization

@testable import BeemedDomain

/// A disk in memory that fails as real ones do, by a seed.
///
/// A write is durable after the file's sync, a name after its folder's; everything else a power
/// cut may keep, drop or spoil. Any call site can be made to fail by its name, and the power can
/// be cut at any call.
final class SimulatedDisk: Disk {
    /// How a call site fails.
    struct Fault: Sendable {
        enum Kind: Sendable, Equatable {
            /// With that `errno`.
            case error(Int32)
            /// A write says that all was written, and less was.
            case lie
        }

        var operation: String
        var kind: Kind
        /// So many calls of the site go well before.
        var after = 0
        /// So many calls of the site fail.
        var times = 1
    }

    struct State: Sendable {
        var files: [Int: SimulatedFile] = [:]
        var names: [StoredFile: Int] = [:]
        /// Folders where files should be.
        var folders: Set<StoredFile> = []
        /// Files that cannot be read, with the `errno` of that.
        var unreadable: [StoredFile: Int32] = [:]
        var durableNames: [StoredFile: Int] = [:]
        var nameChanges: [NameChange] = []
        var handles: [Int32: Int] = [:]
        var lastHandle: Int32 = 2
        var lastFile = 0
        var faults: [Fault] = []
        var capacity = 1 << 30
        var isReadOnly = false
        var isOff = false
        var calls = 0
        var crashAt: Int?
        var crashesAfter = false
        var longestRead = 0
        var isHonest = true
        /// Is told of each call before it takes effect, on its thread.
        var before: (@Sendable (String) -> Void)?
    }

    enum NameChange: Sendable {
        case create(StoredFile, Int)
        case rename(StoredFile, StoredFile, Int)
        case unlink(StoredFile)
    }

    /// The error code of every call once the power is off.
    static let powerOff: Int32 = 9_999

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout sending State) -> sending Value) -> Value {
        state.withLock(body)
    }

    // MARK: For tests

    /// How many calls there were.
    var calls: Int { with { $0.calls } }

    /// Whether the power was cut.
    var isOff: Bool { with { $0.isOff } }

    /// Makes a call site fail.
    func fail(_ operation: String, _ code: Int32, after: Int = 0, times: Int = 1) {
        with {
            $0.faults.append(
                Fault(operation: operation, kind: .error(code), after: after, times: times))
        }
    }

    /// Makes a write lie once.
    func lie(at operation: String) {
        with { $0.faults.append(Fault(operation: operation, kind: .lie)) }
    }

    func healFaults() {
        with {
            $0.faults = []
            $0.isReadOnly = false
        }
    }

    /// Cuts the power at the call of that number from now on, before or after it takes effect.
    func cutPower(atCall number: Int, after: Bool) {
        with {
            $0.crashAt = $0.calls + number
            $0.crashesAfter = after
        }
    }

    /// The process dies and the system lives: everything that was written is there.
    func kill() {
        with { state in
            state.handles = [:]
            for id in state.files.keys { state.files[id]?.handles = 0 }
            state.isOff = false
            state.crashAt = nil
        }
    }

    /// The power fails and comes back.
    ///
    /// - Parameter garbage: whether sectors that were not synced may hold anything.
    func crash(seed: UInt64, garbage: Bool = true) {
        with { state in
            var chance = Randomness(seed: seed)
            var names = state.durableNames
            for change in state.nameChanges where Bool.random(using: &chance) {
                change.apply(to: &names)
            }
            names = names.filter { state.files[$0.value] != nil }
            state.names = names
            state.durableNames = names
            state.nameChanges = []
            state.handles = [:]
            let linked = Set(names.values)
            for id in state.files.keys.sorted() {
                state.files[id]?.crash(&chance, garbage: garbage)
                if !linked.contains(id) { state.files[id] = nil }
            }
            state.isOff = false
            state.crashAt = nil
        }
    }

    /// The bytes of a file, as readers see them.
    func bytes(_ file: StoredFile) -> [UInt8]? {
        with { state in state.names[file].flatMap { state.files[$0]?.bytes } }
    }

    /// Puts a file there, durably, in place of one of that name.
    func put(_ file: StoredFile, _ bytes: [UInt8]) {
        with { state in
            if state.names[file] == nil {
                state.lastFile += 1
                state.names[file] = state.lastFile
                state.durableNames[file] = state.lastFile
                state.files[state.lastFile] = SimulatedFile(links: 1)
            }
            if let id = state.names[file] { state.files[id]?.overwrite(bytes) }
        }
    }

    func remove(_ file: StoredFile) {
        with { state in
            state.names[file] = nil
            state.durableNames[file] = nil
        }
    }

    /// The names in a folder, sorted.
    func names(_ folder: StoredFile.Folder) -> [String] {
        with { state in
            state.list(folder)
        }
    }

    /// All bytes of a folder, but the mark's.
    func totalBytes(_ folder: StoredFile.Folder) -> Int {
        names(folder).filter { $0 != HighWaterMark.file.name }.reduce(0) { total, name in
            total + (bytes(StoredFile(folder, name))?.count ?? 0)
        }
    }

    // MARK: Calls

    func call<Value: Sendable>(
        _ operation: StaticString, changes: Bool = true, syncing file: FileNumber? = nil,
        _ body: (inout State, _ isLie: Bool) throws(DiskError) -> Value
    ) throws(DiskError) -> Value {
        if let before = with({ $0.before }) { before("\(operation)") }
        let result: Result<Value, DiskError> = state.withLock { state in
            do throws(DiskError) {
                let isLast = try state.begin(operation, changes: changes)
                let isLie = try state.fault(operation, syncing: file)
                let value = try body(&state, isLie)
                if isLast {
                    state.isOff = true
                    throw DiskError(operation, code: SimulatedDisk.powerOff)
                }
                return .success(value)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    func list(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) -> [String] {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            state.list(folder)
        }
    }

    func read(
        _ file: StoredFile, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8] {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            try state.refuseFolder(file, operation)
            guard let id = state.names[file], let found = state.files[id] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            if let code = state.unreadable[file] { throw DiskError(operation, code: code) }
            state.longestRead = max(state.longestRead, count)
            guard offset < found.bytes.count else { return [] }
            return Array(found.bytes[offset..<min(found.bytes.count, offset + count)])
        }
    }

    func create(
        _ file: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> FileNumber {
        try call(operation) { (state, _) throws(DiskError) in
            try state.refuseFolder(file, operation)
            guard state.names[file] == nil else {
                throw DiskError(operation, code: DiskError.exists)
            }
            state.lastFile += 1
            state.lastHandle += 1
            state.files[state.lastFile] = SimulatedFile(links: 1, handles: 1)
            state.change(.create(file, state.lastFile))
            state.handles[state.lastHandle] = state.lastFile
            return FileNumber(value: state.lastHandle)
        }
    }

    func write(
        _ bytes: borrowing Span<UInt8>, from offset: Int, to file: FileNumber, at position: Int,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        let bytes = Array(copying: bytes)
        return try call(operation) { (state, isLie) throws(DiskError) in
            let id = try state.file(file, operation)
            let there = state.files[id]?.bytes.count ?? 0
            let room = max(0, state.freeBytes) + max(0, there - position)
            guard room > 0 else { throw DiskError(operation, code: DiskError.noSpace) }
            let part = bytes[offset...].prefix(room)
            state.files[id]?.write(
                isLie ? part.dropLast((part.count + 1) / 2) : part, at: position)
            return part.count
        }
    }

    func size(
        of file: FileNumber, named name: StoredFile, _ operation: StaticString
    ) throws(DiskError) -> Int {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            guard let named = state.names[name] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            guard try state.file(file, operation) == named else {
                throw DiskError(operation, code: DiskError.stale)
            }
            return state.files[named]?.bytes.count ?? 0
        }
    }

    func size(of file: StoredFile, _ operation: StaticString) throws(DiskError) -> Int {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            guard let id = state.names[file] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            return state.files[id]?.bytes.count ?? 0
        }
    }

    func sync(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            guard let id = state.names[file] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            if state.isHonest { state.files[id]?.sync() }
        }
    }

    func truncate(
        _ file: FileNumber, to size: Int, _ operation: StaticString
    ) throws(DiskError) {
        try call(operation) { (state, _) throws(DiskError) in
            state.files[try state.file(file, operation)]?.truncate(to: size)
        }
    }

    func sync(_ file: FileNumber, _ operation: StaticString) throws(DiskError) {
        try call(operation, syncing: file) { (state, _) throws(DiskError) in
            let id = try state.file(file, operation)
            if state.isHonest { state.files[id]?.sync() }
        }
    }

    func close(_ file: FileNumber) {
        with { state in
            guard let id = state.handles.removeValue(forKey: file.value) else { return }
            state.files[id]?.handles -= 1
            state.removeUnused(id)
        }
    }

    /// A folder is moved as if that were durable at once: nobody needs it.
    func move(
        _ file: StoredFile, to place: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try call(operation) { (state, _) throws(DiskError) in
            if state.folders.remove(file) != nil {
                state.folders.insert(place)
                return
            }
            guard let id = state.names[file] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            try state.refuseFolder(place, operation)
            state.change(.rename(file, place, id))
        }
    }

    func unlink(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        try call(operation) { (state, _) throws(DiskError) in
            try state.refuseFolder(file, operation)
            guard let id = state.names[file] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            state.files[id]?.links -= 1
            state.change(.unlink(file))
            state.removeUnused(id)
        }
    }

    func syncFolder(
        _ folder: StoredFile.Folder, _ operation: StaticString
    ) throws(DiskError) {
        try call(operation) { (state, _) throws(DiskError) in
            guard state.isHonest else { return }
            for change in state.nameChanges where change.folder == folder {
                change.apply(to: &state.durableNames)
            }
            state.nameChanges.removeAll { $0.folder == folder }
            for id in Array(state.files.keys) { state.removeUnused(id) }
        }
    }

    func freeBytes(_ operation: StaticString) throws(DiskError) -> Int {
        try call(operation, changes: false) { (state, _) throws(DiskError) in state.freeBytes }
    }
}

extension DiskError {
    static let noEntry: Int32 = 2
    static let badFile: Int32 = 9
    static let exists: Int32 = 17
    static let readOnly: Int32 = 30
}

extension SimulatedDisk {
    /// Another disk with the same contents and the same past.
    func copy() -> SimulatedDisk {
        let other = SimulatedDisk()
        let state = with { $0 }
        other.with { $0 = state }
        return other
    }

    /// Makes it so large that so many bytes are free.
    func setFree(_ bytes: Int) {
        with { $0.capacity = $0.files.values.reduce(bytes) { $0 + $1.bytes.count } }
    }
}
