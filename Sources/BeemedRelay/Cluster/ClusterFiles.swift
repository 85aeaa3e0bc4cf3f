import BeemedDomain
import RelayTrunk
import Synchronization

/// The small files of a relay as keys of its cluster's store, which the leader alone writes.
///
/// Files that only ease a start stay in the data folder of each machine, and so does the account.
final class ClusterFiles: SettingsStorage {
    let isShared = true
    private let prefix: String
    /// Used by one thread at a time: a later state must not be written before an earlier one.
    private let site: Mutex<ClusterSite>
    /// The contents of the store, by name. Reading never waits for the network.
    private let entries: Mutex<[String: KeyValue]>
    private let local = FolderFiles()

    /// Reads all files.
    init(_ site: ClusterSite, folder: String) throws(StoreFault) {
        prefix = "\(folder)/"
        var found: [String: KeyValue] = [:]
        for entry in try site.get(site.keys.settings) {
            found[site.keys.settingName(entry.key)] = entry
        }
        entries = Mutex(found)
        self.site = Mutex(site)
    }

    /// The name of a file of the store; nil for one of this machine.
    private func name(_ path: String) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let name = String(path.dropFirst(prefix.count))
        return DataFile(rawValue: name)?.isShared == false ? nil : name
    }

    // MARK: Files

    func read(_ path: String) throws(DiskError) -> [UInt8]? {
        guard let name = name(path) else { return try local.read(path) }
        return entries.withLock { $0[name]?.value }
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
        let path = "\(folder)/"
        return entries.withLock { $0.keys.map { prefix + $0 } }
            .filter { $0.hasPrefix(path) }.map { String($0.dropFirst(path.count)) }
    }

    /// Writes a value; nil removes it.
    private func change(_ name: String, to bytes: [UInt8]?) throws(DiskError) {
        try site.withLock { (site) throws(DiskError) in
            let key = site.keys.setting(name)
            let change = bytes.map { Transaction.Change.put(key, $0) } ?? .delete(KeyRange(key))
            let revision = entries.withLock { $0[name]?.revision ?? 0 }
            do throws(ClusterSite.WriteFault) {
                let written = try site.write(bytes, to: key, of: revision, [change])
                entries.withLock { entries in
                    entries[name] = bytes.map { KeyValue(key, $0, revision: written) }
                }
            } catch {
                switch error {
                case .deposed, .conflict: throw DiskError("config.lead", code: DiskError.stale)
                case .refused(.noSpace, _): throw DiskError("config.put", code: DiskError.noSpace)
                case .refused: throw DiskError("config.put", code: DiskError.denied)
                }
            }
        }
    }
}
