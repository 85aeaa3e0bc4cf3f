@testable import BeemedDomain

extension SimulatedDisk.NameChange {
    var folder: StoredFile.Folder {
        switch self {
        case .create(let file, _), .rename(let file, _, _), .unlink(let file): file.folder
        }
    }

    func apply(to names: inout [StoredFile: Int]) {
        switch self {
        case .create(let file, let id): names[file] = id
        case .rename(let old, let new, let id):
            names[old] = nil
            names[new] = id
        case .unlink(let file): names[file] = nil
        }
    }
}

extension SimulatedDisk.State {
    var freeBytes: Int { max(0, capacity - files.values.reduce(0) { $0 + $1.bytes.count }) }

    mutating func change(_ change: SimulatedDisk.NameChange) {
        change.apply(to: &names)
        nameChanges.append(change)
    }

    /// - Returns: whether the power goes when this call is done.
    mutating func begin(
        _ operation: StaticString, changes: Bool
    ) throws(DiskError) -> Bool {
        guard !isOff else { throw DiskError(operation, code: SimulatedDisk.powerOff) }
        calls += 1
        let isLast = crashAt.map { calls >= $0 } ?? false
        if isLast, !crashesAfter {
            isOff = true
            throw DiskError(operation, code: SimulatedDisk.powerOff)
        }
        if changes, isReadOnly { throw DiskError(operation, code: DiskError.readOnly) }
        return isLast
    }

    /// - Parameter file: what is being synced, if that is what the call does.
    /// - Returns: whether the call lies.
    mutating func fault(
        _ operation: StaticString, syncing file: FileNumber?
    ) throws(DiskError) -> Bool {
        // Most disks have no fault, and a text for each call costs more than the call.
        guard !faults.isEmpty else { return false }
        let name = "\(operation)"
        guard let index = faults.firstIndex(where: { $0.operation == name && $0.times > 0 }) else {
            return false
        }
        guard faults[index].after == 0 else {
            faults[index].after -= 1
            return false
        }
        faults[index].times -= 1
        guard case .error(let code) = faults[index].kind else { return true }
        if let id = file.flatMap({ handles[$0.value] }) { files[id]?.failSync() }
        throw DiskError(operation, code: code)
    }

    func file(_ number: FileNumber, _ operation: StaticString) throws(DiskError) -> Int {
        guard let id = handles[number.value], files[id] != nil else {
            throw DiskError(operation, code: DiskError.badFile)
        }
        return id
    }

    /// A file without a name, and without one that a crash could bring back, needs no room.
    mutating func removeUnused(_ id: Int) {
        guard let file = files[id], file.links == 0, file.handles == 0,
            !durableNames.values.contains(id)
        else { return }
        files[id] = nil
    }
}

// Reading, linking, and folders in the place of files.
extension SimulatedDisk {
    func read(
        _ file: FileNumber, from offset: Int, count: Int, _ operation: StaticString
    ) throws(DiskError) -> [UInt8] {
        try call(operation, changes: false) { (state, _) throws(DiskError) in
            let found = state.files[try state.file(file, operation)]?.bytes ?? []
            return Array(found.dropFirst(offset).prefix(count))
        }
    }

    func link(
        _ file: StoredFile, to place: StoredFile, _ operation: StaticString
    ) throws(DiskError) {
        try call(operation) { (state, _) throws(DiskError) in
            try state.refuseFolder(file, operation)
            guard let id = state.names[file] else {
                throw DiskError(operation, code: DiskError.noEntry)
            }
            guard state.names[place] == nil, !state.folders.contains(place) else {
                throw DiskError(operation, code: DiskError.exists)
            }
            state.files[id]?.links += 1
            state.change(.create(place, id))
        }
    }

    /// Makes a folder where a file should be.
    func makeFolder(_ place: StoredFile) {
        with { _ = $0.folders.insert(place) }
    }

    /// The names in the journal's folder but the mark's.
    var journalNames: [String] { names(.journal).filter { $0 != HighWaterMark.file.name } }
}

extension SimulatedDisk.State {
    /// The names in a folder, sorted.
    func list(_ folder: StoredFile.Folder) -> [String] {
        (Array(names.keys) + folders).filter { $0.folder == folder }.map(\.name).sorted()
    }

    /// Throws where a folder stands in the place of that file.
    func refuseFolder(_ file: StoredFile, _ operation: StaticString) throws(DiskError) {
        if folders.contains(file) { throw DiskError(operation, code: 21) }
    }
}
