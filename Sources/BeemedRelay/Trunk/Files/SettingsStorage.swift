package import BeemedDomain

/// Where the small files of a relay are: in its data folder, or in the store of its cluster.
package protocol SettingsStorage: Sendable {
    /// Whether the relays of a cluster share the files.
    var isShared: Bool { get }
    /// The file's bytes; nil without a file.
    func read(_ path: String) throws(DiskError) -> [UInt8]?
    /// Replaces the file, durably.
    func write(_ bytes: [UInt8], to path: String) throws(DiskError)
    /// Removes the file, if there is one.
    func remove(_ path: String) throws(DiskError)
    /// Moves a file to a free name.
    func move(_ path: String, to target: String) throws(DiskError)
    /// The names of the files in a folder; none when there is no such folder.
    func names(in folder: String) -> [String]
}

/// The files of a data folder.
package struct FolderFiles: SettingsStorage {
    package let isShared = false

    /// Files below the folder that each path names.
    package init() {}

    package func read(_ path: String) throws(DiskError) -> [UInt8]? { try PrivateFile.read(path) }

    package func write(_ bytes: [UInt8], to path: String) throws(DiskError) {
        try PrivateFile.write(bytes, to: path)
    }

    package func remove(_ path: String) throws(DiskError) { try PrivateFile.remove(path) }

    package func move(_ path: String, to target: String) throws(DiskError) {
        try PrivateFile.move(path, to: target)
    }

    package func names(in folder: String) -> [String] { PrivateFile.names(in: folder) }
}
