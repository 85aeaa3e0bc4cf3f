import BeemedDomain

/// Thrown by the steps of an operation when no further step can help.
extension Outcome: Error {}

extension BeeminderOperation {
    /// The outcome of steps, of which each may end the operation.
    private func outcome(of steps: () throws(Outcome) -> Outcome) -> Outcome {
        do throws(Outcome) { return try steps() } catch { return error }
    }

    private func answer(
        to call: APIRequest
    ) throws(Outcome) -> UpstreamAnswer {
        do throws(TransportFailure) { return try perform(call) } catch { throw error.outcome }
    }

    /// The answer to a call that changes nothing: that Beeminder refuses it, or names a duplicate,
    /// says nothing about any datapoint.
    private func read(_ call: APIRequest) throws(Outcome) -> UpstreamAnswer {
        let answer = try answer(to: call)
        guard answer.status != 200 else { return answer }
        let outcome = Outcome(answer, requestID: "", now: client.wallClock())
        throw switch outcome {
        case .delivered, .erased, .refused: .unclear("the search: \(outcome.words)")
        case .unclear, .outdated, .unchangeable, .unreachable, .busy, .unauthorized, .forbidden,
            .noSuchGoal, .misdirected:
            outcome
        }
    }

    // MARK: Sending

    /// Posts one datapoint; a refused one is only looked for.
    func outcome(of outgoing: OutgoingDatapoint) -> Outcome {
        outcome { () throws(Outcome) in
            if let refusal = outgoing.refusal { return try recheck(outgoing, insteadOf: refusal) }
            return try post(outgoing)
        }
    }

    /// - Parameter needsGoal: whether it is an error that there is no such goal.
    private func find(
        _ outgoing: OutgoingDatapoint, needsGoal: Bool = true
    ) throws(Outcome) -> DatapointList.Datapoint? {
        do throws(Outcome) {
            let search = DatapointSearch(for: outgoing.requestID, since: outgoing.at)
            return try run(search, in: outgoing.goal).found
        } catch {
            guard error == .noSuchGoal, !needsGoal else { throw error }
            return nil
        }
    }

    private func post(_ outgoing: OutgoingDatapoint) throws(Outcome) -> Outcome {
        // A restored older copy of the journal must not remove presses that were sent later.
        if let greatest = outgoing.greatest, let datapoint = try find(outgoing),
            let value = datapoint.value, value > greatest
        {
            return .delivered(.greater, datapoint: datapoint.id)
        }
        let answer = try answer(
            to: APIRequest(
                method: "POST", path: "users/me/goals/\(outgoing.goal)/datapoints",
                parameters: outgoing.parameters))
        let outcome = Outcome(
            answer, requestID: outgoing.requestID, comment: outgoing.comment,
            now: client.wallClock())
        switch outcome {
        case .refused where outgoing.mayBeThere || answer.leavesOpenWhetherItIsThere,
            .unclear where answer.leavesOpenWhetherItIsThere:
            return try recheck(outgoing, insteadOf: outcome)
        default: return outcome
        }
    }

    /// After a conflict that does not tell whether the datapoint exists, searches the goal. If that
    /// fails, whether the datapoint exists is unknown, so the event stays in the queue.
    private func recheck(
        _ outgoing: OutgoingDatapoint, insteadOf refusal: Outcome
    ) throws(Outcome) -> Outcome {
        let found = try find(outgoing, needsGoal: outgoing.mayBeThere)
        return found.map { outgoing.outcome(of: refusal, given: $0) } ?? refusal
    }

    func result(on batch: DatapointBatch) -> BatchResult {
        let call = APIRequest(
            method: "POST", path: "users/me/goals/\(batch.goal)/datapoints/create_all",
            parameters: [("datapoints", batch.encoded)])
        do throws(Outcome) {
            return BatchResult(try answer(to: call), to: batch, now: client.wallClock())
        } catch { return .whole(error) }
    }

    // MARK: Deleting

    /// Deletes a datapoint, if its goal has it.
    func outcome(of deletion: DatapointDeletion) -> Outcome {
        outcome { () throws(Outcome) in
            deletion.isNameTaken
                ? try outcomeAtArchivedGoal(of: deletion) : try outcomeAtGoal(of: deletion)
        }
    }

    /// A goal that is not there has no datapoint, unless it is archived.
    private func outcomeAtGoal(of deletion: DatapointDeletion) throws(Outcome) -> Outcome {
        let outcome = outcome { () throws(Outcome) in try attempt(deletion) }
        guard outcome == .noSuchGoal, deletion.mayHaveArrived else { return outcome }
        let archived = try outcomeAtArchivedGoal(of: deletion)
        return archived == .erased ? outcome : archived
    }

    /// - Returns: erased if its goal is not archived, or has no such datapoint.
    private func outcomeAtArchivedGoal(
        of deletion: DatapointDeletion
    ) throws(Outcome) -> Outcome {
        let answer = try read(.archivedGoals)
        guard let isThere = deletion.isAtGoal(in: answer) else {
            return .unclear("a list of archived goals that cannot be read")
        }
        return isThere ? .archivedGoal : .erased
    }

    private func attempt(_ deletion: DatapointDeletion) throws(Outcome) -> Outcome {
        // Beeminder's id becomes part of a path.
        if let datapoint = deletion.datapoint, datapoint.isPlain {
            return try delete(datapoint, of: deletion)
        }
        if let outcome = try deleteIfFound(deletion) { return outcome }
        return try absence(of: deletion)
    }

