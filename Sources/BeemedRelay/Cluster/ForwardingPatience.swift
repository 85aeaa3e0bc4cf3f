import RelayHTTP
import RelayTrunk

/// How long a follower waits for the leader.
extension RouteTable {
    /// Whether the answer may take as long as the client likes: a long poll, an event stream or an
    /// export.
    func isWait(_ request: Request) -> Bool {
        (route(of: request)?.traits.contains(.isLong) ?? false) || waitSeconds(of: request) > 0
    }

    /// How long the first bytes of the answer may take, in seconds: a press is on the disks of a
    /// quorum or refused long before, while some requests wait for Beeminder or read a large file.
    func answerSeconds(of request: Request) -> Double {
        waitSeconds(of: request)
            + (route(of: request)?.traits.contains(.isPrompt) ?? false ? 10 : 60)
    }

    /// How long it may take between two parts of an answer, in seconds: two heartbeats of an event
    /// stream.
    static let partSeconds = 2 * ContextStreams.heartbeatSeconds

    /// Whether a request changes nothing, so that it may be sent twice. Some links log, undo or
    /// sign in. A press is never sent twice from here: only its device knows whether it has an id.
    func isRepeatable(_ request: Request) -> Bool {
        switch request.method {
        case .head, .options: return true
        case .get: break
        case .post, .put, .patch, .delete, .other: return false
        }
        return match(request.target.path)?.path.route(.get)?.isRead ?? true
    }

    /// How long a long poll asks to be held.
    private func waitSeconds(of request: Request) -> Double {
        guard route(of: request)?.parameters?.contains("wait") ?? false else { return 0 }
        return (try? ContextView(query: request.target.query))?.waitSeconds ?? 0
    }

    /// What a request asks for; nil for what the leader refuses.
    func route(of request: Request) -> Route? {
        match(request.target.path)?.path.route(request.method)
    }
}
