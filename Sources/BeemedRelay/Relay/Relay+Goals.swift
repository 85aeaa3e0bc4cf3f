import BeemedDomain
import RelayHTTP

/// Goals and pins.
extension Relay {
    /// `GET /goals`: all active goals, in Beeminder's order of urgency.
    func goals(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, visit)
        current.isLook = true
        let overview = core.overview(at: visit.moment)
        let days = try Relay.days(request)
        let sums = days.map { core.dailySums(days: $0, at: visit.moment) } ?? [:]
        return .json(
            JSONWriter.object { json in
                if let user = overview.user { json.add("user", user) }
                json.add("known", core.goals.isKnown)
                json.addArray("goals") { list in
                    for goal in overview.goals {
                        let sums = GoalSlug(goal.goal.slug).flatMap { sums[$0] }
                        list.object { goal.writeWhole(to: &$0, days: sums) }
                    }
                }
            })
    }

    /// `POST /goals/refresh`: ask Beeminder now; what comes is in `GET /goals` a moment later.
    func refreshGoals(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, visit)
        apply(.goalsRequested)
        return .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("sync", core.sync.rawValue)
            })
    }

    /// `GET /pins`: the pinned goals, in order.
    func pins(_ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, visit)
        current.isLook = true
        return pinList
    }

    /// `PUT` and `DELETE /pins/{goal}`: pins a goal, at the end or where `?position=` says, counted
    /// from 1; takes the pin away.
    func pin(_ name: String, _ request: Request, _ visit: Visit) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, visit)
        guard let goal = GoalSlug(name) else {
            throw .unknownGoal(
                "'\(name.prefix(64))' is no goal; use the name from its Beeminder URL")
        }
        var list = core.pins
        let place = list.firstIndex(of: goal)
        if let place { list.remove(at: place) }
        if request.method == .delete {
            guard place != nil else { throw .notFound("'\(goal)' is not pinned; see GET /pins") }
        } else {
            guard !core.goals.isKnown || core.goals[core.goals.current(goal)] != nil else {
                throw .unknownGoal(
                    "goal '\(goal)' is not yours; GET /goals names them",
                    suggestion: core.goals.suggestion(for: goal))
            }
            let end = place ?? list.count
            list.insert(goal, at: min(list.count, try Relay.position(request) ?? end))
        }
        guard store.save(pins: list.map(\.description), log) else {
            throw Problem(
                .notSaved, "the pins could not be saved; make room on the disk and repeat this")
        }
        apply(.pinned(list))
        return pinList
    }

    private var pinList: Response {
        .json(
            JSONWriter.object { json in
                json.addArray("pins") { list in
                    for goal in core.pins { list.element(goal.description) }
                }
            })
    }

    /// `?days=`: of how many days the sums are to be told; nil without it.
    private static func days(_ request: Request) throws(Problem) -> Int? {
        let pairs = FormDecoder.pairs(request.target.query ?? "")
        guard let text = pairs.first(where: { $0.name == "days" })?.value else { return nil }
        guard let days = Int(text), (1...31).contains(days) else {
            throw .malformed("'days' must be from 1 to 31")
        }
        return days
    }

    private static func position(_ request: Request) throws(Problem) -> Int? {
        let pairs = FormDecoder.pairs(request.target.query ?? "")
        guard let text = pairs.first(where: { $0.name == "position" })?.value else { return nil }
        guard let position = Int(text), position >= 1 else {
            throw .malformed("'position' must be 1 or more")
        }
        return position - 1
    }
}
