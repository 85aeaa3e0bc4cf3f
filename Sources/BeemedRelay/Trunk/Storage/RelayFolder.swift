package import BeemedDomain
package import RelayHTTP

/// The data folder, locked by this process, with its small files.
package struct RelayFolder: Sendable {
    /// The lock on the folder.
    package let folder: DataFolder
    /// Its small files.
    package let store: RelayStore

    /// Locks the folder.
    package init(_ path: String) throws(Failure) {
        if PrivateFile.size(of: path) != nil {
            throw Failure(.usage, "\(path) is a file; name a folder with --data")
        }
        if let words = RelayFolder.foreignUse(of: path) {
            throw Failure(
                .usage,
                "\(words); name a folder of its own, as in --data "
                    + "\(path == "/" ? "" : path)/beemed-relay-data")
        }
        do throws(DataFolderError) {
            folder = try DataFolder(path: path, note: "\(DataFolder.process)\n")
        } catch {
            throw error.failure(path)
        }
        store = RelayStore(folder: path)
    }

    /// That a folder is in use for something else, in words, as when a word is missing in a path.
    package static func foreignUse(of path: String) -> String? {
        let names = PrivateFile.names(in: path).filter { !isOfSystem($0) }
        guard !names.isEmpty, !names.contains(where: ownNames.contains) else { return nil }
        return "\(path) holds other files, and nothing of a relay"
    }

    /// Names of which a folder that a relay has used, or that was prepared for one, has some.
    private static let ownNames = Set(
        StoredFile.Folder.allCases.map(\.rawValue) + DataFile.allCases.map(\.rawValue) + ["health"])

    /// Whether systems put such a name into each volume or share, as a NAS its `#recycle`.
    private static func isOfSystem(_ name: String) -> Bool {
        name.first.map(".@#$".contains) ?? true
            || ["lost+found", "aquota.user", "aquota.group", "Thumbs.db"].contains(name)
            || name == "System Volume Information"
    }

    /// The failure when another relay, whose lock file has this note, uses the folder.
    package static func inUse(by note: String, _ path: String) -> Failure {
        let holder = note.split(separator: "\n").first.map { " (process \($0))" } ?? ""
        return Failure(
            .tempFail, "another relay\(holder) uses \(path); 'beemed-relay status' shows it")
    }

    /// Writes the relay's addresses to the lock file: for this machine, and as it was told to
    /// listen.
    package func announce(_ endpoint: Endpoint) {
        try? folder.write(note: "\(DataFolder.process)\n\(endpoint.reachable)\n\(endpoint)\n")
    }
}

extension RelayStore {
    /// Creates the first device, or replaces its token, and returns that.
    package func firstDevice(log: Log) throws(Failure) -> String {
        var devices = try devices()
        guard
            let token = devices["first"] == nil
                ? try? devices.add(name: "first", rights: ["log", "read"], goals: nil)
                : try? devices.rotate("first"),
            save(devices, as: .devices, log)
        else { throw Failure(.ioError, "the first device could not be saved in \(folder)") }
        return token.text
    }
}

extension Failure {
    /// There is no journal in a folder, as far as this user can see.
    package static func noJournal(in folder: String, _ more: String = "") -> Failure {
        guard DataFolder.isClosedToUs(folder) else {
            return Failure(.noInput, "\(folder) holds no journal\(more)")
        }
        return .closed(folder)
    }

    /// The folder is another user's.
    package static func closed(_ folder: String) -> Failure {
        Failure(
            .noPermission,
            "you may not look into \(folder); run this as the user of the relay, or with sudo")
    }
}

extension DataFolderError {
    fileprivate func failure(_ path: String) -> Failure {
        switch self {
        case .inUse(let note): return RelayFolder.inUse(by: note, path)
        case .unsafePermissions(let advice): return Failure(.noPermission, advice)
        case .unusable(let error) where error.isNotPermitted:
            return Failure(
                .osError,
                "cannot use \(path): \(error); make it yours, or choose another one with --data")
        case .unusable(let error): return Failure(.osError, "cannot use \(path): \(error)")
        }
    }
}
