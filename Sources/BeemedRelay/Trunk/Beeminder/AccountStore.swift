package import BeemedDomain
import RelayHTTP

/// Storage of the account's token: the Keychain where there is one, else a file that only its owner
/// can read. The token is stored nowhere else.
package struct AccountStore: Sendable {
    private let folder: String

    private var path: String { DataFile.account.path(in: folder) }

    init(folder: String) {
        self.folder = folder
    }

    /// The saved account, if any.
    package func load() throws(Failure) -> ConnectedAccount? {
        #if canImport(Security)
            if let bytes = Keychain.read(folder) {
                return try decode(bytes, from: "the Keychain's entry")
            }
        #endif
        let bytes = try onDisk(
            PrivateFile.read(path), orFail: .ioError, "cannot read \(path)")
        guard let bytes else { return nil }
        return try decode(bytes, from: path)
    }

    /// Saves the account, durably.
    ///
    /// - Throws: `DiskError`; the old one is unchanged.
    func save(_ connected: ConnectedAccount) throws(DiskError) {
        let bytes = connected.jsonFile ?? []
        #if canImport(Security)
            if Keychain.write(bytes, for: folder) { return try PrivateFile.remove(path) }
        #endif
        try PrivateFile.write(bytes, to: path)
    }

    func remove() throws(DiskError) {
        #if canImport(Security)
            Keychain.remove(folder)
        #endif
        try PrivateFile.remove(path)
    }

    /// The saved account, if it has this token, or else the environment's.
    func adopt(_ account: Account) throws(Failure) -> ConnectedAccount {
        if let saved = try load(), saved.account == account { return saved }
        let now = UnixTime(Instant.wallNanoseconds / 1_000_000_000)
        var connected = ConnectedAccount(new: account, at: now)
        connected.isSaved = false
        return connected
    }

    private func decode(_ bytes: [UInt8], from source: String) throws(Failure) -> ConnectedAccount {
        if let connected = ConnectedAccount(json: bytes) { return connected }
        throw Failure(.config, "\(source) is damaged; 'beemed-relay connect' replaces it")
    }
}

#if canImport(Security)
    import Foundation
    import Security

    /// An entry per data folder. If the Keychain refuses, a file is used: a relay that was started
    /// without a login session may have no access.
    enum Keychain {
        private static let service = "BeemedRelay"

        /// The entry's bytes; nil when missing or inaccessible.
        static func read(_ folder: String) -> [UInt8]? {
            var query = entry(folder)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else {
                return nil
            }
            return (found as? Data).map(Array.init)
        }

        /// - Returns: whether the entry was written.
        static func write(_ bytes: [UInt8], for folder: String) -> Bool {
            let value = [kSecValueData as String: Data(bytes)]
            let query = entry(folder)
            if SecItemUpdate(query as CFDictionary, value as CFDictionary) == errSecSuccess {
                return true
            }
            var new = query
            new[kSecValueData as String] = Data(bytes)
            // Readable after a restart, before a login; excluded from backups to other devices.
            new[kSecAttrAccessible as String] =
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            return unsafe SecItemAdd(new as CFDictionary, nil) == errSecSuccess
        }

        static func remove(_ folder: String) {
            _ = SecItemDelete(entry(folder) as CFDictionary)
        }

        private static func entry(_ folder: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service, kSecAttrAccount as String: folder,
            ]
        }
    }
#endif

/// A current or former account, with the relay's own data.
package struct ConnectedAccount: Codable, Sendable, Equatable {
    private enum Names: CodingKey {
        case since, user, verified
    }

    /// The token and its kind.
    package var account: Account
    /// When its token was first given.
    var since: UnixTime
    /// Beeminder's name for the user: confirmed by Beeminder, or claimed with the token.
    package var user: String?
    /// Whether Beeminder has confirmed the user.
    package var isVerified = false
    /// Whether the account is saved; otherwise it comes from the environment.
    var isSaved = true

    /// Why its token cannot be one, in words; nil for a plausible one.
    var tokenFault: String? {
        account.isPlausible ? nil : isSaved ? Account.advice : account.faultOfEnvironment
    }

    /// An account that is not yet known.
    package init(new account: Account, user: String? = nil, at now: UnixTime) {
        self.account = account
        self.user = user
        since = now
    }

    package init(from decoder: any Decoder) throws {
        account = try Account(from: decoder)
        let members = try decoder.container(keyedBy: Names.self)
        since = UnixTime(try members.decode(Int64.self, forKey: .since))
        user = try members.decodeIfPresent(String.self, forKey: .user)
        isVerified = try members.decodeIfPresent(Bool.self, forKey: .verified) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var members = encoder.container(keyedBy: Names.self)
        try members.encode(since.seconds, forKey: .since)
        try members.encodeIfPresent(user, forKey: .user)
        if isVerified { try members.encode(true, forKey: .verified) }
    }

    /// The user of the token, as far as Beeminder has said so.
    var tokenUser: TokenUser {
        guard isVerified, let user else { return .unknown }
        return .named(UpstreamUser(name: user))
    }

    /// Updates the user from Beeminder's answer, or from the claim made with the token.
    package mutating func learn(_ identity: Identity, claimed: String?) {
        switch identity {
        case .named(let named): (user, isVerified) = (named.name, true)
        case .unnamed, .unclear, .faulty, .refused: if !isVerified { user = claimed ?? user }
        }
    }
}
