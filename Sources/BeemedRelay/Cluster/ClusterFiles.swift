import BeemedDomain
import RelayTrunk
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The small files of a relay as keys of its cluster's store. The leader alone writes them: each
/// write compares the leader's key and the revision that was read.
///
/// Files that only ease a start stay in the data folder of each machine, and so does the account.
final class ClusterFiles: SettingsStorage {
    private struct Entry: Sendable {
        var bytes: [UInt8]
        var revision: Int64
    }

    let isShared = true
    private let folder: String
    private let keys: StoreKeys
    private let term: LeaseTerm
    /// Used by one thread at a time: a later state must not be written before an earlier one.
    private let gateway: Mutex<any KeyValueStore>
    /// The contents of the store. Reading never waits for the network.
    private let entries: Mutex<[String: Entry]>
    private let local = FolderFiles()

    /// Files of each relay.
    private static let localNames = Set(
        DataFile.allCases.filter { $0.scope == .local }.map(\.rawValue))

    /// Reads all files.
    ///
    /// - Throws: `KeyValueFault`.
    init(
        _ store: any KeyValueStore, _ keys: StoreKeys, _ term: LeaseTerm, folder: String
    ) throws(KeyValueFault) {
        self.folder = folder
        self.keys = keys
        self.term = term
        var found: [String: Entry] = [:]
        for entry in try store.get(keys.settings, limit: .max) {
            found[keys.settingName(entry.key)] = Entry(
                bytes: entry.value, revision: entry.modRevision)
        }
        entries = Mutex(found)
        gateway = Mutex(store)
    }

    /// The name of a file of the store; nil for one of this machine.
    private func name(_ path: String) -> String? {
        guard path.hasPrefix("\(folder)/") else { return nil }
        let name = String(path.dropFirst(folder.count + 1))
        return ClusterFiles.localNames.contains(name) ? nil : name
    }

    // MARK: Files

    func read(_ path: String) throws(DiskError) -> [UInt8]? {
        guard let name = name(path) else { return try local.read(path) }
        return entries.withLock { $0[name]?.bytes }
    }

    func write(_ bytes: [UInt8], to path: String) throws(DiskError) {
        guard let name = name(path) else { return try local.write(bytes, to: path) }
        try change(name, to: bytes)
    }

    func remove(_ path: String) throws(DiskError) {
        guard let name = name(path) else { return try local.remove(path) }
        try change(name, to: nil)
    }

    func move(_ path: String, to target: String) throws(DiskError) {
        guard let bytes = try read(path) else { return }
        try write(bytes, to: target)
        try remove(path)
    }

    func names(in folder: String) -> [String] {
        let prefix = String(folder.dropFirst(self.folder.count + 1)) + "/"
        return entries.withLock { entries in
            entries.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
    }

    // MARK: Writing

    /// Writes a value, again and again while this relay leads and has no answer.
    ///
    /// - Parameter bytes: nil removes the value.
    private func change(_ name: String, to bytes: [UInt8]?) throws(DiskError) {
        let key = keys.setting(name)
        try gateway.withLock { (store) throws(DiskError) in
            let revision = entries.withLock { $0[name]?.revision ?? 0 }
            let look = Transaction.Operation.get(KeyRange(key))
            let transaction = Transaction(
                if: [
                    .createRevision(of: keys.leader, is: term.epoch),
                    .modRevision(of: key, is: revision),
                ],
                then: [bytes.map { .put(key, $0) } ?? .delete(KeyRange(key)), look], else: [look])
            while term.isValid {
                do throws(KeyValueFault) {
                    let result = try store.commit(transaction)
                    let found = result.found.first?.first
                    guard result.isSuccess || found?.value == bytes else { break }
                    return cache(found, as: name)
                } catch {
                    if case .unanswered = error { continue }
                    // The write may be kept although it is refused, see `KeyValueFault`.
                    guard let found = store.get([key])?.first else { continue }
                    if found.first?.modRevision ?? 0 != revision, found.first?.value == bytes {
                        return cache(found.first, as: name)
                    }
                    throw DiskError("config.put", code: error == .noSpace ? ENOSPC : EACCES)
                }
            }
            throw DiskError("config.lead", code: ESTALE)
        }
    }

    private func cache(_ entry: KeyValue?, as name: String) {
        entries.withLock { entries in
            entries[name] = entry.map { Entry(bytes: $0.value, revision: $0.modRevision) }
        }
    }
}
