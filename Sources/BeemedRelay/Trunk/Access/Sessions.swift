package import BeemedDomain

/// The owner's browser sessions, as stored in `sessions.json`: only the digests of the cookies, so
/// that a stolen file gives no access.
package struct Sessions: Codable, Sendable {
    private struct Session: Codable {
        var tokenHash: TokenDigest
        var begun: Int64
        /// The digest of the device token that created the link: the session ends with that token.
        /// Nil for the owner's token.
        var device: TokenDigest?

        func isAlive(at now: UnixTime) -> Bool { now < UnixTime(begun).adding(Sessions.lifetime) }
    }

    private var sessions: [Session] = []

    /// Lifetime of a session, in seconds: as long as browsers keep a cookie.
    static let lifetime: Int64 = 400 * 86_400
    /// Sessions, at most; beyond that the oldest ends.
    private static let maxSessions = 64

    /// No sessions.
    package init() {}

    /// Whether there are no sessions.
    package var isEmpty: Bool { sessions.isEmpty }

    /// Begins a session, which ends with the device token that permits it. The token returned is
    /// the cookie's value. Expired sessions are not removed here: a clock that is far ahead for
    /// once would remove all of them for ever.
    mutating func begin(at now: UnixTime, device: TokenDigest? = nil) -> Token {
        let token = Token.random()
        if sessions.count >= Sessions.maxSessions { sessions.removeFirst() }
        sessions.append(Session(tokenHash: token.digest, begun: now.seconds, device: device))
        return token
    }

    /// Whether this is the cookie of a valid session.
    package func holds(_ token: String, at now: UnixTime) -> Bool {
        let digest = TokenDigest(of: token)
        return sessions.contains { $0.tokenHash == digest && $0.isAlive(at: now) }
    }

    func device(of token: String) -> TokenDigest? {
        let digest = TokenDigest(of: token)
        return sessions.first { $0.tokenHash == digest }?.device
    }

    func holds(digest: TokenDigest) -> Bool { sessions.contains { $0.tokenHash == digest } }

    mutating func end(_ token: String) {
        let digest = TokenDigest(of: token)
        sessions.removeAll { $0.tokenHash == digest }
    }

    /// Ends the sessions whose device token matches; true if there were any.
    mutating func endAll(where isOver: (TokenDigest) -> Bool) -> Bool {
        let count = sessions.count
        sessions.removeAll { $0.device.map(isOver) ?? false }
        return sessions.count != count
    }
}

/// Secrets that permit something once and until their end, only in memory: the codes of sign-in
/// links, and the states of authorizations at Beeminder.
package struct OneTimeSecrets: Sendable {
    private struct Secret: Sendable {
        let digest: TokenDigest
        let until: Monotonic
        let by: Grant
    }

    private var secrets: [Secret] = []
    let lifetime: Double
    /// Secrets, at most; beyond that the oldest becomes invalid.
    private let maxSecrets: Int

    /// The codes of sign-in links.
    package static let links = OneTimeSecrets(lifetime: 900, maxSecrets: 16)

    /// The states of authorizations at Beeminder that this relay began. The browser must return the
    /// cookie of one: another site's page could otherwise send it here with that site's token, and
    /// all presses would go to a foreign account (RFC 6749 section 10.12).
    static let authorizations = OneTimeSecrets(lifetime: 600, maxSecrets: 8)

    private init(lifetime: Double, maxSecrets: Int) {
        (self.lifetime, self.maxSecrets) = (lifetime, maxSecrets)
    }

    /// Creates a secret that these credentials permit.
    mutating func offer(at now: Monotonic, by grant: Grant) -> String {
        let text = Token.random().text
        secrets.removeAll { $0.until <= now }
        if secrets.count >= maxSecrets { secrets.removeFirst() }
        secrets.append(
            Secret(digest: TokenDigest(of: text), until: now.adding(seconds: lifetime), by: grant))
        return text
    }

    /// Creates the code of a link, and returns the path and query to open in a browser.
    package mutating func offerLink(at now: Monotonic, by grant: Grant = .owner) -> String {
        "/login?code=\(offer(at: now, by: grant))"
    }

    /// The credentials that permit a secret; nil when it is not valid.
    func grant(of text: String, at now: Monotonic) -> Grant? {
        index(of: text).map { secrets[$0] }.flatMap { $0.until > now ? $0.by : nil }
    }

    /// Removes a secret: it can never be used again.
    mutating func remove(_ text: String) {
        if let index = index(of: text) { secrets.remove(at: index) }
    }

    private func index(of text: String) -> Int? {
        let digest = TokenDigest(of: text)
        return secrets.firstIndex { $0.digest == digest }
    }

    mutating func endAll(where isOver: (Grant) -> Bool) {
        secrets.removeAll { isOver($0.by) }
    }
}
