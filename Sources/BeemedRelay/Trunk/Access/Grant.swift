import BeemedDomain
import RelayHTTP

/// The credentials behind a sign-in link or an authorization at Beeminder, which end with them.
package struct Grant: Sendable, Equatable {
    /// The digest of the device's token; nil for the owner's token.
    var device: TokenDigest?
    /// The digest of the session cookie; nil when a token was used.
    var session: TokenDigest?

    static let owner = Grant()
}

extension Access {
    /// The credentials that authenticated a request of this device.
    func grant(_ device: Device, _ request: Request, _ context: RequestContext) -> Grant {
        if device.name != .owner { return Grant(device: device.tokenHash) }
        guard !context.isIngress, Credentials.token(in: request) == nil,
            let cookie = session(in: request)
        else { return .owner }
        return Grant(device: sessions.device(of: cookie), session: TokenDigest(of: cookie))
    }

    /// Whether the sender of a request may still do what its request asks for.
    func isGood(_ sender: Device) -> Bool {
        sender.name == .button || isGood(sender.tokenHash)
    }

    func isGood(_ digest: TokenDigest) -> Bool {
        sessions.holds(digest: digest) || bearer(of: digest) != nil
    }

    /// Ends what depends on a token or session that is revoked or may not manage; true if sessions
    /// end.
    func endRevoked() -> Bool {
        let tokens = devices.digests(of: .manage)
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
