import BeemedDomain
import Foundation
import RelayHTTP

/// The relay that runs on a data folder, for commands. It is called directly, and never through a
/// proxy, which would see the owner's token.
struct RunningRelay {
    private let endpoint: Endpoint
    /// The address at which other devices reach it, as in a URL.
    let shown: String
    private let token: String

    /// Maximum time for an answer, in seconds: some wait for Beeminder.
    private static let patience = 45.0

    /// The relay that has locked this folder; nil when there is none.
    ///
    /// - Throws: `Failure` when it exists and cannot be reached.
    init?(data: String) throws(Failure) {
        do throws(DataFolderError) {
            _ = try DataFolder(path: data, note: "")
            return nil
        } catch {
            guard case .inUse(let note) = error else { return nil }
            let lines = note.split(separator: "\n")
            guard lines.count >= 2, let endpoint = Endpoint(String(lines[1])),
                let token = RelayStore(folder: data).savedOwnerToken()
            else {
                throw Failure(.tempFail, "a relay on \(data) is starting or stopping; try again")
            }
            self.endpoint = endpoint
            let bound = lines.count >= 3 ? Endpoint(String(lines[2])) : nil
            shown = bound.map { "\(FirstSteps.shown($0))" } ?? String(lines[1])
            self.token = token
        }
    }

    /// Calls it, as the owner.
    ///
    /// - Throws: `Failure` with the relay's error text.
    ///
    /// - Parameter statuses: the successful statuses.
    func call(
        _ method: String, _ path: String, _ body: [String: Any]?, accepting statuses: [Int] = [200]
    ) throws(Failure) -> Data {
        guard let url = URL(string: "http://\(endpoint)\(path)") else {
            throw Failure(.usage, "'\(path)' cannot be asked for")
        }
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let content = body.flatMap { try? JSONSerialization.data(withJSONObject: $0) } ?? Data()
        let head = """
            \(method) \(url.path(percentEncoded: true))\(query) HTTP/1.1\r
            Host: \(endpoint)\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(content.count)\r
            Connection: close\r
            \r

            """
        let answer: (status: Int, body: [UInt8])
        do throws(DirectCall.Fault) {
            answer = try DirectCall.send(
                Array(head.utf8) + content, to: endpoint, seconds: RunningRelay.patience)
        } catch {
            throw Failure(.unavailable, "the running relay does not answer")
        }
        let data = Data(answer.body)
        guard statuses.contains(answer.status) else {
            let detail = try? JSONDecoder().decode([String: JSONText].self, from: data)["detail"]
            throw Failure(.dataError, detail?.text ?? "the relay answered \(answer.status)")
        }
        return data
    }
}

/// The string members of a JSON object.
private struct JSONText: Decodable {
    var text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
