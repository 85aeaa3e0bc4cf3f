import BeemedDomain
import Foundation
import RelayHTTP

extension Relay {
    /// The body of `PUT /connection`: the relay's own member names, or those of `auth_token.json`.
    private struct NewConnection: Decodable {
        var authToken: String?
        var accessToken: String?
        var username: String?
        var auth_token: String?

        func account() throws(Problem) -> Account {
            do throws(TokenFault) {
                if let accessToken { return .accessToken(try Account.token(in: accessToken)) }
                if let given = authToken ?? auth_token {
                    return .personalToken(try Account.token(in: given))
                }
            } catch {
                throw .malformed(error.advice)
            }
            throw .malformed("send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}")
        }
    }

    /// `GET`, `PUT` and `DELETE /connection`: shows the account without its token, replaces it,
    /// removes it.
    func connection(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        switch request.method {
        case .put:
            guard
                let new = try? JSONDecoder().decode(NewConnection.self, from: Data(request.body))
            else {
                throw .malformed("send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}")
            }
            let account = try new.account()
            verify(account, claimed: new.username, for: exchange.id, .json)
            return nil
        case .delete:
            try disconnect()
            return .json(connectionState(isOK: true))
        default:
            current.isReadOnly = true
            return .json(connectionState(isOK: false))
        }
    }

    /// Asks Beeminder for the token's user, and connects the account only after a good answer: a
    /// mistyped token must not replace a good one. Replies when Beeminder has answered, or after
    /// `BeeminderClient.identityPatience`.
    func verify(
        _ account: Account, claimed: String?, for exchange: ExchangeID, _ form: Verifications.Form
    ) {
        let number = verifications.begin(
            Verifications.Pending(
                exchange: exchange, entry: current, account: account, claimed: claimed, form: form))
        upstream.identify(account) { identity in
            self.loop.post {
                self.assumeIsolated { relay in
                    relay.verified(number, identity)
                    relay.finishTurn()
                }
            }
        }
    }

    private func verified(_ number: Int, _ identity: Identity) {
        guard let (given, isLast) = verifications.end(number) else { return }
        do throws(Problem) {
            guard isLast else { throw .overtaken }
            try connect(given.account, identity, claimed: given.claimed)
            let response = connected(given.form)
            given.entry.ending = RequestLog.Ending(status: response.status)
            answers.append(Answer(to: given.exchange, response))
        } catch {
            refuse(given.exchange, given.entry, error)
        }
    }

    private func connected(_ form: Verifications.Form) -> Response {
        switch form {
        case .json: .json(connectionState(isOK: true))
        case .page(let isSecure):
            .connected(user: core.user, isVerified: core.isVerified, isSecure: isSecure)
        }
    }

    /// Saves and connects an account that Beeminder has not refused.
    private func connect(
        _ account: Account, _ identity: Identity, claimed: String?
    ) throws(Problem) {
        if let problem = Problem(identity, claimed: claimed) { throw problem }
        let known = try? store.accounts.known(account)
        var connected = known ?? ConnectedAccount(new: account, at: clock().wall)
        connected.learn(identity, claimed: claimed)
        connected.isSaved = true
        try keep(connected)
        log.connected(identity)
        upstream.use(account)
        apply(connected.input)
    }

    private func disconnect() throws(Problem) {
        verifications.overtake()
        try keep(nil)
        upstream.use(nil)
        apply(.disconnected)
    }

    private func keep(_ connected: ConnectedAccount?) throws(Problem) {
        guard store.save(connected, log) else {
            throw Problem(
                .notSaved, "the account could not be saved; make room on the disk and repeat this")
        }
        connection = connected
    }

    /// The connected account as JSON. A token whose user Beeminder has not named is never shown as
    /// online, nor under the previous user's name.
    private func connectionState(isOK: Bool) -> [UInt8] {
        JSONWriter.object { json in
            if isOK { json.add("ok", true) }
            json.add("state", connectionWord)
            guard let connection else { return }
            if let user = core.user ?? connection.user { json.add("user", user) }
            json.add("verified", core.isVerified)
            json.add("kind", connection.kind)
            json.add("since", connection.since.seconds)
            json.add("source", connection.isSaved ? "saved" : "environment")
            if environmentWins, connection.isSaved { json.add("note", Relay.environmentNote) }
            if !core.isVerified, core.sync != .signInAgain { json.add("detail", unverifiedWords) }
        }
    }

    private var connectionWord: String {
        switch core.sync {
        case .online, .offline, .unverified:
            core.isVerified ? core.sync.rawValue : SyncState.unverified.rawValue
        case .signInAgain, .notConnected, .diskFull: core.sync.rawValue
        }
    }

    private static let environmentNote =
        "the environment's token wins at the next start; take BEEMINDER_AUTH_TOKEN or "
        + "BEEMINDER_ACCESS_TOKEN out of it to keep this account"

    private var unverifiedWords: String {
        (connection?.isSaved == true ? "saved; " : "")
            + "not verified yet: Beeminder has not said whose the token is; presses are accepted"
    }
}

extension Problem {
    fileprivate static let overtaken = Problem(
        .notPossible, "another account was connected, or disconnected, meanwhile; look at it first")

    /// The reason to reject an account; nil when it may be used.
    init?(_ identity: Identity, claimed: String?) {
        switch identity {
        case .refused: self = .tokenRefused
        case .named(let user):
            guard let claimed, claimed.lowercased() != user.name.lowercased() else { return nil }
            self = .tokenOfAnother(user.name, than: claimed)
        case .unnamed, .unclear: return nil
        }
    }

    private static let tokenRefused = Problem(
        .tokenRefused,
        "Beeminder does not take this token; nothing was changed. A personal token is the text "
            + "after \"auth_token\" at https://www.beeminder.com/api/v1/auth_token.json, and not "
            + "an access token")

    private static func tokenOfAnother(_ user: String, than claimed: String) -> Problem {
        Problem(
            .tokenRefused,
            "this is the token of '\(user)' and not of '\(claimed.prefix(64))'; nothing was "
                + "changed")
    }
}

extension Log {
    /// Logs that an account is connected.
    fileprivate func connected(_ identity: Identity) {
        switch identity {
        case .named(let user): info("connected", [("user", user.name)])
        case .unnamed, .refused: info("connected", [])
        case .unclear(let why): warning("connected, not verified yet", [("why", why)])
        }
    }
}
