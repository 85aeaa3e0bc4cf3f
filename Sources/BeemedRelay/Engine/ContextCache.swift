import BeemedDomain
import RelayHTTP

/// Cache of `GET /context` responses, one per version and form: most requests find that nothing has
/// changed.
struct ContextCache: Sendable {
    private var responses: [ContextView: Response] = [:]
    private var snapshot: Snapshot?
    private var generatedAt = UnixTime(0)
    /// The next time at which a goal's urgency changes without an event.
    private var goodUntil = UnixTime(.min)
    private var passings: UInt64 = 0
    /// Distinguishes this process's versions from those of an earlier one.
    private let start = String(UInt32.random(in: 0 ... .max), radix: 36)

    /// Cached forms, at most.
    private static let mostForms = 32

    func isStale(version: UInt64, at now: UnixTime) -> Bool {
        snapshot?.version != version || now >= goodUntil
    }

    mutating func fill(_ snapshot: Snapshot, at now: UnixTime) {
        if snapshot.version == self.snapshot?.version { passings += 1 }
        self.snapshot = snapshot
        generatedAt = now
        goodUntil = snapshot.goodUntil(from: now)
        responses.removeAll(keepingCapacity: true)
    }

    /// The snapshot in the requested form; 304 to a client that has it (RFC 9110 section 13.1.2).
    mutating func response(_ view: ContextView, ifNoneMatch: String?) -> Response {
        whole(view).unlessKnown(ifNoneMatch)
    }

    private mutating func whole(_ view: ContextView) -> Response {
        if let known = responses[view] { return known }
        guard let snapshot else { preconditionFailure("asked before it was filled") }
        let kind = view.isText ? "text/plain; charset=utf-8" : "application/json"
        let tag = "\"\(start)-\(snapshot.version)-\(passings)\(view.tag)\""
        let made = Response(
            status: 200,
            fields: [
                Response.Field("Content-Type", kind), Response.Field("ETag", tag),
                Response.Field("Cache-Control", "no-cache"),
            ], body: snapshot.body(view, generatedAt: generatedAt))
        if responses.count >= ContextCache.mostForms { responses.removeAll() }
        responses[view] = made
        return made
    }
}

extension Snapshot {
    /// The next time at which a goal's urgency changes without an event.
    fileprivate func goodUntil(from now: UnixTime) -> UnixTime {
        let boundaries = goals.flatMap { pinned -> [Int64] in
            guard let losedate = pinned.goal.losedate else { return [] }
            return [losedate - 259_199, losedate - 86_399].filter { $0 > now.seconds }
        }
        // Whether a press has waited too long for its goal changes with time alone.
        let soon = queued > 0 ? now.adding(60) : UnixTime(.max)
        return min(UnixTime(boundaries.min() ?? .max), dayEnds, soon)
    }
}
