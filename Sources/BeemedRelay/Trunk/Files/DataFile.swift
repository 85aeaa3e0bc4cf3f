package import BeemedDomain

/// The files of a data folder beside those of the journal, the history and the health data.
package enum DataFile: String, CaseIterable, Sendable {
    case config = "config.json"
    case devices = "devices.json"
    case presets = "presets.json"
    case rules = "rules.json"
    case reminders = "reminders.json"
    case sentReminders = "sent-reminders.json"
    case pins = "pins.json"
    case sessions = "sessions.json"
    case ownerToken = "owner-token"
    case ownerGeneration = "owner-generation"
    case account = "account.json"
    case goals = "goals.json"
    case lastSeen = "last-seen.json"
    case seenMetrics = "seen-metrics.json"
    case storeName = "store"
    case movedTo = "moved-to"
    case firstSteps = "first-steps"
    case lock

    /// Whether all relays of a cluster share the file, which is in its store then.
    package var isShared: Bool {
        switch self {
        case .devices, .presets, .rules, .reminders, .sentReminders, .pins, .sessions,
            .ownerToken, .ownerGeneration, .goals:
            true
        case .lastSeen, .seenMetrics, .storeName, .config, .account, .movedTo, .firstSteps,
            .lock:
            false
        }
    }

    /// The file's path in a data folder.
    package func path(in folder: String) -> String { "\(folder)/\(rawValue)" }
}

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
