package import BeemedDomain
import RelayHTTP

/// The relay that runs on a data folder, for commands. It is called directly, and never through a
/// proxy, which would see the owner's token.
package struct RunningRelay: Sendable {
    private let endpoint: Endpoint
    /// The address at which other devices reach it, as in a URL.
    package let shown: String
    private let token: String

    /// Maximum time for an answer, in seconds: some wait for Beeminder.
    static let patience = 45.0

    /// The relay that has locked this folder, which stays as it is; nil when there is none.
    package init?(data: String) throws(Failure) {
        guard let lines = RunningRelay.lockLines(of: data) else {
            if DataFolder.isClosedToUs(data) { throw .closed(data) }
            return nil
        }
        guard lines.count >= 2, let endpoint = Endpoint(String(lines[1])) else {
            throw Failure(
                .tempFail,
                "a relay on \(data) is starting or stopping, or another command changes it; try "
                    + "again")
        }
        guard let token = try RelayStore(folder: data).savedOwnerToken() else {
            throw Failure(
                .noPermission,
                "you may not read \(DataFile.ownerToken.path(in: data)); run this as the user of "
                    + "the relay, or with sudo")
        }
        self.endpoint = endpoint
        let bound = lines.count >= 3 ? Endpoint(String(lines[2])) : nil
        shown = bound.map { "\(FirstSteps.address(of: $0))" } ?? String(lines[1])
        self.token = token
    }

    /// The lines of the folder's lock file; nil when nobody has locked it. A command that changes
    /// the folder, and a relay that starts, have no address there, and are waited for for a second.
    private static func lockLines(of data: String) -> [Substring]? {
        for _ in 0..<50 {
            guard let note = DataFolder.holder(of: data) else { return nil }
            let lines = note.split(separator: "\n")
            if lines.count >= 2 { return lines }
            SystemThread.sleep(seconds: 0.02)
        }
        return DataFolder.holder(of: data)?.split(separator: "\n")
    }

    /// The relay on this folder; fails with 69 when none runs.
    package static func needed(on data: String) throws(Failure) -> RunningRelay {
        if let running = try RunningRelay(data: data) { return running }
        throw Failure(
            .unavailable,
            "no relay runs on \(data); start one with '\(DataFolderLocator.start(on: data))', or "
                + "name its folder with --data")
    }

    /// Calls it, as the owner. A status that is not among these fails with the relay's words.
    package func call(
        _ method: String, _ path: String, _ body: [String: JSONTree]? = nil,
        content: [UInt8] = [], accepting statuses: [Int] = [200]
    ) throws(Failure) -> RelayAnswer {
        let reply = try send(method, path, body.map { JSONMembers($0).bytes } ?? content)
        guard statuses.contains(reply.status) else { throw RunningRelay.failure(reply) }
        return try RelayAnswer(reply.body)
    }

    /// The answer to `GET /healthz`, whatever it says.
    package func health() throws(Failure) -> RelayAnswer {
        try call("GET", "/healthz", accepting: [200, 503])
    }

    /// Sends a request, as the owner. The whole answer must come within so many seconds.
    package func send(
        _ method: String, _ path: String, _ content: [UInt8] = [],
        type: String = "application/json", seconds: Double = RunningRelay.patience
    ) throws(Failure) -> UpstreamAnswer {
        var request = OutgoingRequest(method, "http://\(endpoint)\(path)")
        request.set("Authorization", "Bearer \(token)")
        if method != "GET" {
            request.set("Content-Type", type)
            request.body = content
        }
        let transport = SystemTransport(usesProxy: false)
        do throws(TransportFailure) {
            return try transport.perform(request, atMost: .max, within: seconds, during: nil).get()
        } catch {
            guard error != .noLibrary else { throw Failure(.unavailable, error.words) }
            throw Failure(
                .unavailable,
                "the running relay does not answer at \(endpoint); see its log, or restart it")
        }
    }

    /// The failure for a refusal: what the relay says, and an exit code for its status.
    package static func failure(_ reply: UpstreamAnswer) -> Failure {
        let code: ExitCode =
            switch reply.status {
            case 401, 403: .noPermission
            case 404: .noInput
            case 429, 503, 507: .tempFail
            default: .dataError
            }
        let detail = (try? RelayAnswer(reply.body))?["detail"].words
        return Failure(code, detail.map(words) ?? "the relay answered \(reply.status)")
    }

    /// The relay's words with commands in the place of requests. Most of what it says is read by
    /// devices, whose next step is a request; that of a person here is a command.
    package static func words(_ text: String) -> String {
        let text = text.replacing(/GET \/events\?(\w+)=([\w-]+)/) {
            "'beemed-relay events list --\($0.1) \($0.2)'"
        }
        return commands.reduce(text) { text, known in
            text.replacing(known.request, with: "'beemed-relay \(known.command)'")
        }
    }

    /// The requests that the relay's texts name.
    private static let commands = [
        (request: "GET /events", command: "events list"),
        (request: "DELETE /events/ID", command: "events undo ID"),
        (request: "GET /healthz", command: "status"),
        (request: "GET /connection", command: "status"),
        (request: "GET /goals", command: "goals"),
        (request: "GET /pins", command: "goals"),
        (request: "GET /presets", command: "preset list"),
        (request: "GET /rules", command: "rule list"),
        (request: "GET /reminders", command: "reminder list"),
        (request: "GET /devices", command: "device list"),
    ]
}

extension String {
    /// As one segment of a path (RFC 3986 section 3.3).
    package var asPathSegment: String { FormEncoder.escape(self) }

    /// As the value of a query parameter (RFC 3986 section 3.4).
    package var asQueryValue: String { FormEncoder.escape(self) }
}
