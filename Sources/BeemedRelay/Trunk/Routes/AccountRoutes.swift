import BeemedDomain
import RelayHTTP

enum AccountRoutes {
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

    static func show(_ relay: isolated Relay, _ call: Call) -> Response? {
        .json { relay.account.write(relay.engine.core.view, to: &$0) }
    }

    static func connect(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let new = try call.request.content(NewConnection.self, orSay: NewConnection.advice)
        return connect(relay, call, try new.account(), claimed: new.username) {
            .ok { relay.account.write(relay.engine.core.view, to: &$0) }
        }
    }

    /// Asks Beeminder for the token's user, and connects the account only after a good answer, or
    /// after `BeeminderClient.identityPatience`: a mistyped token must not replace a good one.
    static func connect(
        _ relay: isolated Relay, _ call: Call, _ new: Account, claimed: String?,
        _ response: @escaping () -> Response
    ) -> Response? {
        let (account, upstream) = (relay.account, relay.engine.upstream)
        let number = account.begin()
        return relay.later(call) { () async throws(Problem) in
            let identity = await upstream.identify(new)
            try relay.checkIsGood(call)
            guard account.isLatest(number) else { throw .overtaken }
            try await account.connect(new, claimed: claimed, identity, at: relay.clock().wall)
            return response()
        }
    }

    static func disconnect(_ relay: isolated Relay, _ call: Call) -> Response? {
        relay.account.begin()
        return relay.later(call) { () async throws(Problem) in
            try await relay.account.disconnect()
            return .ok { relay.account.write(relay.engine.core.view, to: &$0) }
        }
    }
}

extension AccountConnection {
    /// Writes the account. A token whose user Beeminder has not named is never shown as online, nor
    /// under the previous user's name.
    fileprivate func write(_ core: CoreView, to json: inout JSONWriter) {
        let isAnswering = [.online, .offline].contains(core.sync)
        json.add(
            "state", (isAnswering && !core.isVerified ? .unverified : core.sync).rawValue)
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
            json.add("detail", "\(saved)\(ConnectedAccount.unverified); presses are accepted")
        }
    }

    private static let environmentNote =
        "the environment's token wins at the next start; take BEEMINDER_AUTH_TOKEN or "
        + "BEEMINDER_ACCESS_TOKEN out of it to keep this account"
}

extension Problem {
    fileprivate static let overtaken = Problem(
        .notPossible, "another account was connected, or disconnected, meanwhile; look at it first")
}
