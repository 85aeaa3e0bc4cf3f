import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The relay that runs on a data folder, as commands speak to it.
struct RunningRelay {
    private let base: String
    /// Where other devices reach it, as it stands in a URL.
    let shown: String
    private let token: String

    /// The relay that holds this folder; nil when none does.
    ///
    /// - Throws: `Failure` when one does and cannot be reached.
    init?(data: String) throws(Failure) {
        do throws(DataFolderError) {
            _ = try DataFolder(path: data, note: "")
            return nil
        } catch {
            guard case .inUse(let note) = error else { return nil }
            let lines = note.split(separator: "\n")
            guard lines.count >= 2, let token = RelayStore(folder: data).savedOwnerToken() else {
                throw Failure(.tempFail, "a relay on \(data) is starting or stopping; try again")
            }
            base = "http://\(lines[1])"
            let bound = lines.count >= 3 ? Endpoint(String(lines[2])) : nil
            shown = bound.map { "\(FirstSteps.shown($0))" } ?? String(lines[1])
            self.token = token
        }
    }

    /// Calls it, as the owner.
    ///
    /// - Throws: `Failure` with the relay's own words.
    ///
    /// - Parameter statuses: those that bring what was asked for.
    func call(
        _ method: String, _ path: String, _ body: [String: Any]?, accepting statuses: [Int] = [200]
    ) throws(Failure) -> Data {
        guard let url = URL(string: base + path) else {
            throw Failure(.usage, "'\(path)' cannot be asked for")
        }
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.httpMethod = method
        if let body {
            request.httpBody = try? JSONSerialization.data(withJSONObject: body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try RunningRelay.wait(for: request, accepting: statuses)
    }

    private static func wait(
        for request: URLRequest, accepting statuses: [Int]
    ) throws(Failure) -> Data {
        let done = NSCondition()
        let result = Mutex<(status: Int, body: Data)?>(nil)
        let isOver = Mutex(false)
        URLSession.shared.dataTask(with: request) { data, response, _ in
            let status = (response as? HTTPURLResponse)?.statusCode
            result.withLock { $0 = status.map { ($0, data ?? Data()) } }
            done.lock()
            isOver.withLock { $0 = true }
            done.signal()
            done.unlock()
        }.resume()
        done.lock()
        while !isOver.withLock({ $0 }) { done.wait() }
        done.unlock()
        guard let (status, body) = result.withLock({ $0 }) else {
            throw Failure(.unavailable, "the running relay does not answer")
        }
        guard statuses.contains(status) else {
            let detail = try? JSONDecoder().decode([String: JSONText].self, from: body)["detail"]
            throw Failure(.dataError, detail?.text ?? "the relay answered \(status)")
        }
        return body
    }
}

/// The texts among a JSON object's members.
private struct JSONText: Decodable {
    var text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
