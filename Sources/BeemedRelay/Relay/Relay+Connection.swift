import BeemedDomain
import Foundation
import RelayHTTP

/// The Beeminder account.
extension Relay {
    private struct NewConnection: Decodable {
        var authToken: String?
        var accessToken: String?
        var username: String?

        var account: Account? {
            accessToken.map(Account.accessToken) ?? authToken.map(Account.personalToken)
        }
    }

    /// `GET`, `PUT` and `DELETE /connection`: which account it is, never its token; another one;
    /// none.
    func connection(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, visit)
        switch request.method {
        case .put:
            let new = try? JSONDecoder().decode(NewConnection.self, from: Data(request.body))
            guard let new, let account = new.account, account.isPlausible else {
                throw .malformed("send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}")
            }
            try connect(account, user: new.username, visit)
        case .delete: try disconnect()
        default: break
        }
        return .json(connectionState(isOK: request.method == .put || request.method == .delete))
    }

    /// Saves an account and uses it from now on.
    func connect(_ account: Account, user: String?, _ visit: Visit) throws(Problem) {
        let known = try? store.accounts.known(account, user: user)
        var connected =
            known ?? ConnectedAccount(new: account, user: user, at: visit.moment.wall)
        connected.isSaved = true
        try keep(connected)
        upstream.use(account)
        apply(connected.input)
    }

    private func disconnect() throws(Problem) {
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

    private func connectionState(isOK: Bool) -> [UInt8] {
        JSONWriter.object { json in
            if isOK { json.add("ok", true) }
            json.add("state", core.sync.rawValue)
            guard let connection else { return }
            if let user = core.goals.user ?? connection.user { json.add("user", user) }
            json.add("kind", connection.kind)
            json.add("since", connection.since.seconds)
            json.add("source", connection.isSaved ? "saved" : "environment")
            if environmentWins, connection.isSaved {
                json.add(
                    "note",
                    "the environment's token wins at the next start; take BEEMINDER_AUTH_TOKEN or "
                        + "BEEMINDER_ACCESS_TOKEN out of it to keep this account")
            }
        }
    }
}
