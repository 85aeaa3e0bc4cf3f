import BeemedDomain
import Foundation
import RelayHTTP

/// Where the account's token is kept: in the Keychain where there is one, else in a file that only
/// its owner may read. It stands nowhere else.
struct AccountStore: Sendable {
    private let folder: String

    private var path: String { "\(folder)/account.json" }
    private var environmentPath: String { "\(folder)/environment-account.json" }

    /// The account that belongs to a data folder.
    init(folder: String) {
        self.folder = folder
    }

    /// The saved account, if there is one.
    ///
    /// - Throws: `Failure` when there is one and it cannot be read.
    func load() throws(Failure) -> ConnectedAccount? {
        #if canImport(Security)
            if let bytes = Keychain.read(folder) {
                return try decode(bytes, from: "the Keychain's entry")
            }
        #endif
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try PrivateFile.read(path)
        } catch {
            throw Failure(.ioError, "cannot read \(path): \(error)")
        }
        guard let bytes else { return nil }
        return try decode(bytes, from: path)
    }

    /// Saves the account, durably.
    ///
    /// - Throws: `DiskError` when it cannot be; the old one is still there.
    func save(_ connected: ConnectedAccount) throws(DiskError) {
        let bytes = AccountStore.encode(connected)
        #if canImport(Security)
            if Keychain.write(bytes, for: folder) { return try PrivateFile.remove(path) }
        #endif
        try PrivateFile.write(bytes, to: path)
    }

    /// Forgets the account.
    func remove() throws(DiskError) {
        #if canImport(Security)
            Keychain.remove(folder)
        #endif
        try PrivateFile.remove(path)
    }

    /// What is known of an account that somebody gives: the same token keeps its name, over
    /// restarts too.
    func known(_ account: Account) throws(Failure) -> ConnectedAccount? {
        if let saved = try load(), saved.account == account { return saved }
        guard let bytes = try? PrivateFile.read(environmentPath),
            let remembered = try? JSONDecoder().decode(RememberedAccount.self, from: Data(bytes)),
            remembered.isOf(account)
        else { return nil }
        var connected = ConnectedAccount(new: account, at: UnixTime(remembered.since))
        connected.name = remembered.connection
        connected.isSaved = false
        return connected
    }

    /// The environment's account under the name that it has, or gets now. Only the name and a
    /// digest are written down, and where there is no room for them the next start gives it the
    /// same name all the same: what is accepted under a name that nobody knows would wait for ever.
    func adopt(_ account: Account) throws(Failure) -> ConnectedAccount {
        if let known = try known(account) { return known }
        let now = UnixTime(Instant.wallNanoseconds / 1_000_000_000)
        var connected = ConnectedAccount(new: account, at: now)
        connected.name = ConnectedAccount.lastingName(of: account)
        connected.isSaved = false
        try? PrivateFile.write(
            AccountStore.encode(RememberedAccount(connected)), to: environmentPath)
        return connected
    }

    private func decode(_ bytes: [UInt8], from place: String) throws(Failure) -> ConnectedAccount {
        let decoder = JSONDecoder()
        if let connected = try? decoder.decode(ConnectedAccount.self, from: Data(bytes)) {
            return connected
        }
        throw Failure(.config, "\(place) is damaged; 'beemed-relay connect' replaces it")
    }

    private static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return (try? encoder.encode(value)).map(Array.init) ?? []
    }
}
