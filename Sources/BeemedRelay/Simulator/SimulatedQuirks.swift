/// What differs between the simulated Beeminder's possible selves: where nobody has recorded what
/// the live service does, a client must survive every one of these.
struct SimulatedQuirks: Sendable {
    /// What a repeated `requestid` with the same contents gets.
    enum DuplicateAnswer: String, Sendable {
        /// 422 `{"errors":"Duplicate request"}`, as clients have observed.
        case refused
        /// 200 and the datapoint with `"status":"duplicate"`.
        case accepted
    }

    /// How `create_all` names the datapoints that it did not take.
    enum BatchErrors: String, Sendable, CaseIterable {
        /// The datapoint as it was sent, with `errors` added.
        case echoed
        /// The words alone.
        case worded
        /// Its `requestid` and the words.
        case named
        /// Its place in the request, counted from 0, and the words.
        case indexed
        /// Instead of a list an object, with the words under each `requestid`.
        case keyed
        /// Not at all: it is in neither list.
        case silent
    }

    /// What a datapoint for a frozen or archived goal gets.
    enum ClosedGoals: String, Sendable {
        case refused, accepted, missing
    }

    /// How long a graph takes to be drawn; until then a goal is `queued` and its numbers are old.
    var graphSeconds = 0.0
    var duplicates = DuplicateAnswer.refused
    var batchErrors = BatchErrors.echoed
    /// Of every so many datapoints that `create_all` took, one is not told of; nil tells of all.
    var batchForgets: Int?
    /// The most datapoints on a page, whatever `per` asks for; the real bound is not known.
    var longestPage: Int?
    /// The status of a `create_all` that took some datapoints and not others.
    var batchStatus = 200
    /// Whether `create_all` takes an array in a JSON body, beside the text of one.
    var takesBareArrays = true
    var closedGoals = ClosedGoals.refused
    /// Whether a personal token may come by `Authorization: Bearer`.
    var takesPersonalTokenAsBearer = false
    /// Whether goals carry fields that nobody has heard of.
    var hasStrangeFields = false
    /// The only `Host` that is served; all others are redirected there, and what they posted is
    /// lost. The live service does this for plain HTTP and for names without `www`.
    var canonicalHost: String?
    /// Calls a minute, past which there is 429; off, since the real number is not public.
    var callsPerMinute: Int?
    /// Whether 429 says when to come back.
    var retryAfterSeconds: Int?
    /// Datapoints of one goal and day; off, though 300 was named once.
    var datapointsPerDay: Int?
    /// Whether the page that asks "authorize this app?" answers itself.
    var authorizesAtOnce = true

    /// The most faithful self, at once and without limits.
    init() {}
}
