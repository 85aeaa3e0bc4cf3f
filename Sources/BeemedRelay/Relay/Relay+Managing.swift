import BeemedDomain
import Foundation
import RelayHTTP

extension Relay {
    private struct NewConnection: Decodable {
        var authToken: String?
        var accessToken: String?
    }

    /// `PUT /connection` and `DELETE /connection`: the Beeminder account.
    func connection(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, visit)
        let account: Account?
        if request.method == .delete {
            account = nil
        } else {
            let decoder = JSONDecoder()
            let new = try? decoder.decode(NewConnection.self, from: Data(request.body))
            account =
                new?.accessToken.map(Account.accessToken)
                ?? new?.authToken.map(Account.personalToken)
            guard account != nil, (new?.accessToken ?? new?.authToken) != "" else {
                throw .malformed("send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}")
            }
        }
        guard store.save(account, log) else {
            throw Problem(
                .notSaved, "the account could not be saved; make room on the disk and repeat this")
        }
        upstream.use(account)
        apply(account == nil ? .disconnected : .connected)
        return .json(JSONWriter.object { $0.add("ok", true) })
    }
}
