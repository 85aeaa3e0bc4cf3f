import BeemedDomain

/// Browsers that the owner has signed in, as they are kept in `sessions.json`: by the digests of
/// their cookies, so that the file is of no use to a thief.
struct Sessions: Codable, Sendable {
    private struct Session: Codable {
        var tokenHash: String
        /// Unix seconds.
        var begun: Int64
    }

    private var sessions: [Session] = []

    /// How long a browser stays signed in, in seconds: as long as browsers keep a cookie.
    static let lifetime: Int64 = 400 * 86_400
    /// Browsers at most; past it the one that signed in first is signed out.
    private static let most = 64

    init() {}

    /// Whether nobody is signed in.
    var isEmpty: Bool { sessions.isEmpty }

    /// Begins one.
    ///
    /// - Returns: what the browser is to show from now on.
    mutating func begin(at now: UnixTime) -> Token {
        let token = Token.random()
        sessions.removeAll { !Sessions.isAlive($0, now) }
        if sessions.count >= Sessions.most { sessions.removeFirst() }
        sessions.append(Session(tokenHash: token.hash, begun: now.seconds))
        return token
    }

    /// Whether this is what a signed-in browser shows.
    func holds(_ token: String, at now: UnixTime) -> Bool {
        let digest = TokenDigest(of: token)
        return sessions.contains {
            TokenDigest(hex: $0.tokenHash) == digest && Sessions.isAlive($0, now)
        }
    }

    /// Ends the one that shows this.
    mutating func end(_ token: String) {
        let digest = TokenDigest(of: token)
        sessions.removeAll { TokenDigest(hex: $0.tokenHash) == digest }
    }

    private static func isAlive(_ session: Session, _ now: UnixTime) -> Bool {
        now.seconds - session.begun < lifetime
    }
}

/// Links that sign a browser in, each once and for a quarter of an hour. They live in memory
/// alone: after a restart there are new ones.
struct SignInLinks: Sendable {
    private var links: [(code: TokenDigest, until: Monotonic)] = []

    /// How long a link is good, in seconds.
    static let lifetime = 900.0
    /// Links at most; past it the oldest is void.
    private static let most = 16

    /// A new one.
    ///
    /// - Returns: the path and query that a browser is to open.
    mutating func offer(at now: Monotonic) -> String {
        let code = Token.random().text
        if links.count >= SignInLinks.most { links.removeFirst() }
        links.append((TokenDigest(of: code), now.adding(seconds: SignInLinks.lifetime)))
        return "/login?code=\(code)"
    }

    /// Takes a code, which is void from now on.
    ///
    /// - Returns: whether it was good.
    mutating func redeem(_ code: String, at now: Monotonic) -> Bool {
        links.removeAll { $0.until <= now }
        let digest = TokenDigest(of: code)
        guard let index = links.firstIndex(where: { $0.code == digest }) else { return false }
        links.remove(at: index)
        return true
    }
}
