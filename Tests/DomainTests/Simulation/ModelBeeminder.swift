@testable import BeemedDomain

/// Beeminder as far as delivery can see it, with moods: an upsert by request id, and every way
/// in which an answer can be late, lost, wrong or missing.
struct ModelBeeminder: Sendable {
    /// How it answers, until it changes.
    enum Mood: CaseIterable, Sendable {
        case good, losesAnswers, unreachable, broken, busy, overloaded, redirects, portal
        case garbles, signedOut
    }

    /// What it has.
    struct Datapoint: Sendable, Equatable {
        var goal: String
        var value: Double
        var comment: String
        var at: UnixTime
    }

    /// What became of a request on its way.
    enum Reply: Sendable {
        case answer(UpstreamAnswer)
        case none
    }

    var mood = Mood.good
    /// Goals that it does not know for the time being.
    var missing: Set<String> = []
    private(set) var datapoints: [String: Datapoint] = [:]
    /// What should never have happened.
    private(set) var violations: [String] = []
    private var lastNumber: [String: SequenceNumber] = [:]
    private(set) var requests = 0

    /// A value that it will never take.
    static let poison = 13.0

    mutating func post(_ shipment: Shipment, _ chance: inout Randomness) -> Reply {
        requests += 1
        switch mood {
        case .good: return .answer(apply(shipment))
        case .losesAnswers:
            let answer = apply(shipment)
            return Bool.random(using: &chance) ? .answer(answer) : .none
        case .unreachable: return .none
        case .broken:
            if Bool.random(using: &chance) { _ = apply(shipment) }
            let status = [500, 502, 504, 408, 425][Int.random(in: 0..<5, using: &chance)]
            return answer(status, "<html>oops</html>")
        case .busy:
            return answer(429, "{}", retryAfter: "\(Int.random(in: 0...90, using: &chance))")
        case .overloaded: return answer(503, "", retryAfter: nil)
        case .redirects: return answer(301, "")
        case .portal: return answer(200, "<html>Welcome to the hotel</html>")
        case .garbles:
            _ = apply(shipment)
            return answer(200, "{\"id\":")
        case .signedOut: return answer(401, "{\"errors\":{\"auth_token\":\"bad_token\"}}")
        }
    }

    private mutating func apply(_ shipment: Shipment) -> UpstreamAnswer {
        let goal = shipment.goal.description
        if missing.contains(goal) { return raw(404, "{\"errors\":\"goal not found\"}") }
        if shipment.value == ModelBeeminder.poison {
            return raw(422, "{\"errors\":{\"value\":\"is not a number\"}}")
        }
        let point = Datapoint(
            goal: goal, value: shipment.value, comment: shipment.comment, at: shipment.at)
        let key = shipment.requestID
        if let known = datapoints[key] {
            if known == point { return raw(422, "{\"errors\":\"Duplicate request\"}") }
            violations.append("\(key) was updated from \(known) to \(point)")
            datapoints[key] = point
            return raw(200, "{\"id\":\"x\",\"requestid\":\"\(key)\",\"status\":\"updated\"}")
        }
        if let last = lastNumber[goal], last >= shipment.number {
            violations.append("\(goal): \(shipment.number) came after \(last)")
        }
        lastNumber[goal] = shipment.number
        datapoints[key] = point
        return raw(
            200,
            "{\"id\":\"d\(datapoints.count)\",\"requestid\":\"\(key)\",\"status\":\"created\"}")
    }

    private func answer(_ status: Int, _ body: String, retryAfter: String? = nil) -> Reply {
        .answer(UpstreamAnswer(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }

    private func raw(_ status: Int, _ body: String) -> UpstreamAnswer {
        UpstreamAnswer(status: status, body: Array(body.utf8))
    }
}
