import BeemedDomain
import RelayHTTP

/// `GET /context`, made once for every version and given out as it is: most requests for it find
/// that nothing has changed.
struct ContextCache: Sendable {
    private var response: Response?
    private var version: UInt64 = 0
    private var tag = ""
    /// When a goal becomes more urgent by the mere passing of time.
    private var goodUntil = UnixTime(.min)
    private var passings: UInt64 = 0
    /// Tells the versions of this process from those of an earlier one.
    private let start = String(UInt32.random(in: 0 ... .max), radix: 36)

    func isStale(version: UInt64, at now: UnixTime) -> Bool {
        response == nil || version != self.version || now >= goodUntil
    }

    mutating func fill(_ snapshot: Snapshot, at now: UnixTime) {
        if snapshot.version == version { passings += 1 }
        version = snapshot.version
        tag = "\"\(start)-\(version)-\(passings)\""
        goodUntil = snapshot.goodUntil(from: now)
        response = .json(
            snapshot.json(generatedAt: now),
            fields: [
                Response.Field("ETag", tag), Response.Field("Cache-Control", "no-cache"),
            ])
    }

    /// The snapshot, or 304 to a client that has it (RFC 9110 section 13.1.2).
    func response(ifNoneMatch: String?) -> Response {
        guard let response else { preconditionFailure("asked before it was filled") }
        guard let ifNoneMatch, matches(ifNoneMatch) else { return response }
        return Response(
            status: 304,
            fields: response.fields.filter { $0.isValidator })
    }

    private func matches(_ condition: String) -> Bool {
        if condition == "*" { return true }
        return condition.split(separator: ",").contains { element in
            let text = element.drop { $0 == " " || $0 == "\t" }
            let bare = text.hasPrefix("W/") ? text.dropFirst(2) : text
            return bare.trimmingSuffix { $0 == " " || $0 == "\t" } == tag
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isBlank: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

extension Response.Field {
    /// What a 304 repeats (RFC 9110 section 15.4.5).
    fileprivate var isValidator: Bool { isNamed("ETag") || isNamed("Cache-Control") }
}

extension Snapshot {
    /// When the first goal becomes more urgent if nothing else happens.
    fileprivate func goodUntil(from now: UnixTime) -> UnixTime {
        let boundaries = goals.flatMap { pinned -> [Int64] in
            guard let losedate = pinned.goal.losedate else { return [] }
            return [losedate - 259_199, losedate - 86_399].filter { $0 > now.seconds }
        }
        return UnixTime(boundaries.min() ?? .max)
    }
}
