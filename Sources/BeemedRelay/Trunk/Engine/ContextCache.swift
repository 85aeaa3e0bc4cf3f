import BeemedDomain
import RelayHTTP

/// Cache of `GET /context` responses, one per version and form: most requests find that nothing has
/// changed.
///
/// The times in a snapshot are of the clock that counts (`RelayCore.corrected`), which may be
/// another one than the relay's own. So the monotonic clock tells when it is over.
struct ContextCache: Sendable {
    private var responses: [ContextView: Response] = [:]
    private var snapshot: Snapshot?
    private var generatedAt = UnixTime(0)
    /// When the context was made, by both clocks of the relay.
    private var madeAt: Moment?
    /// The next time at which a day ends or a goal's urgency changes, without an event; nil for
    /// never.
    private(set) var expiresAt: Monotonic?
    private var passings: UInt64 = 0
    /// Increases with each snapshot that says something new.
    private(set) var edition: UInt64 = 0
    /// Distinguishes this process's versions from those of an earlier one.
    private let start = String(UInt32.random(in: 0 ... .max), radix: 36)

    /// Cached forms, at most.
    private static let maxForms = 32

    /// Whether something has changed since the snapshot, or the clock was set.
    func isStale(version: UInt64, at now: Moment) -> Bool {
        guard snapshot?.version == version, let madeAt else { return true }
        if let expiresAt, expiresAt <= now.monotonic { return true }
        let drift = now.millisecondsOfWall(since: madeAt) - now.milliseconds(since: madeAt)
        return drift.magnitude > ContextCache.maxDrift
    }

    /// - Parameters:
    ///   - now: by the relay's own clocks.
    ///   - wall: the same by the clock that counts.
    mutating func fill(_ snapshot: Snapshot, at now: Moment, corrected wall: UnixTime) {
        if let last = self.snapshot, last.version == snapshot.version {
            if !snapshot.saysTheSame(as: last) {
                passings += 1
                replace(with: snapshot, at: wall)
            }
        } else {
            replace(with: snapshot, at: wall)
        }
        madeAt = now
        let rest = snapshot.goodUntil(from: wall).seconds
            .subtractingReportingOverflow(wall.seconds)
        expiresAt =
            rest.overflow || rest.partialValue > ContextCache.longestSeconds
            ? nil : now.monotonic.adding(seconds: Double(max(1, rest.partialValue)))
    }

    private mutating func replace(with snapshot: Snapshot, at wall: UnixTime) {
        edition += 1
        self.snapshot = snapshot
        generatedAt = wall
        responses.removeAll(keepingCapacity: true)
    }

    /// By how many milliseconds the two clocks may differ in what has passed: the wall clock is
    /// read in whole seconds.
    private static let maxDrift = 2_000

    /// Beyond this many seconds nothing is expected to change by time alone: there are no goals.
    private static let longestSeconds: Int64 = 400 * 86_400

    /// The snapshot in the requested form; 304 to a client that has it (RFC 9110 section 13.1.2).
    mutating func response(_ view: ContextView, ifNoneMatch: KnownTags?) -> Response {
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
        if responses.count >= ContextCache.maxForms { responses.removeAll() }
        responses[view] = made
        return made
    }
}

extension Moment {
    fileprivate func milliseconds(since before: Moment) -> Int64 {
        monotonic.milliseconds - before.monotonic.milliseconds
    }

    fileprivate func millisecondsOfWall(since before: Moment) -> Int64 {
        1_000 * (wall.seconds - before.wall.seconds)
    }
}

extension Snapshot {
    /// Whether both say the same, but for when.
    fileprivate func saysTheSame(as other: Snapshot) -> Bool {
        let some = UnixTime(0)
        return body(.most, generatedAt: some) == other.body(.most, generatedAt: some)
    }

    /// The next time at which a day ends or a goal's urgency changes, without an event.
    fileprivate func goodUntil(from now: UnixTime) -> UnixTime {
        let boundaries = goals.flatMap { $0.goal.urgencyChanges.filter { $0 > now } }
        // Whether a press has waited too long for its goal changes with time alone.
        let soon = queued > 0 ? now.adding(60) : UnixTime(.max)
        return min(boundaries.min() ?? UnixTime(.max), dayEnds, soon)
    }
}
