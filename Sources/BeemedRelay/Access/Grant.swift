import RelayHTTP

/// What lets somebody do what lasts: sign a browser in, or begin an authorisation at Beeminder. It
/// lasts no longer than the credentials that it goes back to.
struct Grant: Sendable, Equatable {
    /// The digest of the device's token that it goes back to, in hex; nil for the owner's own.
    var device: String?
    /// The digest of the signed-in browser's cookie, in hex; nil when a token was shown.
    var session: String?

    /// The owner's token.
    static let owner = Grant()
}

extension Access {
    /// What a request was let in by.
    ///
    /// - Parameter device: what `authenticate` has made of the request.
    func grant(_ device: Device, _ request: Request) -> Grant {
        if device.name != Device.owner { return Grant(device: device.tokenHash) }
        guard Credentials.token(in: request) == nil,
            let cookie = Credentials.session(in: request)
        else { return .owner }
        return Grant(device: sessions.device(of: cookie), session: TokenDigest(of: cookie).hex)
    }

    /// Whether a token or cookie with this digest, in hex, is good for anything.
    func isGood(_ digest: String, _ devices: DeviceBook) -> Bool {
        if sessions.holds(digest: digest) { return true }
        return TokenDigest(hex: digest).map { knows($0, devices) } ?? false
    }

    /// Ends everything that goes back to a token or a browser that is let in no longer.
    ///
    /// - Returns: whether browsers were signed out by that.
    mutating func endRevoked(_ devices: DeviceBook) -> Bool {
        let tokens = Set(devices.devices.map(\.tokenHash))
        let hasEnded = sessions.endAll { !tokens.contains($0) }
        let isOver = { [sessions] (grant: Grant) in
            grant.device.map { !tokens.contains($0) } ?? false
                || grant.session.map { !sessions.holds(digest: $0) } ?? false
        }
        links.endAll(where: isOver)
        authorizations.endAll(where: isOver)
        return hasEnded
    }
}
