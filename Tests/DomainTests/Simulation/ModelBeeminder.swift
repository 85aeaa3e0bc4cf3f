@testable import BeemedDomain

/// Beeminder as far as delivery can see it, with moods: an upsert by request id, and every way
/// in which an answer can be late, lost, wrong or missing.
struct ModelBeeminder: Sendable {
    /// How it answers, until it changes.
    enum Mood: CaseIterable, Sendable {
        case good, losesAnswers, unreachable, broken, busy, overloaded, redirects, portal
        case garbles, signedOut
    }

    /// The fault of all requests about one goal, at Beeminder or on the way there.
    enum Bar: CaseIterable, Sendable {
        case forbidden, signedOut, firewall, redirects, page, hangs, proxy, proxyMisses
    }

    /// A datapoint as Beeminder has it.
    struct Datapoint: Sendable, Equatable {
        var goal: String
        var value: Double
        var comment: String
        var at: UnixTime
    }

    /// The number of datapoints.
    var count: Int { datapoints.count }

    private struct Slot: Hashable, Sendable {
        var user: String?
        var goal: String
        var requestID: String
    }

    /// The datapoints with that request id, at any goal.
    func datapoints(_ requestID: String) -> [Datapoint] {
        datapoints.filter { $0.key.requestID == requestID }.map(\.value)
    }

    /// The same, of one user.
    func datapoints(_ requestID: String, of user: String?) -> [Datapoint] {
        datapoints.filter { $0.key.requestID == requestID && $0.key.user == user }.map(\.value)
    }

    /// The answer to a request, or none.
    enum Reply: Sendable {
        case answer(UpstreamAnswer)
        case none
    }

    var mood = Mood.good
    /// Goals that it does not know for the time being.
    var missing: Set<String> = []
    /// Whether the goal `late` is there by now.
    var hasLate = false
    /// Whose the token is that is used; nil when it is nobody's.
    var user: String?
    /// To whom each datapoint went.
    private var takers: [String: String] = [:]
    /// Goals that are barred while all others are all right.
    var barred: [String: Bar] = [:]
    /// Request ids of what was sent though it may be lost. If it is, its device sends it again, and
    /// the time of that is another one.
    var pardoned: Set<String> = []
    /// By goal and request id: the same request id at two goals is two datapoints.
    private var datapoints: [Slot: Datapoint] = [:]
    /// The broken rules of delivery, in words.
    private(set) var violations: [String] = []
    /// Request ids of events that may come behind later ones, such as undone or moved events.
    var withoutOrder: Set<String> = []
    /// By user and goal: goals of two users may have one name.
    private var lastNumbers: [String?: [String: SequenceNumber]] = [:]
    private(set) var requests = 0

    /// A value that it will never take.
    static let poison = 13.0
    /// A value that it refuses at times.
    static let disliked = 19.0
    /// Whether this is such a time.
    var isRefusing = false
    /// A value that something before it answers with a fault each time, as a filter does that
    /// dislikes a comment.
    static let filtered = 17.0
    /// Whether that filter is there.
    var isFiltering = true

    private func filter(_ batch: DatapointBatch) -> UpstreamAnswer? {
        guard isFiltering, batch.datapoints.contains(where: { $0.value == Self.filtered }) else {
            return nil
        }
        let isFirewall = (batch.datapoints.first?.number.value ?? 0) % 2 == 0
        return isFirewall ? raw(403, "<html>Blocked by policy</html>") : raw(500, "oops")
    }

