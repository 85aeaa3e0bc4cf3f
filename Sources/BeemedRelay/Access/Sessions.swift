import BeemedDomain

/// Browsers that the owner has signed in, as they are kept in `sessions.json`: by the digests of
/// their cookies, so that the file is of no use to a thief.
struct Sessions: Codable, Sendable {
    private struct Session: Codable {
        var tokenHash: String
        /// Unix seconds.
        var begun: Int64
        /// The digest of the device's token by which the link was made, in hex: the session ends
        /// with that token. Nil for the owner's own.
        var device: String?
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
    /// - Parameter device: the digest of the device's token that it goes back to, in hex.
    /// - Returns: what the browser is to show from now on.
    mutating func begin(at now: UnixTime, device: String? = nil) -> Token {
        let token = Token.random()
        sessions.removeAll { !Sessions.isAlive($0, now) }
        if sessions.count >= Sessions.most { sessions.removeFirst() }
        sessions.append(Session(tokenHash: token.hash, begun: now.seconds, device: device))
        return token
    }

    /// Whether this is what a signed-in browser shows.
    func holds(_ token: String, at now: UnixTime) -> Bool {
        let digest = TokenDigest(of: token)
        return sessions.contains {
            TokenDigest(hex: $0.tokenHash) == digest && Sessions.isAlive($0, now)
        }
    }

    /// The digest of the device's token that the session with this cookie goes back to.
    func device(of token: String) -> String? {
        let digest = TokenDigest(of: token)
        return sessions.first { TokenDigest(hex: $0.tokenHash) == digest }?.device
    }

    /// Whether there is one with a cookie of this digest, in hex.
    func holds(digest: String) -> Bool { sessions.contains { $0.tokenHash == digest } }

    /// Ends those that go back to a device's token of such a digest.
    ///
    /// - Returns: whether there were any.
    mutating func endAll(where isOver: (String) -> Bool) -> Bool {
        let count = sessions.count
        sessions.removeAll { $0.device.map(isOver) ?? false }
        return sessions.count != count
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
    private var links: [(code: TokenDigest, until: Monotonic, by: Grant)] = []

    /// How long a link is good, in seconds.
    static let lifetime = 900.0
    /// Links at most; past it the oldest is void.
    private static let most = 16

    /// A new one.
    ///
    /// - Parameter by: what lets somebody have it.
    /// - Returns: the path and query that a browser is to open.
    mutating func offer(at now: Monotonic, by grant: Grant = .owner) -> String {
        let code = Token.random().text
        if links.count >= SignInLinks.most { links.removeFirst() }
        links.append((TokenDigest(of: code), now.adding(seconds: SignInLinks.lifetime), grant))
        return "/login?code=\(code)"
    }

    /// Takes a code, which is void from now on.
    ///
    /// - Returns: what it goes back to; nil when it was not good.
    mutating func redeem(_ code: String, at now: Monotonic) -> Grant? {
        links.removeAll { $0.until <= now }
        let digest = TokenDigest(of: code)
        guard let index = links.firstIndex(where: { $0.code == digest }) else { return nil }
        return links.remove(at: index).by
    }

    /// Makes those void whose grant is over.
    mutating func endAll(where isOver: (Grant) -> Bool) {
        links.removeAll { isOver($0.by) }
    }
}
