import RelayHTTP

/// How long a follower waits for the leader.
extension Request {
    /// Whether its answer may take as long as the client likes: a long poll, an event stream or an
    /// export.
    var isWait: Bool {
        switch Resource(path: target.path) {
        case .context: waitSeconds > 0
        case .contextStream, .export: true
        default: false
        }
    }

    /// How long the first bytes of its answer may take, in seconds: a press is on the disks of a
    /// quorum or refused long before, while some requests wait for Beeminder or read a large file.
    var answerSeconds: Double {
        switch Resource(path: target.path) {
        case .context: waitSeconds + 10
        case .log, .trigger, .undo, .events, .event, .contextStream, .export: 10
        default: 60
        }
    }

    /// How long it may take between two parts of its answer, in seconds: two heartbeats of an event
    /// stream.
    static let partSeconds = 2 * ContextStreams.heartbeatSeconds

    /// How long a long poll asks to be held.
    private var waitSeconds: Double { (try? ContextView(query: target.query))?.waitSeconds ?? 0 }
}
