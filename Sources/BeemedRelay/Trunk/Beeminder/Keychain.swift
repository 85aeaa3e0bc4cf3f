/// The account's token in the Keychain, on Apple's systems.
#if canImport(Security)
    import Foundation
    import Security

    /// One entry per data folder. If the Keychain refuses it, a file is used: a relay that was
    /// started without a login session may have no access.
    enum Keychain {
        private static let service = "BeemedRelay"

        /// The entry's bytes; nil when it is missing or inaccessible.
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

        /// - Returns: whether it was written.
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
