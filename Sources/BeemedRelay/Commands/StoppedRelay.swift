import BeemedDomain
import RelayTrunk

/// The data folder of a relay that does not run, for commands that change its files themselves.
enum StoppedRelay {
    /// Performs changes while the folder is locked, from the first read to the last write: a relay
    /// that starts meanwhile, or another command, would overwrite them, or be overwritten.
    static func change<Result>(
        _ folder: String, _ body: (RelayStore) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try check(folder)
        let isNew = PrivateFile.names(in: folder).isEmpty
        let locked = try RelayFolder(folder)
        defer { locked.folder.release() }
        if isNew { Console.notice("made the data folder \(folder), which is new") }
        return try body(locked.store)
    }

    static func check(_ folder: String) throws(Failure) {
        let owner = FolderOwner.of(folder)
        if let advice = advice(folder, owner: owner, user: FolderOwner.user) {
            throw Failure(.noPermission, advice)
        }
    }

    /// The advice to root about a folder that is another user's: files that root writes there would
    /// be closed to the relay. Nil for other users, whose refusal says what they can do.
    static func advice(_ folder: String, owner: UInt32?, user: UInt32) -> String? {
        guard user == 0, let owner, owner != 0 else { return nil }
        guard DataFolderLocator.isOfService(folder) else {
            return "\(folder) belongs to another user; run this as that user, as in: "
                + "sudo -u '#\(owner)' beemed-relay ..."
        }
        return "the service is stopped, and only it may write to \(folder); start the service "
            + "first: systemctl start \(DataFolderLocator.unit)"
    }
}
