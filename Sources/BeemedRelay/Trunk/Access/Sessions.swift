package import BeemedDomain

/// The owner's browser sessions, as stored in `sessions.json`: only the digests of the cookies, so
/// that a stolen file gives no access.
package struct Sessions: Codable, Sendable {
    private struct Session: Codable {
        /// The digest of its cookie, in hex.
        var tokenHash: String
        /// Unix seconds.
        var begun: Int64
        /// The digest of the device token that created the link, in hex: the session ends with that
        /// token. Nil for the owner's token.
        var device: String?
    }

    private var sessions: [Session] = []

    /// Lifetime of a session, in seconds: as long as browsers keep a cookie.
    static let lifetime: Int64 = 400 * 86_400
    /// Sessions, at most; beyond that the oldest ends of the token that has begun most of them.
    private static let most = 64

    /// No sessions, or no links.
    package init() {}

    /// Whether there are no sessions.
    package var isEmpty: Bool { sessions.isEmpty }

    /// Begins a session. Expired sessions are not removed here: a clock that is far ahead for once
    /// would remove all of them for ever.
    ///
    /// - Parameter device: the digest of the device token that permits the session, in hex.
    /// - Returns: the value of the cookie.
    mutating func begin(at now: UnixTime, device: String? = nil) -> Token {
        let token = Token.random()
        if sessions.count >= Sessions.most {
            sessions.remove(at: Grant.yielding(sessions.map(\.device), to: device))
        }
        sessions.append(Session(tokenHash: token.hash, begun: now.seconds, device: device))
        return token
    }

    /// Whether this is the cookie of a valid session. Digests are compared as they come: how long
    /// that takes tells of a digest's beginning only, and of no cookie.
    package func holds(_ token: String, at now: UnixTime) -> Bool {
        let hash = TokenDigest(of: token).hex
        return sessions.contains { $0.tokenHash == hash && Sessions.isAlive($0, now) }
    }

    /// The digest of the device token behind the session with this cookie.
    func device(of token: String) -> String? {
        let hash = TokenDigest(of: token).hex
        return sessions.first { $0.tokenHash == hash }?.device
    }

    /// Whether there is a session with a cookie of this digest, in hex.
    func holds(digest: String) -> Bool { sessions.contains { $0.tokenHash == digest } }

    /// Ends the sessions whose cookies have these digests, in hex.
    mutating func end(digests: Set<String>) {
        sessions.removeAll { digests.contains($0.tokenHash) }
    }

    /// The digests of all cookies, in hex.
    var digests: Set<String> { Set(sessions.map(\.tokenHash)) }

    /// Ends the sessions whose device token matches.
    ///
    /// - Returns: whether there were any.
    mutating func endAll(where isOver: (String) -> Bool) -> Bool {
        let count = sessions.count
        sessions.removeAll { $0.device.map(isOver) ?? false }
        return sessions.count != count
    }

    /// Ends the session with this cookie.
    mutating func end(_ token: String) {
        let digest = TokenDigest(of: token)
        sessions.removeAll { TokenDigest(hex: $0.tokenHash) == digest }
    }

    private static func isAlive(_ session: Session, _ now: UnixTime) -> Bool {
        now < UnixTime(session.begun).adding(lifetime)
    }
}

/// Sign-in links, each valid once and for 15 minutes. They are kept only in memory, and do not
/// survive a restart.
package struct SignInLinks: Sendable {
    private struct Link: Sendable {
        let code: TokenDigest
        let until: Monotonic
        let by: Grant
        /// Whether the session that it has begun is being saved.
        var isTaken = false
    }

    private var links: [Link] = []

    /// No sessions, or no links.
    package init() {}

    /// Lifetime of a link, in seconds.
    static let lifetime = 900.0
    /// Links, at most; beyond that the oldest becomes invalid of the token that has most of them.
    private static let most = 16

    /// Creates a link.
    ///
    /// - Parameter by: the credentials that permit the link.
    /// - Returns: the path and query to open in a browser.
    package mutating func offer(at now: Monotonic, by grant: Grant = .owner) -> String {
        let code = Token.random().text
        links.removeAll { $0.until <= now }
        if links.count >= SignInLinks.most {
            links.remove(at: Grant.yielding(links.map(\.by.device), to: grant.device))
        }
        links.append(
            Link(
                code: TokenDigest(of: code), until: now.adding(seconds: SignInLinks.lifetime),
                by: grant))
        return "/login?code=\(code)"
    }

    /// Takes a code: nobody else can until `giveBack`.
    ///
    /// - Returns: its grant; nil when the code was not valid.
    mutating func redeem(_ code: String, at now: Monotonic) -> Grant? {
        links.removeAll { $0.until <= now }
        guard let index = index(of: code), !links[index].isTaken else { return nil }
        links[index].isTaken = true
        return links[index].by
    }

    /// Removes a code whose session is durable.
    mutating func remove(_ code: String) {
        if let index = index(of: code) { links.remove(at: index) }
    }

    /// Makes a code valid again whose session could not be saved, unless it was revoked meanwhile.
    mutating func giveBack(_ code: String) {
        if let index = index(of: code) { links[index].isTaken = false }
    }

    private func index(of code: String) -> Int? {
        let digest = TokenDigest(of: code)
        return links.firstIndex { $0.code == digest }
    }

    /// Removes links whose grant was revoked.
    mutating func endAll(where isOver: (Grant) -> Bool) {
        links.removeAll { isOver($0.by) }
    }
}

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
