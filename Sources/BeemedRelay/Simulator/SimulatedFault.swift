import RelayHTTP

/// Something that goes wrong on purpose.
struct SimulatedFault: Sendable {
    /// What the client sees.
    enum FaultKind: Equatable, Sendable {
        /// Nothing but the delay.
        case slow
        /// That status: 401, 404 and 422 with their JSON, any other with a page of HTML, as a
        /// broken front end sends it.
        case status(Int)
        /// 429 in plain text.
        case throttled(retryAfterSeconds: Int?)
        /// 200 and a page of HTML.
        case html
        /// Nothing: the connection is closed without an answer.
        case hangUp
        /// The head and so many bytes of the body, then the end of the connection.
        case cutShort(bytes: Int)
        /// To the same path, without what was posted.
        case redirect
    }

    /// Which of the calls that it is about it strikes.
    enum Timing: Equatable, Sendable {
        case always
        /// Only the one, counted from 1.
        case onCall(Int)
        /// Those up to that one.
        case firstCalls(Int)
        /// Each with that probability.
        case chance(Double)
    }

    var mood: FaultKind
    /// Whether the request takes effect all the same. A lost answer to a datapoint that was taken
    /// is what `requestid` is for.
    var isApplied: Bool
    var delaySeconds: Double
    /// Only such calls; nil for all.
    var method: RelayHTTP.Method?
    /// Only this route, by the name that `APIRoute.name` gives it; nil for all.
    var route: String?
    /// Only this goal, by its slug; nil for all.
    var goal: String?
    var timing: Timing
    /// How many calls it was about.
    private(set) var calls = 0

    /// A fault; it strikes every call unless told otherwise.
    init(
        _ mood: FaultKind, isApplied: Bool = false, delaySeconds: Double = 0,
        method: RelayHTTP.Method? = nil, route: String? = nil, goal: String? = nil,
        timing: Timing = .always
    ) {
        self.mood = mood
        self.isApplied = isApplied
        self.delaySeconds = delaySeconds
        self.method = method
        self.route = route
        self.goal = goal
        self.timing = timing
    }

    /// Whether it strikes this call. Counts it if it is about it at all.
    mutating func strikes(
        _ method: RelayHTTP.Method, _ route: APIRoute, _ random: inout SeededGenerator
    ) -> Bool {
        guard self.method == nil || self.method == method,
            self.route == nil || self.route == route.name,
            goal == nil || goal == route.goal
        else { return false }
        calls += 1
        switch timing {
        case .always: return true
        case .onCall(let number): return calls == number
        case .firstCalls(let count): return calls <= count
        case .chance(let probability): return Double.random(in: 0..<1, using: &random) < probability
        }
    }
}
