import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /goals`: all active goals, in Beeminder's order of urgency.
    func goals(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let overview = core.overview(at: context.moment)
        let days = try Relay.days(request)
        let sums = days.map { core.dailySums(days: $0, at: context.moment) } ?? [:]
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

    /// `POST /goals/refresh`: starts a refresh; `GET /goals` shows its result shortly after.
    func refreshGoals(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        apply(.goalsRequested)
        return .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("sync", core.sync.rawValue)
            })
    }

    /// `GET /pins`: the pinned goals, in order.
    func pins(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        return pinList
    }

    /// `PUT` and `DELETE /pins/{goal}`: pins a goal, at the end or at `?position=`, counted from 1;
    /// unpins it. The list may be older than the goal, so Beeminder is asked before an unknown goal
    /// is refused.
    ///
    /// - Returns: nil for a pin, whose answer follows when the goal is known.
    func pin(
        _ name: String, _ exchange: Exchange, _ context: RequestContext
    ) throws(Problem) -> Response? {
        let request = exchange.request
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        guard let goal = GoalSlug(name) else {
            throw .unknownGoal(
                "'\(name.prefix(64))' is no goal; use the name from its Beeminder URL")
        }
        guard request.method == .delete else {
            let position = try Relay.position(request)
            look(
                for: goal, for: .pin(exchange.id, position: position, current), context.moment)
            return nil
        }
        guard core.pins.contains(goal) else {
            throw .notFound("'\(goal)' is not pinned; see GET /pins")
        }
        try save(pins: core.pins.filter { $0 != goal })
        return pinList
    }

    /// Pins an existing goal.
    func pinned(_ reply: Reply, at position: Int?) -> Result<Response, Problem> {
        guard case .usable(let goal) = reply else { return reply.result(.none, at: clock()) }
        var list = core.pins
        let place = list.firstIndex(of: goal)
        if let place { list.remove(at: place) }
        list.insert(goal, at: min(list.count, position ?? place ?? list.count))
        do throws(Problem) {
            try save(pins: list)
            return .success(pinList)
        } catch {
            return .failure(error)
        }
    }

    private func save(pins: [GoalSlug]) throws(Problem) {
        guard store.save(pins: pins.map(\.description), log) else {
            throw Problem(
                .notSaved, "the pins could not be saved; make room on the disk and repeat this")
        }
        apply(.pinned(pins))
    }

    private var pinList: Response {
        .json(
            JSONWriter.object { json in
                json.addArray("pins") { list in
                    for goal in core.pins { list.element(goal.description) }
                }
            })
    }

    /// `?days=`: the number of daily sums to include; nil without it.
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
