import RelayHTTP

/// An injected fault.
struct SimulatedFault: Sendable {
    /// The effect on the client.
    enum FaultKind: Equatable, Sendable {
        /// Only the delay.
        case slow
        /// This status: 401, 404 and 422 with their JSON, any other with an HTML page, as a broken
        /// front end sends it.
        case status(Int)
        /// 429 in plain text.
        case throttled(retryAfterSeconds: Int?)
        /// 200 with an HTML page.
        case html
        /// The connection is closed without an answer.
        case hangUp
        /// The head and this many bytes of the body, then the connection is closed.
        case cutShort(bytes: Int)
        /// To the same path, without the posted parameters.
        case redirect
    }

    /// The matching calls to which the fault applies.
    enum Timing: Equatable, Sendable {
        case always
        /// Only this one, counted from 1.
        case onCall(Int)
        /// The calls up to this one.
        case firstCalls(Int)
        /// Each with this probability.
        case chance(Double)
    }

    var mood: FaultKind
    /// Whether the request takes effect nevertheless. `requestid` exists for the case that the
    /// answer to an accepted datapoint is lost.
    var isApplied: Bool
    var delaySeconds: Double
    /// Only calls with this method; nil for all.
    var method: RelayHTTP.Method?
    /// Only this route, as named by `APIRoute.Resource`; nil for all.
    var route: String?
    /// Only this goal, by its slug; nil for all.
    var goal: String?
    var timing: Timing
    /// The number of matching calls.
    private(set) var calls = 0

    /// A fault; by default it applies to every call.
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

    /// Whether the fault applies to this call. Counts a matching call.
    mutating func strikes(
        _ method: RelayHTTP.Method, _ route: APIRoute, _ random: inout SeededGenerator
    ) -> Bool {
        guard self.method == nil || self.method == method,
            self.route == nil || self.route == route.resource.rawValue,
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
