import BeemedDomain

/// Authorisations at Beeminder that were begun here and are not over. Whoever comes back must show
/// the cookie of one: a page of somebody else could otherwise send a browser here with a token of
/// its own, and all presses would go to a stranger (RFC 6749 section 10.12).
struct Authorizations: Sendable {
    private struct Begun {
        var state: TokenDigest
        var until: Monotonic
        var by: Grant
    }

    private var begun: [Begun] = []

    /// How long one may take, in seconds.
    static let lifetime = 600.0
    /// The name of the cookie.
    static let cookie = "beemed-oauth"
    /// Authorisations at once; past it the oldest is void.
    private static let most = 8

    /// Begins one.
    ///
    /// - Parameter by: what lets somebody begin it.
    /// - Returns: its state, for the cookie and for Beeminder.
    mutating func begin(at now: Monotonic, by grant: Grant) -> String {
        let state = Token.random().text
        if begun.count >= Authorizations.most { begun.removeFirst() }
        begun.append(
            Begun(
                state: TokenDigest(of: state), until: now.adding(seconds: Authorizations.lifetime),
                by: grant))
        return state
    }

    /// Whether the one with this state is under way.
    func isUnderWay(_ state: String, at now: Monotonic) -> Bool {
        let digest = TokenDigest(of: state)
        return begun.contains { $0.state == digest && $0.until > now }
    }

    /// Ends those whose grant is over.
    mutating func endAll(where isOver: (Grant) -> Bool) {
        begun.removeAll { isOver($0.by) }
    }

    /// Ends the one with this state: it can never be used again.
    mutating func end(_ state: String) {
        let digest = TokenDigest(of: state)
        begun.removeAll { $0.state == digest }
    }
}
