import BeemedDomain
import RelayHTTP

extension Relay {
    /// The body of `PUT /connection`: the relay's own member names, or those of `auth_token.json`.
    private struct NewConnection: Decodable {
        static let advice = "send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}"

        var authToken: String?
        var accessToken: String?
        var username: String?
        var auth_token: String?

        func account() throws(Problem) -> Account {
            let personal = (authToken ?? auth_token).map(Account.personalToken)
            guard let account = accessToken.map(Account.accessToken) ?? personal else {
                throw .malformed(NewConnection.advice)
            }
            guard account.isPlausible else { throw .malformed(Account.advice) }
            return account.meant
        }
    }

    /// `PUT /connection`: replaces the account.
    func connect(_ call: Call) throws(Problem) -> Response? {
        let new = try call.request.content(NewConnection.self, orSay: NewConnection.advice)
        return connect(try new.account(), claimed: new.username, for: call) {
            self.connectionState(isOK: true)
        }
    }

    /// `DELETE /connection`: removes the account.
    func disconnect(_ call: Call) -> Response? {
        account.begin()
        return later(call) { () async throws(Problem) in
            try await self.save(nil)
            self.account.connected = nil
            self.engine.upstream.use(nil)
            self.engine.handle(.disconnected)
            return self.connectionState(isOK: true)
        }
    }

    /// Saves the account; nil removes it. Only then it takes effect: presses must not go to an
    /// account that a restart forgets.
    private func save(_ new: ConnectedAccount?) async throws(Problem) {
        let isSaved = await withCheckedContinuation { continuation in
            files.add { continuation.resume(returning: $0.save(new, $1)) }
        }
        guard isSaved else { throw .notChanged("the account") }
    }

    /// Asks Beeminder for the token's user, and connects the account only after a good answer: a
    /// mistyped token must not replace a good one. Replies when Beeminder has answered, or after
    /// `BeeminderClient.identityPatience`.
    ///
    /// - Parameters:
    ///   - claimed: the user name that came with the token.
    ///   - response: makes the answer.
    func connect(
        _ new: Account, claimed: String?, for call: Call,
        _ response: @escaping () -> Response
    ) -> Response? {
        let number = account.begin()
        return later(call) { () async throws(Problem) in
            let identity = await withCheckedContinuation { continuation in
                self.engine.upstream.identify(new) { continuation.resume(returning: $0) }
            }
            try self.checkIsGood(call)
            guard self.account.isLatest(number) else { throw .overtaken }
            try await self.connect(new, claimed: claimed, identity)
            return response()
        }
    }

    private func connect(
        _ new: Account, claimed: String?, _ identity: Identity
    ) async throws(Problem) {
        if let problem = Problem(identity, claimed: claimed) { throw problem }
        if let conflict = conflict(with: identity.user), !conflict.mayTakeOver {
            throw Problem(.tokenRefused, "nothing was changed: \(conflict.words)")
        }
        var connected = ConnectedAccount(new: new, at: clock().wall)
        connected.learn(identity, claimed: claimed)
        try await save(connected)
        account.connected = connected
        log.connected(identity)
        engine.upstream.use(connected.account)
        let user = identity.user.map { TokenUser.named($0) }
        engine.handle(.connected(user ?? connected.tokenUser))
        if let conflict, conflict.mayTakeOver { engine.handle(.takenOver) }
    }

    /// `GET /connection`: the connected account.
    func connectionState(isOK: Bool) -> Response {
        .json { json in
            if isOK { json.add("ok", true) }
            account.write(engine.core, conflict, to: &json)
        }
    }
}

extension AccountConnection {
    /// Writes the account. A token whose user Beeminder has not named is never shown as online, nor
    /// under the previous user's name.
    fileprivate func write(
        _ core: RelayCore, _ conflict: FolderConflict?, to json: inout JSONWriter
    ) {
        json.add("state", AccountConnection.word(of: core))
        guard let connected else { return }
        if let user = core.user ?? connected.user { json.add("user", user) }
        json.add("verified", core.isVerified)
        json.add("kind", connected.account.kind.rawValue)
        json.add("since", connected.since)
        json.add("source", connected.isSaved ? "saved" : "environment")
        if environmentWins, connected.isSaved {
            json.add("note", AccountConnection.environmentNote)
        }
        if let fault = connected.tokenFault ?? conflict?.words {
            json.add("detail", fault)
        } else if !core.isVerified, core.sync != .signInAgain {
            let saved = connected.isSaved ? "saved; " : ""
            json.add("detail", saved + AccountConnection.unverifiedWords)
        }
    }

    private static func word(of core: RelayCore) -> String {
        switch core.sync {
        case .online, .offline, .unverified:
            core.isVerified ? core.sync.rawValue : SyncState.unverified.rawValue
        case .signInAgain, .notConnected, .diskFull: core.sync.rawValue
        }
    }

    private static let environmentNote =
        "the environment's token wins at the next start; take BEEMINDER_AUTH_TOKEN or "
        + "BEEMINDER_ACCESS_TOKEN out of it to keep this account"

    private static let unverifiedWords =
        "not verified yet: Beeminder has not said whose the token is; presses are accepted"
}

extension Problem {
    fileprivate static let overtaken = Problem(
        .notPossible, "another account was connected, or disconnected, meanwhile; look at it first")

    /// The reason to reject an account; nil for a usable one.
    package init?(_ identity: Identity, claimed: String?) {
        switch identity {
        case .refused: self = .tokenRefused
        case .named(let user):
            guard let claimed, claimed.lowercased() != user.name.lowercased() else { return nil }
            self = .tokenOfAnother(user.name)
        case .unnamed, .unclear, .faulty: return nil
        }
    }

    private static let tokenRefused = Problem(
        .tokenRefused,
        "Beeminder does not take this token; nothing was changed. A personal token is the text "
            + "after \"auth_token\" at https://www.beeminder.com/api/v1/auth_token.json, and not "
            + "an access token")

    /// Without the name that was claimed, in whose place a token may have been given.
    private static func tokenOfAnother(_ user: String) -> Problem {
        Problem(
            .tokenRefused,
            "this is the token of '\(user)', and not of the user that was named; nothing was "
                + "changed")
    }
}

extension Log {
    fileprivate func connected(_ identity: Identity) {
        switch identity {
        case .named(let user): info("connected", [("user", user.name)])
        case .unnamed, .refused: info("connected", [])
        case .unclear(let why): warning("connected, not verified yet", [("why", why)])
        case .faulty(let status):
            warning("connected, not verified yet", [("why", "status \(status)")])
        }
    }
}
