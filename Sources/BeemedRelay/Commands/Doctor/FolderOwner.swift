import BeemedDomain
import RelayTrunk

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The user who owns a data folder, and so the one as whom a relay runs on it.
enum FolderOwner {
    /// The user's id; nil when there is no such folder.
    static func of(_ folder: String) -> UInt32? {
        status(folder).map { UInt32($0.st_uid) }
    }

    /// Why a start on this folder would be refused or could not write, one sentence each. For root,
    /// and while a relay runs on it, a start is one by the folder's owner: the service's user is
    /// another one than that of the command.
    ///
    /// - Parameter user: the one that runs the command.
    static func startBlockers(at folder: String, user: UInt32 = UInt32(geteuid())) -> [String] {
        // Its rights are those that its other files need.
        if let words = RelayFolder.foreignUse(of: folder) {
            return ["a start would be refused: \(words)"]
        }
        guard let owner = of(folder), owner != user,
            user == 0 || DataFolder.holder(of: folder) != nil
        else { return DataFolder.startBlockers(at: folder) }
        let folders = StoredFile.Folder.allCases.map { "\(folder)/\($0.rawValue)" }
        return ([folder] + folders).compactMap { blocker(at: $0, owner: owner) }
    }

    /// Why this folder would stop its owner; nil when it does not, or is missing, so that a start
    /// makes it.
    private static func blocker(at folder: String, owner: UInt32) -> String? {
        guard let status = status(folder) else { return nil }
        let refused = "a start would be refused: "
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(refused)\(folder) is no folder" }
        guard UInt32(status.st_uid) == owner else {
            return "\(refused)\(folder) belongs to another user than the data folder; run: "
                + "chown -R \(owner) '\(folder)'"
        }
        guard status.st_mode & 0o022 == 0 else {
            return "\(refused)others may write to \(folder); run: chmod 700 \(folder)"
        }
        let isReadOnly = unsafe access(folder, W_OK | X_OK) != 0 && errno == EROFS
        guard status.st_mode & 0o700 == 0o700, !isReadOnly else {
            return "nothing can be written to \(folder), so a start would accept nothing or be "
                + "refused"
        }
        return nil
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }
}
