/// Tokens that were found good, so that a device's next request costs no digest. They have been in
/// this process's memory anyway; nothing of them is ever written.
///
/// The table is keyed by a seed that differs with every start, so how long a look takes tells a
/// stranger nothing that would help to guess a token.
struct KnownTokens: Sendable {
    private var places: [String: Int] = [:]
    /// The revision of the devices that the places are good for.
    private var revision: UInt64?

    /// Tokens remembered at most.
    private static let most = 1_024

    /// The device that this token belongs to.
    mutating func device(bearing token: String, in devices: DeviceBook) -> Device? {
        if devices.revision != revision { forget(devices.revision) }
        if let place = places[token] { return devices.devices[place] }
        guard let place = devices.place(of: TokenDigest(of: token)) else { return nil }
        if places.count >= KnownTokens.most { places.removeAll() }
        places[token] = place
        return devices.devices[place]
    }

    /// A device may have been added or removed: every token is looked up anew.
    private mutating func forget(_ revision: UInt64) {
        places.removeAll()
        self.revision = revision
    }
}
