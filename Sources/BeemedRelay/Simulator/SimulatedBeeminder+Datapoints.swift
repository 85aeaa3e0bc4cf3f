extension SimulatedBeeminder {
    /// `POST /users/u/goals/g/datapoints.json`; 200 for a create, not 201 (recorded 2026-01).
    mutating func post(
        _ parameters: JSONObject, to position: GoalPosition, at now: Double,
        _ results: inout CallResults
    ) throws(Refusal) -> OrderedJSON {
        let (draft, context, known) = try validate(parameters, for: position, at: now)
        let id = known ?? ids.make(at: context.now)
        return try apply(draft, context, id: id, to: position, at: now, &results)
    }

    /// Checks the parameters. Separate from `post`, so that no copy of a goal remains and makes the
    /// later change copy all datapoints.
    private func validate(
        _ parameters: JSONObject, for position: GoalPosition, at now: Double
    ) throws(Refusal) -> (DatapointDraft, PostContext, knownID: String?) {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        let rule = user.rule(goal)
        let second = Int(now)
        let draft = try DatapointDraft(parameters, now: second, today: rule.day(of: second))
        try checkOpen(goal)
        try checkDayLimit(draft, goal, rule, now: second)
        let context = PostContext(rule: rule, creator: user.username, origin: "api", now: second)
        return (draft, context, goal.datapoint(requestID: draft.requestID)?.id)
    }

    private mutating func apply(
        _ draft: DatapointDraft, _ context: PostContext, id: String, to position: GoalPosition,
        at now: Double, _ results: inout CallResults
    ) throws(Refusal) -> OrderedJSON {
        var (datapoint, status) = (SimulatedDatapoint?.none, PostStatus.duplicate)
        change(position, at: now) { goal in
            let outcome = goal.post(draft, context, id: id)
            (datapoint, status) = (outcome.datapoint, outcome.status)
            return outcome.status != .duplicate
        }
        guard let datapoint else { throw .notFound }
        if status == .duplicate, quirks.duplicates == .refused { throw .duplicate }
        if status != .duplicate {
            results.posted.append(
                PostedDatapoint(
                    goal: users[position.user].goals[position.goal].slug, value: datapoint.value,
                    comment: datapoint.comment, requestID: datapoint.requestID, status: status))
        }
        return datapoint.json(context.rule, status: status)
    }

    /// `POST /users/u/goals/g/datapoints/create_all.json`: valid elements are applied, regardless
    /// of the others.
    mutating func postAll(
        _ call: SimulatedCall, to position: GoalPosition, at now: Double,
        _ results: inout CallResults
    ) throws(Refusal) -> OrderedJSON {
        var successes: [OrderedJSON] = []
        var errors = BatchErrorList(quirks.batchErrors)
        for (index, element) in try batch(call).enumerated() {
            do throws(Refusal) {
                guard case .object(let parameters) = element else { throw .datapointsUnreadable }
                let datapoint = try post(parameters, to: position, at: now, &results)
                if let every = quirks.batchForgets, (index + 1) % max(1, every) == 0 { continue }
                successes.append(datapoint)
            } catch {
                errors.add(error, element, at: index)
            }
        }
        guard errors.hasAny else { return .array(successes) }
        results.status = quirks.batchStatus
        return ["successes": .array(successes), "errors": errors.json]
    }

    private func batch(_ call: SimulatedCall) throws(Refusal) -> [OrderedJSON] {
        switch call.parameters["datapoints"] {
        case .string(let text)?:
            guard case .array(let elements)? = OrderedJSON(text: Array(text.utf8)) else {
                throw .datapointsUnreadable
            }
            return elements
        case .array(let elements)?:
            guard quirks.takesBareArrays else { throw .datapointsUnreadable }
            return elements
        case nil, .null?: throw .datapointsMissing
        case .bool?, .integer?, .number?, .decimal?, .object?: throw .datapointsUnreadable
        }
    }

    /// `PUT` and `PATCH`: returns the updated datapoint, without `status`.
    mutating func update(
        _ id: String, of position: GoalPosition, _ call: SimulatedCall, at now: Double
    ) throws(Refusal) -> OrderedJSON {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        let rule = user.rule(goal)
        guard let index = goal.index(of: id) else { throw .notFound }
        var datapoint = goal.datapoints[index]
        if let value = call.parameters["value"] {
            datapoint.value = try DatapointDraft.value(value)
        }
        if let timestamp = try DatapointDraft.timestamp(
            call.parameters["timestamp"], now: Int(now))
        {
            datapoint.timestamp = timestamp
            datapoint.day = rule.day(of: timestamp)
        }
        datapoint.comment = call.text("comment") ?? datapoint.comment
        datapoint.updatedAt = Int(now)
        change(position, at: now) { goal in
            goal.replace(datapoint)
            return true
        }
        return datapoint.json(rule)
    }

    /// `DELETE`: returns the deleted datapoint. "Already deleted" is "not found".
    mutating func delete(
        _ id: String, from position: GoalPosition, at now: Double
    ) throws(Refusal) -> OrderedJSON {
        var removed: SimulatedDatapoint?
        change(position, at: now) { goal in
            removed = goal.remove(id)
            return removed != nil
        }
        guard let removed else { throw .notFound }
        let user = users[position.user]
        return removed.json(user.rule(user.goals[position.goal]))
    }

    /// `GET /users/u/goals/g/datapoints.json`: descending by the requested field.
    func listDatapoints(_ position: GoalPosition, _ call: SimulatedCall) throws(Refusal)
        -> OrderedJSON
    {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        var points = goal.datapoints
        switch call.text("sort") ?? "id" {
        case "timestamp", "daystamp":
            points.sort { ($0.day, $0.timestamp, $0.id) > ($1.day, $1.timestamp, $1.id) }
        case "value": points.sort { ($0.value, $0.id) > ($1.value, $1.id) }
        case "updated_at": points.sort { ($0.updatedAt, $0.id) > ($1.updatedAt, $1.id) }
        case "comment": points.sort { ($0.comment, $0.id) > ($1.comment, $1.id) }
        case "requestid":
            points.sort { ($0.requestID ?? "", $0.id) > ($1.requestID ?? "", $1.id) }
        case _: points.sort { $0.id > $1.id }
        }
        let page = try pageOf(points, call)
        return .array(page.map { $0.json(user.rule(goal)) })
    }

    private func pageOf(
        _ points: [SimulatedDatapoint], _ call: SimulatedCall
    ) throws(Refusal) -> ArraySlice<SimulatedDatapoint> {
        guard let page = call.integer("page") else {
            return points.prefix(max(0, call.integer("count") ?? points.count))
        }
        guard page >= 1 else { throw .badPage }
        let size = min(max(1, call.integer("per") ?? 25), max(1, quirks.longestPage ?? .max))
        // Pages past the end are empty, however large the numbers are.
        guard page - 1 <= points.count / size else { return [] }
        return points.dropFirst((page - 1) * size).prefix(size)
    }

    private func checkOpen(_ goal: SimulatedGoal) throws(Refusal) {
        guard goal.isFrozen || goal.isArchived else { return }
        switch quirks.closedGoals {
        case .accepted: break
        case .refused: throw .closedGoal
        case .missing: throw .notFound
        }
    }

    private func checkDayLimit(
        _ draft: DatapointDraft, _ goal: SimulatedGoal, _ rule: DayRule, now: Int
    ) throws(Refusal) {
        guard let limit = quirks.datapointsPerDay,
            goal.datapoint(requestID: draft.requestID) == nil
        else { return }
        let day = draft.day ?? rule.day(of: draft.timestamp ?? now)
        if goal.count(on: day) >= limit { throw .tooManyThatDay(limit: limit) }
    }
}
