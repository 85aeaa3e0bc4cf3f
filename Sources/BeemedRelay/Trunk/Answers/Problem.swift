package import BeemedDomain
package import RelayHTTP

/// A refusal in the form of RFC 9457: the fault and the next step.
package struct Problem: Error, Sendable {
    /// Stable, for programs; it determines the status.
    package let code: ErrorCode
    /// For the user, with the next step.
    package let detail: String
    var suggestion: String?
    /// The faults of a file's lines, each as a JSON object; nil if the problem is about no file.
    package var lines: [[UInt8]]?
    /// Additional header fields of the answer.
    package var fields: [Response.Field] = []

    var status: Int { code.status }

    /// Whether the same may be taken later.
    package var mayPass: Bool { status >= 500 || status == 429 }

    /// A refusal with this code; the detail says what to do next.
    package init(
        _ code: ErrorCode, _ detail: String, suggestion: String? = nil,
        fields: [Response.Field] = []
    ) {
        self.code = code
        self.detail = Problem.cut(detail)
        self.suggestion = suggestion
        self.fields = fields
    }

    /// The longest detail, in bytes. Quotes from a request are cut by characters, and one character
    /// may be as long as the request.
    static let detailBytes = 4_096

    private static func cut(_ detail: String) -> String {
        guard detail.utf8.count > detailBytes else { return detail }
        return String(decoding: detail.utf8.prefix(detailBytes), as: UTF8.self)
    }

    /// The answer to the request that has this name here and in the log.
    package func response(request: String) -> Response {
        let body = JSONWriter.objectLine { json in
            json.add("type", "/docs#\(code.rawValue)")
            json.add("status", Int64(status))
            json.add("code", code.rawValue)
            json.add("detail", detail)
            if let suggestion { json.add("suggestion", suggestion) }
            if let lines {
                json.addArray("errors") { list in for line in lines { list.element(json: line) } }
            }
            json.add("request", request)
        }
        return Response(status: status, fields: Problem.plain + fields, body: body)
    }

    /// The field of every refusal, created once.
    private static let plain = [Response.Field("Content-Type", "application/problem+json")]
}

extension Problem {
    /// The request cannot be read: how, and what to send instead.
    package static func malformed(_ detail: String) -> Problem {
        Problem(.malformed, detail)
    }

    /// The token may not do this.
    package static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, detail)
    }

    static let crossSite = Problem(
        .crossSite,
        "a page of another site sent this; do it on the relay's own page, or send a token as "
            + "'Authorization: Bearer TOKEN'")

    static let linkExpired = Problem(
        .linkExpired,
        "this link was used, or is older than 15 minutes; 'beemed-relay owner-link' prints another")

    /// There is nothing of this name.
    package static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, detail)
    }

    /// There is no such goal; a similar one may be suggested.
    package static func unknownGoal(_ detail: String, suggestion: GoalSlug? = nil) -> Problem {
        Problem(.unknownGoal, detail, suggestion: suggestion?.description)
    }

    /// A text that can be no goal.
    package static func noGoalName(_ text: String) -> Problem {
        .unknownGoal(
            "'\(text.prefix(64))' is not a valid goal; use the name from its Beeminder URL")
    }

    /// - Parameter hint: an alternative to the wrong method.
    static func methodNotAllowed(_ allowed: [Method], hint: String = "") -> Problem {
        let list = allowed.map(\.token).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "use one of \(list)\(hint)",
            fields: [Response.Field("Allow", list)])
    }

    static func tooMany(retryAfter seconds: Double) -> Problem {
        retryLater(.tooManyRequests, "slow down and send the same again later", after: seconds)
    }

    /// No account is connected; nothing was taken.
    package static let notConnected = Problem(
        .notConnected,
        "nothing was taken: no Beeminder account is connected; run "
            + "'beemed-relay connect', or start with BEEMINDER_AUTH_TOKEN set")

    /// There is no room in the journal; nothing was taken.
    package static let diskFull = retryLater(
        .diskFull,
        "nothing was taken: the relay's disk is full, or may only be read; free some space there, "
            + "then send the same again", after: 60)

    /// The relay ends or follows: whether the request counts is not known here.
    package static let outcomeUnknown = retryLater(
        .outcomeUnknown,
        "the disk failed, or another relay of the cluster leads now: whether this was kept is "
            + "unknown; send it again with the same id", after: 5)

    /// No relay of the cluster leads now; nothing was taken.
    package static let noLeader = retryLater(
        .noLeader,
        "nothing was taken: no relay of the cluster leads for now; send the same again later",
        after: 2)

    /// Too many requests wait for the leader; nothing was taken.
    package static let noRoomToForward = retryLater(
        .crowded,
        "nothing was taken: this relay of the cluster holds too much for the leader; send the same "
            + "again later", after: 5)

    /// The same is taken after some seconds: a day at most, since more may be no `Int`.
    package static func retryLater(
        _ code: ErrorCode, _ detail: String, after seconds: Double
    ) -> Problem {
        let whole = Int(max(1, min(seconds.rounded(.up), 86_400)))
        return Problem(code, detail, fields: [Response.Field("Retry-After", "\(whole)")])
    }
}