    /// Takes several at once, in one of the ways in which Beeminder may answer that.
    mutating func postTogether(_ batch: DatapointBatch, _ chance: inout Randomness) -> BatchResult {
        requests += 1
        if user == nil, mood != .unreachable { return .whole(.unauthorized) }
        if let bar = barred[batch.goal.description] { return .whole(outcome(of: bar)) }
        guard mood == .good || mood == .losesAnswers || mood == .garbles else {
            return .whole(mood == .signedOut ? .unauthorized : .unreachable("mood"))
        }
        if let answer = filter(batch) {
            return .whole(Outcome(answer, requestID: "", now: UnixTime(0)))
        }
        if Int.random(in: 0..<6, using: &chance) == 0 { return .whole(.unclear("not together")) }
        var outcomes: [SequenceNumber: Outcome] = [:]
        for outgoing in batch.datapoints {
            let answer = apply(outgoing)
            // Some are applied and not named, some are not even applied.
            if Int.random(in: 0..<5, using: &chance) == 0 { continue }
            outcomes[outgoing.number] = Outcome(
                answer, requestID: outgoing.requestID, now: outgoing.at)
            if case .noSuchGoal? = outcomes[outgoing.number] { return .whole(.noSuchGoal) }
        }
        if mood == .losesAnswers, Bool.random(using: &chance) {
            return .whole(.unreachable("lost"))
        }
        return mood == .garbles ? .whole(.unclear("garbled")) : .each(outcomes)
    }

    /// Deletes a datapoint.
    mutating func delete(_ deletion: DatapointDeletion, _ chance: inout Randomness) -> Outcome {
        requests += 1
        if user == nil, mood != .unreachable { return .unauthorized }
        if let bar = barred[deletion.goal.description] { return outcome(of: bar) }
        guard mood == .good || mood == .losesAnswers else {
            return mood == .signedOut ? .unauthorized : .unclear("mood")
        }
        if let datapoint = deletion.datapoint, datapoint != "d-\(deletion.requestID)" {
            violations.append("\(datapoint) is not what \(deletion.requestID) is called")
        }
        let slot = Slot(user: user, goal: deletion.goal.description, requestID: deletion.requestID)
        datapoints[slot] = nil
        return mood == .losesAnswers && Bool.random(using: &chance) ? .unclear("lost") : .erased
    }

    /// The relay gives these numbers out again: it had lost, unacknowledged, what bore them.
    mutating func expect(_ next: SequenceNumber, for goal: String) {
        for (user, numbers) in lastNumbers {
            guard let last = numbers[goal], last >= next else { continue }
            lastNumbers[user]?[goal] = SequenceNumber(next.value - 1)
        }
    }

    /// Looks for a datapoint that was refused, in case an earlier request has brought it.
    func look(for outgoing: OutgoingDatapoint, insteadOf refusal: Outcome) -> Outcome {
        guard user != nil else { return .unauthorized }
        if let bar = barred[outgoing.goal.description] { return outcome(of: bar) }
        guard mood == .good else { return .unclear("mood") }
        let slot = Slot(
            user: user, goal: outgoing.goal.description, requestID: outgoing.requestID)
        guard let known = datapoints[slot] else { return refusal }
        return known.value == outgoing.value
            ? .delivered(.duplicate, datapoint: nil) : .outdated(datapoint: nil)
    }

    mutating func post(_ outgoing: OutgoingDatapoint, _ chance: inout Randomness) -> Reply {
        requests += 1
        if user == nil, mood != .unreachable { return answer(401, "{\"errors\":{}}") }
        if let bar = barred[outgoing.goal.description] { return reply(of: bar) }
        let alone = DatapointBatch(outgoing.goal, [outgoing])
        if mood != .unreachable, let answer = filter(alone) { return .answer(answer) }
        switch mood {
        case .good: return .answer(apply(outgoing))
        case .losesAnswers:
            let answer = apply(outgoing)
            return Bool.random(using: &chance) ? .answer(answer) : .none
        case .unreachable: return .none
        case .broken:
            if Bool.random(using: &chance) { _ = apply(outgoing) }
            let status = [500, 502, 504, 408, 425][Int.random(in: 0..<5, using: &chance)]
            return answer(status, "<html>oops</html>")
        case .busy:
            return answer(429, "{}", retryAfter: "\(Int.random(in: 0...90, using: &chance))")
        case .overloaded: return answer(503, "", retryAfter: nil)
        case .redirects: return answer(301, "")
        case .portal: return answer(200, "<html>Welcome to the hotel</html>")
        case .garbles:
            _ = apply(outgoing)
            return answer(200, "{\"id\":")
        case .signedOut: return answer(401, "{\"errors\":{\"auth_token\":\"bad_token\"}}")
        }
    }

