/// Tokens that were found good or bad, so that the next request with the same one costs no digest.
/// They have been in this process's memory anyway; nothing of them is ever written.
///
/// The table is keyed by a seed that differs with every start, so how long a look takes tells a
/// stranger nothing that would help to guess a token.
struct KnownTokens: Sendable {
    /// How many are remembered.
    var count: Int { places.count }

    /// Whose token it is.
    enum Bearer {
        case device(Device)
        case owner
        case nobody
    }

    /// By token, the place of a device, or one of the places below 0.
    private var places: [String: Int] = [:]
    /// The revision of the devices that the places are good for.
    private var revision: UInt64?

    /// Tokens remembered at most.
    private static let most = 1_024
    /// The longest that is remembered, in bytes: what strangers send is not ours to keep.
    private static let mostBytes = 64
    private static let ownersPlace = -1
    private static let nobodysPlace = -2

    /// The device that this token belongs to.
    mutating func device(bearing token: String, in devices: DeviceBook) -> Device? {
        guard case .device(let device) = bearer(of: token, in: devices, owner: nil) else {
            return nil
        }
        return device
    }

    /// Whose token this is, by one digest at most.
    ///
    /// - Parameter owner: the digest of the owner's token.
    mutating func bearer(
        of token: String, in devices: DeviceBook, owner: TokenDigest?
    ) -> Bearer {
        if devices.revision != revision { forget(devices.revision) }
        let place = places[token] ?? look(for: token, in: devices, owner: owner)
        switch place {
        case KnownTokens.ownersPlace: return .owner
        case KnownTokens.nobodysPlace: return .nobody
        default: return .device(devices.devices[place])
        }
    }

    private mutating func look(
        for token: String, in devices: DeviceBook, owner: TokenDigest?
    ) -> Int {
        let digest = TokenDigest(of: token)
        var place = devices.place(of: digest) ?? KnownTokens.nobodysPlace
        if let owner, digest == owner { place = KnownTokens.ownersPlace }
        if token.utf8.count <= KnownTokens.mostBytes {
            if places.count >= KnownTokens.most { places.removeAll(keepingCapacity: true) }
            places[token] = place
        }
        return place
    }

    /// A device may have been added or removed: every token is looked up anew.
    private mutating func forget(_ revision: UInt64) {
        places.removeAll()
        self.revision = revision
    }
}