extension Problem {
    /// The answer to bytes that cannot be parsed as a request.
    package init(_ error: ParseError) {
        // The first code of a status is about requests that cannot be read.
        let code = ErrorCode.allCases.first { $0.status == error.status } ?? .malformed
        self.init(code, error.advice)
        if error == .noRoom { fields = [Response.Field("Retry-After", "5")] }
    }
}

/// Every error code of a refusal. Programs depend on the codes, so their meaning never changes; the
/// manual explains each one, and the compiler checks that none is missing.
package enum ErrorCode: String, CaseIterable, Sendable {
    case malformed
    case unauthorized
    case forbidden
    case crossSite = "cross_site"
    case linkExpired = "link_expired"
    case notFound = "not_found"
    case unknownGoal = "unknown_goal"
    case methodNotAllowed = "method_not_allowed"
    case timeout
    case idReused = "id_reused"
    case nameTaken = "name_taken"
    case notPossible = "not_possible"
    case lengthRequired = "length_required"
    case preconditionFailed = "precondition_failed"
    case tooLarge = "too_large"
    case targetTooLong = "target_too_long"
    case contentEncoding = "content_encoding"
    case unknownExpectation = "unknown_expectation"
    case unknownHost = "unknown_host"
    case unusableGoal = "unusable_goal"
    case unusableValue = "unusable_value"
    case unusableComment = "unusable_comment"
    case unusableTime = "unusable_time"
    case unusableID = "unusable_id"
    case unknownField = "unknown_field"
    case unusableDevice = "unusable_device"
    case unusablePreset = "unusable_preset"
    case unusableRule = "unusable_rule"
    case unusableReminder = "unusable_reminder"
    case unusableFile = "unusable_file"
    case tokenRefused = "token_refused"
    case tooManyRequests = "too_many_requests"
    case headTooLarge = "head_too_large"
    case unknownMethod = "unknown_method"
    case crowded
    case notConnected = "not_connected"
    case outcomeUnknown = "outcome_unknown"
    case noLeader = "no_leader"
    case unsupportedVersion = "unsupported_version"
    case diskFull = "disk_full"
    case tooManyWaiting = "too_many_waiting"
    case tooManyRefused = "too_many_refused"
    case notSaved = "not_saved"

    var status: Int {
        switch self {
        case .malformed: 400
        case .unauthorized: 401
        case .forbidden, .crossSite, .linkExpired: 403
        case .notFound, .unknownGoal: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .idReused, .nameTaken, .notPossible: 409
        case .lengthRequired: 411
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .targetTooLong: 414
        case .contentEncoding: 415
        case .unknownExpectation: 417
        case .unknownHost: 421
        case .unusableGoal, .unusableValue, .unusableComment, .unusableTime, .unusableID,
            .unknownField, .unusableDevice, .unusablePreset, .unusableRule, .unusableReminder,
            .unusableFile,
            .tokenRefused:
            422
        case .tooManyRequests: 429
        case .headTooLarge: 431
        case .unknownMethod: 501
        case .crowded, .notConnected, .outcomeUnknown, .noLeader: 503
        case .unsupportedVersion: 505
        case .diskFull, .tooManyWaiting, .tooManyRefused, .notSaved: 507
        }
    }
}

/// Why a token is not used: it is another user's than the data folder. A person decides.
struct FolderConflict: Sendable {
    /// The user to whom the folder belongs.
    var owner: String
    var other: String
    /// The presses of the folder's user that wait or are refused.
    var unsettled: Int
    /// Whether an import or health data is being taken.
    var isBusy: Bool

    /// Whether the token's user may have the folder.
    var mayTakeOver: Bool { unsettled == 0 && !isBusy }

    /// For the user, with the next step.
    var words: String {
        let folder = "this folder is \(owner)'s, and the token is \(other)'s"
        let elsewhere = "or use another --data for \(other)"
        if unsettled > 0 {
            let presses =
                unsettled == 1
                ? "1 press waits or is refused" : "\(unsettled) presses wait or are refused"
            return "\(folder); \(presses): take them back (events undo ID), connect \(owner)'s "
                + "token again, \(elsewhere)"
        }
        if isBusy { return "\(folder); an import or health data is being taken: try again later" }
        return "\(folder): connect \(other)'s token again to begin anew here, \(elsewhere)"
    }

    /// For strangers, who do not learn whose it is.
    static let unnamed =
        "the token is another user's than this folder, so nothing is sent; GET /connection says "
        + "what to do"
}