    /// A request that a relay has sent long ago arrives only now, with the token that it had.
    mutating func receiveLate(_ batch: DatapointBatch, of owner: String) {
        let present = user
        user = owner
        // A batch is a single request: a filter on its way stops the whole batch.
        if filter(batch) == nil { for outgoing in batch.datapoints { _ = apply(outgoing) } }
        user = present
    }

    private func reply(of bar: Bar) -> Reply {
        switch bar {
        case .forbidden: answer(403, #"{"error":"Forbidden"}"#)
        case .signedOut: answer(401, #"{"errors":{"auth_token":"bad_token"}}"#)
        case .firewall: answer(403, "<html>Blocked by policy</html>")
        case .redirects: answer(302, "<html>You are being redirected</html>")
        case .page: answer(200, "\u{FEFF}<html>Welcome</html>")
        case .hangs: .none
        case .proxy: answer(400, "Bad Request")
        case .proxyMisses: answer(404, "404 page not found")
        }
    }

    private func outcome(of bar: Bar) -> Outcome {
        switch reply(of: bar) {
        case .none: .unreachable("no answer")
        case .answer(let answer): Outcome(answer, requestID: "", now: UnixTime(0))
        }
    }

    private mutating func apply(_ outgoing: OutgoingDatapoint) -> UpstreamAnswer {
        let goal = outgoing.goal.description
        let isThere = goal != "late" || hasLate
        if !isThere || missing.contains(goal) { return raw(404, "{\"errors\":\"goal not found\"}") }
        if outgoing.value == ModelBeeminder.poison {
            return raw(422, "{\"errors\":{\"value\":\"is not a number\"}}")
        }
        let isKnown = !datapoints(outgoing.requestID, of: user).isEmpty
        if outgoing.value == ModelBeeminder.disliked, isRefusing, !isKnown {
            return raw(422, "{\"errors\":{\"value\":\"is not to my liking\"}}")
        }
        let point = Datapoint(
            goal: goal, value: outgoing.value, comment: outgoing.comment, at: outgoing.at)
        let key = outgoing.requestID
        // A rule's day of two users is one to each.
        if let taker = takers[key], taker != user, !key.hasPrefix("\(DayTotal.device).") {
            violations.append("\(key) went to \(taker) and to \(user ?? "nobody")")
        }
        takers[key] = user
        let slot = Slot(user: user, goal: goal, requestID: key)
        if let known = datapoints[slot] {
            if known == point { return raw(422, "{\"errors\":\"Duplicate request\"}") }
            if !pardoned.contains(key) {
                violations.append("\(key) was updated from \(known) to \(point)")
            }
            datapoints[slot] = point
            return raw(200, "{\"id\":\"d-\(key)\",\"requestid\":\"\(key)\",\"status\":\"updated\"}")
        }
        let last = lastNumbers[user]?[goal]
        // A refused datapoint comes late, when a person retries it or an earlier request arrives.
        let mayBeLate = withoutOrder.contains(key) || outgoing.value == ModelBeeminder.disliked
        if let last, last >= outgoing.number, !mayBeLate {
            violations.append("\(goal): \(outgoing.number) came after \(last)")
        }
        lastNumbers[user, default: [:]][goal] = max(last ?? outgoing.number, outgoing.number)
        datapoints[slot] = point
        return raw(
            200,
            "{\"id\":\"d-\(key)\",\"requestid\":\"\(key)\",\"status\":\"created\"}")
    }

    private func answer(_ status: Int, _ body: String, retryAfter: String? = nil) -> Reply {
        .answer(UpstreamAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }

    private func raw(_ status: Int, _ body: String) -> UpstreamAnswer {
        UpstreamAnswer(status: status, body: Array(body.utf8))
    }
}

extension Ledger.Entry {
    /// Whether it has the value that is answered with a fault each time.
    var isFiltered: Bool { event.value == ModelBeeminder.filtered }
}
