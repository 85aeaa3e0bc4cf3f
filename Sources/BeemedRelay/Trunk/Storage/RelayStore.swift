package import BeemedDomain
import Foundation
import RelayHTTP

/// The small files beside the journal: devices, account, owner's token, goals.
package struct RelayStore: Sendable {
    /// The data folder.
    package let folder: String
    /// Where the files are: in that folder, or in the store of a cluster.
    package var files: any SettingsStorage

    /// The files of a folder, or of a cluster.
    package init(folder: String, files: any SettingsStorage = FolderFiles()) {
        (self.folder, self.files) = (folder, files)
    }

    private func path(_ file: DataFile) -> String { file.path(in: folder) }

    /// The devices; empty when there is no file. Fails when it cannot be read: a start with an
    /// empty book would lock every device out.
    package func devices() throws(Failure) -> DeviceBook {
        guard let bytes = try read(.devices) else { return DeviceBook() }
        do {
            return try JSONDecoder().decode(DeviceBook.self, from: Data(bytes))
        } catch {
            throw Failure(
                .config,
                "\(path(.devices)) is damaged (\(FileFault(error).words)); repair it or move it "
                    + "away")
        }
    }

    /// The account whose presses are delivered: the one that was given, or else the saved one, each
    /// with what is known of it; nil without either.
    package func account(_ given: Account? = nil) throws(Failure) -> ConnectedAccount? {
        let bytes = try read(.account)
        let saved = bytes.flatMap { ConnectedAccount(json: $0) }
        if bytes != nil, saved == nil, given == nil {
            throw Failure(
                .config, "\(path(.account)) is damaged; 'beemed-relay connect' replaces it")
        }
        guard let given, given != saved?.account else { return saved }
        let now = UnixTime(Instant.wallNanoseconds / 1_000_000_000)
        var connected = ConnectedAccount(new: given, at: now)
        connected.isSaved = false
        return connected
    }

    /// The last saved goals. They are only a cache, so an unreadable file counts as none. A cluster
    /// shares them: in an older list of another machine, a name may be that of another goal.
    package func goals() -> GoalBook { saved(.goals, GoalBook.self) ?? GoalBook() }

    /// The same, if they are the goals of the folder's user. A former user's goals remain after a
    /// crash, and with them everything else that is a user's and not in the journal, also in
    /// leaves.
    func goals(
        of user: FolderUser?, _ log: Log, removing remove: (RelayStore, Log) -> Void
    ) -> GoalBook {
        let book = goals()
        guard let user, book.isOfAnother(than: user) else { return book }
        remove(self, log)
        forgetFormerUser(log)
        let new = GoalBook(of: UpstreamUser(name: user.name, id: user.id))
        save(new, log)
        return new
    }

    /// Forgets what is a user's and not in the journal, but for goals and what leaves keep.
    func forgetFormerUser(_ log: Log) {
        _ = save([String](), as: .pins, log)
    }

    /// The contents of a file that come again or are easily made again; nil without a readable one.
    package func saved<Contents: Decodable>(_ file: DataFile, _ type: Contents.Type) -> Contents? {
        guard let bytes = try? files.read(path(file)) else { return nil }
        return Contents(json: bytes)
    }

    /// The entries of one kind, for a command, which changes nothing.
    package func saved<Entry: BookEntry>(_ type: Entry.Type) -> Book<Entry> {
        saved(Entry.file, Book<Entry>.self) ?? Book()
    }

    /// The contents of a settings file without which the relay runs; empty without a file, or when
    /// a damaged one was set aside, which raises an alarm. Fails when a file that may be whole
    /// cannot be read.
    package func settings<Contents: Decodable>(
        _ file: DataFile, orElse empty: Contents, noting recoveryReport: inout RecoveryReport
    ) throws(Failure) -> Contents {
        let fault: FileFault
        do throws(DiskError) {
            guard let bytes = try files.read(path(file)) else { return empty }
            do { return try JSONDecoder().decode(Contents.self, from: Data(bytes)) } catch {
                fault = FileFault(error)
            }
        } catch {
            guard error.isFolder else {
                throw Failure(.ioError, "cannot read \(path(file)): \(error)")
            }
            fault = FileFault(words: "it is a folder")
        }
        let copy = "quarantine/\(file.rawValue)-\(UInt64.random(in: 0 ... .max))"
        do throws(DiskError) {
            try files.move(path(file), to: "\(folder)/\(copy)")
            recoveryReport.add(
                "\(file.rawValue) is damaged and set aside as \(copy): \(fault.words); make the "
                    + "\(file) anew, or correct it, move it back and start again")
        } catch {
            recoveryReport.add(
                "\(file.rawValue) is damaged, and there are no \(file): \(fault.words), \(error)")
        }
        return empty
    }

    /// A name for a store that has none yet.
    package static var newName: String { UUID().uuidString }

    /// The name of the journal's store, which every segment contains too, so that segments of
    /// another store are detected. Nil before the first start, if never saved, or if the file is
    /// damaged: a wrong name would make segments of another store of the journal's own.
    package func storeName() -> String? {
        guard let bytes = try? files.read(path(.storeName)) else { return nil }
        return UUID(uuidString: RelayStore.firstLine(of: bytes))?.uuidString
    }

    /// Where the journal of this folder was moved; nil when not moved. A relay that began here
    /// again would send what another one has sent, undone or moved since.
    package func movedTo() throws(Failure) -> String? {
        // Of the folder itself, also where its files are in the store of a cluster.
        guard let bytes = try RelayStore(folder: folder).read(.movedTo) else { return nil }
        return RelayStore.firstLine(of: bytes)
    }

    /// Notes where the journal was moved; nil when it is here again.
    package func markMoved(to target: String?) throws(DiskError) {
        guard let target else { return try PrivateFile.remove(path(.movedTo)) }
        try PrivateFile.write(Array("\(target)\n".utf8), to: path(.movedTo))
    }

    /// Saves the store's name. If that fails, only the segments contain it.
    func save(storeName name: String, _ log: Log) {
        _ = write(Array("\(name)\n".utf8), as: .storeName, log)
    }

    /// The owner's token, created at the first start. Fails when the file has something else in it:
    /// the rest of a token would be a password that is easily guessed.
    func ownerToken() throws(Failure) -> String {
        if let token = try token(in: try read(.ownerToken)) { return token }
        let token = Token.random().text
        try write(token, to: .ownerToken)
        return token
    }

    /// The part of the owner's request ids that is created at the first start. Fails when it cannot
    /// be read: a new one would turn resent events into new events.
    func ownerGeneration() throws(Failure) -> DeviceGeneration {
        guard let bytes = try read(.ownerGeneration) else {
            var chance = SystemRandomNumberGenerator()
            let generation = DeviceGeneration.random(using: &chance)
            try write("\(generation)", to: .ownerGeneration)
            return generation
        }
        let text = RelayStore.firstLine(of: bytes)
        guard let generation = DeviceGeneration(rawValue: text) else {
            throw Failure(
                .config, "\(path(.ownerGeneration)) is damaged; repair it or move it away")
        }
        return generation
    }

    private func write(_ line: String, to file: DataFile) throws(Failure) {
        let bytes = Array("\(line)\n".utf8)
        try onDisk(
            files.write(bytes, to: path(file)), orFail: .ioError, "cannot write \(path(file))")
    }

    private func read(_ file: DataFile) throws(Failure) -> [UInt8]? {
        try onDisk(files.read(path(file)), orFail: .ioError, "cannot read \(path(file))")
    }

    /// The owner's token, if it was created and can be read.
    package func savedOwnerToken() throws(Failure) -> String? {
        try token(in: (try? files.read(path(.ownerToken))) ?? nil)
    }

    /// The token in the owner's file, whatever an editor has put around it; nil when there is none.
    private func token(in bytes: [UInt8]?) throws(Failure) -> String? {
        guard let bytes, !bytes.allSatisfy(\.isBlank) else { return nil }
        guard let token = Token(RelayStore.content(of: bytes)) else {
            throw Failure(
                .config,
                "\(path(.ownerToken)) is damaged; repair it or move it away: then the next start "
                    + "makes another token")
        }
        return token.text
    }

    /// The first line of a file that is not blank, without white space and byte order mark.
    private static func content(of bytes: [UInt8]) -> String {
        let lines = bytes.split(separator: 0x0A).lazy
            .map { String(decoding: $0, as: UTF8.self).trimmed }
        let line = lines.first { !$0.isEmpty } ?? ""
        return line.hasPrefix("\u{FEFF}") ? String(line.dropFirst()) : line
    }

    private static func firstLine(of bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// Whether a relay has run here: its first start creates the owner's token, readable or not.
    package var isUsed: Bool {
        do throws(DiskError) {
            return try files.read(path(.ownerToken)).map { !$0.allSatisfy(\.isBlank) } ?? false
        } catch { return true }
    }

    /// Whether this folder was never used.
    package var isNew: Bool { (try? files.read(path(.devices))) == .some(nil) }

    /// Saves the account, or removes it, and returns whether that is on the disk. Only its owner can
    /// read that file, and the token is stored nowhere else.
    package func save(_ account: ConnectedAccount?, _ log: Log) -> Bool {
        if let account { return save(account, as: .account, log) }
        do throws(DiskError) {
            try files.remove(path(.account))
            return true
        } catch {
            log.error("the account was not removed", [("cause", error.cause)])
            return false
        }
    }

    /// Saves the goals for the next start, and returns whether they are on the disk.
    @discardableResult func save(_ goals: GoalBook, _ log: Log) -> Bool {
        save(goals, as: .goals, log)
    }

    /// Saves the contents of a file, and returns whether they are on the disk.
    package func save(_ value: some Encodable, as file: DataFile, _ log: Log) -> Bool {
        value.jsonFile.map { write($0, as: file, log) } ?? false
    }

    private func write(_ bytes: [UInt8], as file: DataFile, _ log: Log) -> Bool {
        do throws(DiskError) {
            try files.write(bytes, to: path(file))
            return true
        } catch {
            log.error("not saved", [("file", path(file)), ("cause", error.cause)])
            return false
        }
    }
}
