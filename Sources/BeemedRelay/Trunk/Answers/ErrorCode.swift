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

    /// The HTTP status of the code.
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
