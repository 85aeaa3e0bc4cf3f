/// A cache of valid and invalid tokens, so that a repeated token costs no digest. The tokens have
/// been in this process's memory anyway; none is ever written.
///
/// The hash table has a random seed for each process, so lookup times do not help to guess a token.
struct KnownTokens: Sendable {
    /// The number of cached tokens.
    var count: Int { indices.count }

    /// The holder of a token.
    enum Bearer {
        case device(Device)
        case owner
        case nobody
    }

    /// By token, the index of a device, or a constant below 0.
    private var indices: [String: Int] = [:]
    /// The revision of the devices that the indices belong to.
    private var revision: UInt64?

    /// Cached tokens, at most.
    private static let most = 1_024
    /// The longest cached token, in bytes: limits the memory for tokens of unauthenticated clients.
    private static let maxBytes = 64
    private static let ownersIndex = -1
    private static let nobodysIndex = -2

    /// The device of this token.
    mutating func device(bearing token: String, in devices: DeviceBook) -> Device? {
        guard case .device(let device) = bearer(of: token, in: devices, owner: nil) else {
            return nil
        }
        return device
    }

    /// The holder of this token; computes at most one digest.
    ///
    /// - Parameter owner: the digest of the owner's token.
    mutating func bearer(
        of token: String, in devices: DeviceBook, owner: TokenDigest?
    ) -> Bearer {
        if devices.revision != revision { forget(devices.revision) }
        let index = indices[token] ?? search(for: token, in: devices, owner: owner)
        switch index {
        case KnownTokens.ownersIndex: return .owner
        case KnownTokens.nobodysIndex: return .nobody
        default: return .device(devices.devices[index])
        }
    }

    private mutating func search(
        for token: String, in devices: DeviceBook, owner: TokenDigest?
    ) -> Int {
        let digest = TokenDigest(of: token)
        var index = devices.index(of: digest) ?? KnownTokens.nobodysIndex
        if let owner, digest == owner { index = KnownTokens.ownersIndex }
        if token.utf8.count <= KnownTokens.maxBytes {
            if indices.count >= KnownTokens.most { indices.removeAll(keepingCapacity: true) }
            indices[token] = index
        }
        return index
    }

    /// Clears the cache: a device may have been added or removed.
    private mutating func forget(_ revision: UInt64) {
        indices.removeAll()
        self.revision = revision
    }
}

/// The sender of a head that may come again: a client sends the same head again and again on its
/// connection, so its token is looked for and compared once for each connection.
///
/// Only a sender that depends on nothing but the head and the devices is remembered: not on time,
/// as a reminder's token does, nor on a body or an origin.
struct KnownSender: Sendable {
    private let sender: Device
    /// The revision of the devices that it belongs to.
    private let revision: UInt64

    init(_ device: Device, in devices: DeviceBook) {
        (sender, revision) = (device, devices.revision)
    }

    /// The sender, unless a device has changed since.
    func device(in devices: DeviceBook) -> Device? {
        guard devices.revision == revision else { return nil }
        return sender
    }
}