    /// The meaning of a goal without the datapoint. Its name may belong to another goal by now, and
    /// no list has told so: then the datapoint is at the former one.
    private func absence(of deletion: DatapointDeletion) throws(Outcome) -> Outcome {
        guard deletion.goalID != nil else { return .erased }
        let goal = try read(.goals("/\(deletion.goal)"))
        return deletion.isAnotherGoal(in: goal) ? .noSuchGoal : .erased
    }

    /// Finds a datapoint by its request id and deletes it; nil when it is certainly not there.
    private func deleteIfFound(_ deletion: DatapointDeletion) throws(Outcome) -> Outcome? {
        let search = DatapointSearch(for: deletion.requestID, since: deletion.at)
        let finding = try run(search, in: deletion.goal)
        guard let datapoint = finding.found?.id else {
            return finding.isCertain ? nil : .unchangeable("not among the newest datapoints")
        }
        guard datapoint.isPlain else { return .unclear("its id is none of Beeminder's") }
        return try delete(datapoint, of: deletion)
    }

    private func delete(
        _ datapoint: String, of deletion: DatapointDeletion, mayFindAnother: Bool = true
    ) throws(Outcome) -> Outcome {
        let answer = try answer(
            to: APIRequest(
                method: "DELETE",
                path: "users/me/goals/\(deletion.goal)/datapoints/\(datapoint)"))
        let outcome = Outcome.deletion(of: datapoint, answer, now: client.wallClock())
        if let outcome { return outcome }
        return try remains(
            of: datapoint, deletion, after: answer, mayFindAnother: mayFindAnother)
    }

    /// Checks whether a datapoint is gone, after an answer that does not tell. A renamed goal still
    /// has it and answers 404 under its old name, so the goal itself must be read.
    private func remains(
        of datapoint: String, _ deletion: DatapointDeletion, after answer: UpstreamAnswer,
        mayFindAnother: Bool
    ) throws(Outcome) -> Outcome {
        let search = DatapointSearch(for: deletion.requestID, since: deletion.at)
        let finding = try run(search, in: deletion.goal, stopAt: datapoint)
        if let other = finding.found?.id, other != datapoint, other.isPlain, mayFindAnother {
            return try delete(other, of: deletion, mayFindAnother: false)
        }
        let status = answer.status
        guard finding.found == nil else {
            return .unclear("status \(status), and it is still there")
        }
        // Beeminder itself reports that the datapoint does not exist, and the goal does.
        guard finding.isCertain || status == 404 && answer.namesErrors else {
            return .unclear("status \(status), and it was not found")
        }
        return try absence(of: deletion)
    }

    // MARK: Searching

    private struct Finding {
        let found: DatapointList.Datapoint?
        /// Whether, if none is found, there is certainly none.
        let isCertain: Bool
    }

    /// - Parameter datapoint: an id of Beeminder's that ends the search, too.
    private func run(
        _ search: DatapointSearch, in goal: GoalSlug, stopAt datapoint: String? = nil
    ) throws(Outcome) -> Finding {
        var search = search
        var page = 1
        while true {
            // The first page is requested by `count`, the documented way without pages.
            let bounds =
                page == 1
                ? [("count", "\(DatapointSearch.pageSize)")]
                : [("page", "\(page)"), ("per", "\(DatapointSearch.pageSize)")]
            let list = try list(of: goal, [("sort", "id")] + bounds)
            if let same = list.datapoints.first(where: { $0.id == datapoint }) {
                return Finding(found: same, isCertain: true)
            }
            switch search.apply(list) {
            case .page(let next): page = next
            case .done: return Finding(found: search.match, isCertain: true)
            case .givenUp: return Finding(found: nil, isCertain: false)
            }
        }
    }

    private func list(
        of goal: GoalSlug, _ parameters: [(name: String, value: String)]
    ) throws(Outcome) -> DatapointList {
        let answer = try read(.goals("/\(goal)/datapoints", parameters))
        guard let list = DatapointList(answer.body) else {
            throw .unclear("a list of datapoints that cannot be read")
        }
        return list
    }

    // MARK: Goals

    /// Fetches the user, and the goals if anything has changed. Goals of `names` that the list
    /// leaves out are requested one by one.
    func goals(since: Int64?, names: [GoalSlug] = []) -> GoalAnswer {
        do throws(TransportFailure) {
            let answer = try perform(APIRequest(path: "users/me"))
            switch GoalAnswer.begin(answer, since: since) {
            case .answer(let answer): return answer
            case .askForGoals(let user):
                let answer = goals(of: user)
                return answer.with(named(answer.missing(of: names)))
            }
        } catch { return error.answer }
    }

    private func named(_ names: [GoalSlug]) -> NamedGoals {
        var named = NamedGoals()
        for name in names {
            let call = APIRequest.goals("/\(name)", [("emaciated", "true")])
            named.add(try? perform(call), for: name)
        }
        guard !named.found.isEmpty else { return named }
        if let archived = try? perform(.archivedGoals) {
            named.remove(archived: archived)
        }
        return named
    }

    private func goals(of user: UpstreamUser) -> GoalAnswer {
        let call = APIRequest.goals("", [("emaciated", "true")])
        do throws(TransportFailure) {
            return GoalAnswer(goals: try perform(call), of: user)
        } catch { return .userOnly(user, why: error.words) }
    }
}

extension BeeminderClient.APIRequest {
    /// A question about goals, by what stands behind their path. The answer may be a long list.
    fileprivate static func goals(
        _ rest: String, _ parameters: [(name: String, value: String)] = []
    ) -> Self {
        Self(path: "users/me/goals\(rest)", parameters: parameters, most: 4 << 20)
    }

    fileprivate static let archivedGoals = goals("/archived")
}

extension String {
    /// Whether the text can be a path segment without escapes.
    fileprivate var isPlain: Bool { NameText.isName(self, atMost: 64, besides: "-_") }
}
