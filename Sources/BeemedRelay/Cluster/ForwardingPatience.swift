import RelayHTTP
import RelayTrunk

/// How long a follower waits for the leader.
extension Request {
    /// Whether its answer may take as long as the client likes: a long poll, an event stream or an
    /// export.
    var isWait: Bool {
        (route?.traits.contains(.isLong) ?? false) || waitSeconds > 0
    }

    /// How long the first bytes of its answer may take, in seconds: a press is on the disks of a
    /// quorum or refused long before, while some requests wait for Beeminder or read a large file.
    var answerSeconds: Double {
        waitSeconds + (route?.traits.contains(.isPrompt) ?? false ? 10 : 60)
    }

    /// How long it may take between two parts of its answer, in seconds: two heartbeats of an event
    /// stream.
    static let partSeconds = 2 * ContextStreams.heartbeatSeconds

    /// How long a long poll asks to be held.
    private var waitSeconds: Double {
        guard route?.parameters?.contains("wait") ?? false else { return 0 }
        return (try? ContextView(query: target.query))?.waitSeconds ?? 0
    }

    /// What it asks for; nil for what the leader refuses.
    private var route: Route? { RouteTable.relay.match(target.path)?.path.route(method) }
}
