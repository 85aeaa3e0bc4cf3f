import BeemedDomain

/// Pending authorizations at Beeminder that this relay began. The browser must return the cookie of
/// one: another site's page could otherwise send it here with that site's token, and all presses
/// would go to a foreign account (RFC 6749 section 10.12).
struct Authorizations: Sendable {
    private struct Begun {
        var state: TokenDigest
        var until: Monotonic
        var by: Grant
    }

    private var begun: [Begun] = []

    /// Lifetime of one, in seconds.
    static let lifetime = 600.0
    static let cookie = "beemed-oauth"
    /// Simultaneous authorizations, at most; beyond that the oldest is dropped of the token that
    /// has begun most of them.
    private static let most = 8

    /// Begins one.
    ///
    /// - Parameter by: the credentials that permit this.
    /// - Returns: its state, for the cookie and for Beeminder.
    mutating func begin(at now: Monotonic, by grant: Grant) -> String {
        let state = Token.random().text
        begun.removeAll { $0.until <= now }
        if begun.count >= Authorizations.most {
            begun.remove(at: Grant.yielding(begun.map(\.by.device), to: grant.device))
        }
        begun.append(
            Begun(
                state: TokenDigest(of: state), until: now.adding(seconds: Authorizations.lifetime),
                by: grant))
        return state
    }

    /// Whether the authorization with this state is pending.
    func isUnderWay(_ state: String, at now: Monotonic) -> Bool {
        let digest = TokenDigest(of: state)
        return begun.contains { $0.state == digest && $0.until > now }
    }

    /// Ends those whose grant was revoked.
    mutating func endAll(where isOver: (Grant) -> Bool) {
        begun.removeAll { isOver($0.by) }
    }

    /// Ends the one with this state: it can never be used again.
    mutating func remove(_ state: String) {
        let digest = TokenDigest(of: state)
        begun.removeAll { $0.state == digest }
    }
}
