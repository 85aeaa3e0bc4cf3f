import BeemedDomain
import Foundation
import RelayHTTP

extension Relay {
    private struct NewDevice: Decodable {
        var name: String
        var goals: [String]?
        var can: [String]?
    }

    private struct NewConnection: Decodable {
        var authToken: String?
        var accessToken: String?
    }

    /// `POST /devices`: a new device. Its token is shown here and never again.
    func addDevice(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, visit)
        let decoder = JSONDecoder()
        guard let new = try? decoder.decode(NewDevice.self, from: Data(request.body)) else {
            throw .malformed(
                "send {\"name\": \"kitchen\", \"goals\": [\"water\"], \"can\": [\"log\"]}")
        }
        var book = devices
        let token: Token
        do throws(DeviceFault) {
            token = try book.add(
                name: new.name, rights: new.can ?? ["log", "read"], goals: new.goals)
        } catch {
            throw Problem(status: 422, code: "unusable_device", detail: error.advice)
        }
        guard store.save(book, log) else {
            throw Problem(
                status: 507, code: "not_saved", detail: "the device could not be saved")
        }
        devices = book
        return .json(
            JSONWriter.object { json in
                json.add("name", new.name)
                json.add("token", token.text)
            })
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
            guard account != nil else {
                throw .malformed("send {\"authToken\": \"...\"} or {\"accessToken\": \"...\"}")
            }
        }
        guard store.save(account, log) else {
            throw Problem(
                status: 507, code: "not_saved", detail: "the account could not be saved")
        }
        upstream.use(account)
        apply(account == nil ? .disconnected : .connected)
        return .json(JSONWriter.object { $0.add("ok", true) })
    }
}
