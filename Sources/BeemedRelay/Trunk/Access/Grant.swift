import BeemedDomain
import RelayHTTP

/// The credentials behind a lasting operation: a sign-in link, or an authorization at Beeminder. It
/// ends when they are revoked.
package struct Grant: Sendable, Equatable {
    /// The digest of the device's token, in hex; nil for the owner's token.
    var device: String?
    /// The digest of the session cookie, in hex; nil when a token was used.
    var session: String?

    static let owner = Grant()
}

extension Access {
    /// The credentials that authenticated a request of this device.
    func grant(_ device: Device, _ request: Request, _ context: RequestContext) -> Grant {
        if device.name != Device.owner { return Grant(device: device.tokenHash) }
        guard !context.isIngress, Credentials.token(in: request) == nil,
            let cookie = session(in: request)
        else { return .owner }
        return Grant(device: sessions.device(of: cookie), session: TokenDigest(of: cookie).hex)
    }

    /// Whether the sender of a request may still do what its request asks for.
    func isGood(_ sender: Device) -> Bool {
        sender.name == Device.button || isGood(sender.tokenHash)
    }

    func isGood(_ digest: String) -> Bool {
        if sessions.holds(digest: digest) { return true }
        return TokenDigest(hex: digest).map { knows($0) } ?? false
    }

    /// Ends everything that depends on a revoked token or session, or on one that may not manage any
    /// more; true if sessions ended.
    mutating func endRevoked() -> Bool {
        let managing = devices.devices.filter { $0.rights.contains(.manage) }
        let tokens = Set(managing.map(\.tokenHash))
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
