import BeemedDomain
import RelayHTTP

/// A refusal, as RFC 9457 has it: what was wrong and what to do next.
struct Problem: Error, Sendable {
    /// What of a press cannot be used.
    enum Part: String {
        case goal, value, comment, time, id
    }

    let status: Int
    /// Stable, for programs.
    let code: String
    /// For people, with the next step.
    let detail: String
    /// A goal whose name is near the one given.
    var suggestion: String?
    /// Further fields of the answer.
    var fields: [Response.Field] = []

    /// The answer.
    ///
    /// - Parameter request: names the request here and in the log.
    func response(request: String) -> Response {
        let body = JSONWriter.object { json in
            json.add("status", Int64(status))
            json.add("code", code)
            json.add("detail", detail)
            if let suggestion { json.add("suggestion", suggestion) }
            json.add("request", request)
        }
        return Response(
            status: status,
            fields: [Response.Field("Content-Type", "application/problem+json")] + fields,
            body: body)
    }
}

extension Problem {
    static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed", detail: detail)
    }

    static let unauthorized = Problem(
        status: 401, code: "unauthorized",
        detail: "send this device's token, as in 'Authorization: Bearer TOKEN'; "
            + "'beemed-relay device add NAME' makes one",
        fields: [Response.Field("WWW-Authenticate", "Bearer realm=\"beemed-relay\"")])

    static func forbidden(_ detail: String) -> Problem {
        Problem(status: 403, code: "forbidden", detail: detail)
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(status: 404, code: "not_found", detail: detail)
    }

    static func unknownGoal(_ detail: String, suggestion: GoalSlug? = nil) -> Problem {
        Problem(
            status: 404, code: "unknown_goal", detail: detail,
            suggestion: suggestion?.description)
    }

    static func methodNotAllowed(_ allowed: [Method]) -> Problem {
        let list = allowed.map(\.token).joined(separator: ", ")
        return Problem(
            status: 405, code: "method_not_allowed", detail: "this takes \(list)",
            fields: [Response.Field("Allow", list)])
    }

    static func unusable(_ part: Part, _ detail: String) -> Problem {
        Problem(status: 422, code: "unusable_\(part.rawValue)", detail: detail)
    }

    static func tooMany(retryAfter seconds: Double) -> Problem {
        retryLater(
            429, "too_many_requests", "slow down and send the same again later",
            after: Int(seconds.rounded(.up)))
    }

    static let notConnected = Problem(
        status: 503, code: "not_connected",
        detail: "nothing was taken: no Beeminder account is connected; run "
            + "'beemed-relay connect', or start with BEEMINDER_AUTH_TOKEN set")

    static let diskFull = retryLater(
        507, "disk_full", "nothing was taken: the disk is full; send the same again later",
        after: 60)

    static let outcomeUnknown = retryLater(
        503, "outcome_unknown",
        "the disk failed: whether this was kept is unknown; send it again with the same id",
        after: 5)

    private static func retryLater(
        _ status: Int, _ code: String, _ detail: String, after seconds: Int
    ) -> Problem {
        Problem(
            status: status, code: code, detail: detail,
            fields: [Response.Field("Retry-After", "\(max(1, seconds))")])
    }
}

extension Problem {
    /// The answer to a request that cannot be read at all.
    init(_ error: ParseError) {
        let code =
            switch error.status {
            case 408: "timeout"
            case 413: "too_large"
            case 414, 431: "head_too_large"
            case 417: "unknown_expectation"
            case 505: "unsupported_version"
            default: "malformed"
            }
        self.init(status: error.status, code: code, detail: error.advice)
    }
}
