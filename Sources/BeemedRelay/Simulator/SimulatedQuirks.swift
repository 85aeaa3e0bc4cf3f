/// Variants of the simulated Beeminder: where the live service's behaviour is not recorded, a
/// client must handle every variant.
struct SimulatedQuirks: Sendable {
    /// The answer to a repeated `requestid` with the same contents.
    enum DuplicateAnswer: String, Sendable {
        /// 422 `{"errors":"Duplicate request"}`, as clients have observed.
        case refused
        /// 200 and the datapoint with `"status":"duplicate"`.
        case accepted
    }

    /// The form in which `create_all` lists refused datapoints.
    enum BatchErrors: String, Sendable, CaseIterable {
        /// The datapoint as it was sent, with `errors` added.
        case echoed
        /// Only the text.
        case worded
        /// Its `requestid` and the text.
        case named
        /// Its index in the request, from 0, and the text.
        case indexed
        /// An object instead of a list, with the text under each `requestid`.
        case keyed
        /// Omitted: it is in neither list.
        case silent
    }

    /// The answer to a datapoint for a frozen or archived goal.
    enum ClosedGoals: String, Sendable {
        case refused, accepted, missing
    }

    /// How long a graph takes to be drawn; until then a goal is `queued` and its numbers are old.
    var graphSeconds = 0.0
    var duplicates = DuplicateAnswer.refused
    var batchErrors = BatchErrors.echoed
    /// `create_all` omits one in this many accepted datapoints from its answer; nil lists all.
    var batchForgets: Int?
    /// The most datapoints on a page, regardless of `per`; the real limit is not known.
    var longestPage: Int?
    /// The status of a `create_all` that accepted only some of the datapoints.
    var batchStatus = 200
    /// Whether `create_all` accepts an array in a JSON body, beside the text of one.
    var takesBareArrays = true
    var closedGoals = ClosedGoals.refused
    /// Whether a personal token is accepted as `Authorization: Bearer`.
    var takesPersonalTokenAsBearer = false
    /// Whether goals contain unknown fields.
    var hasStrangeFields = false
    /// The only `Host` that is served; all others are redirected there, and lose posted parameters.
    /// The live service does this for plain HTTP and for names without `www`.
    var canonicalHost: String?
    /// Calls per minute, above which the answer is 429; off, since the real limit is not public.
    var callsPerMinute: Int?
    /// The `Retry-After` of a 429, if any.
    var retryAfterSeconds: Int?
    /// Datapoints of one goal and day; off, though a limit of 300 was mentioned once.
    var datapointsPerDay: Int?
    /// Whether the page that asks "authorize this app?" answers itself.
    var authorizesAtOnce = true

    /// The most faithful variant, without delays and limits.
    init() {}
}
