import BeemedDomain

/// Sending, deleting and finding datapoints.
extension BeeminderOperation {
    /// Posts one datapoint, to another goal if an earlier request has stored it there.
    func outcome(of outgoing: OutgoingDatapoint) async -> Outcome {
        for other in outgoing.others {
            let search = DatapointSearch(for: [outgoing.requestID], since: outgoing.at)
            switch await run(search, in: other) {
            case .failed(.noSuchGoal): continue
            case .failed(let outcome): return outcome
            case .ended(let found, _):
                guard let datapoint = found[outgoing.requestID] else { continue }
                if !outgoing.isShown(by: datapoint) { return await post(outgoing.to(other)) }
                return .delivered(.duplicate, datapoint: datapoint.id)
            }
        }
        return await post(outgoing)
    }

    private func post(_ outgoing: OutgoingDatapoint) async -> Outcome {
        if outgoing.mustNotLower, let outcome = await greater(than: outgoing) { return outcome }
        let call = BeeminderClient.APIRequest(
            method: "POST", path: "users/me/goals/\(outgoing.goal)/datapoints",
            parameters: outgoing.parameters)
        switch await perform(call) {
        case .failure(let failure): return failure.outcome
        case .success(let answer):
            let outcome = Outcome(
                answer, requestID: outgoing.requestID, comment: outgoing.comment,
                now: wallClock())
            switch outcome {
            case .refused where outgoing.mayBeThere || answer.leavesOpenWhetherItIsThere,
                .unclear where answer.leavesOpenWhetherItIsThere:
                return await recheck(outgoing, insteadOf: outcome)
            default: return outcome
            }
        }
    }

    /// Looks for a greater value of a merged datapoint at Beeminder. A restored older copy of the
    /// journal must not remove presses that were sent later.
    ///
    /// - Returns: the outcome; nil when the datapoint must be sent.
    private func greater(than outgoing: OutgoingDatapoint) async -> Outcome? {
        let search = DatapointSearch(for: [outgoing.requestID], since: outgoing.at)
        switch await run(search, in: outgoing.goal) {
        case .failed(let outcome): return outcome
        case .ended(let found, _):
            guard let datapoint = found[outgoing.requestID], let value = datapoint.value,
                value > outgoing.value
            else { return nil }
            return .delivered(.greater, datapoint: datapoint.id)
        }
    }

    /// After a conflict that does not tell whether the datapoint exists, searches the goal.
    private func recheck(_ outgoing: OutgoingDatapoint, insteadOf refusal: Outcome) async -> Outcome
    {
        let search = DatapointSearch(for: [outgoing.requestID], since: outgoing.at)
        switch await run(search, in: outgoing.goal) {
        case .ended(let found, _):
            return found[outgoing.requestID].map { outgoing.outcome(of: refusal, given: $0) }
                ?? refusal
        case .failed(let outcome):
            if case .noSuchGoal = outcome, !outgoing.mayBeThere { return refusal }
            // Whether the datapoint exists is unknown, so the event stays in the queue.
            return outcome
        }
    }

    /// Posts several datapoints in one call.
    func result(on batch: DatapointBatch) async -> BatchResult {
        let call = BeeminderClient.APIRequest(
            method: "POST", path: "users/me/goals/\(batch.goal)/datapoints/create_all",
            parameters: [("datapoints", batch.encoded)])
        switch await perform(call) {
        case .failure(let failure): return .whole(failure.outcome)
        case .success(let answer):
            switch BatchAnswer.parse(answer, to: batch, now: wallClock()) {
            case .result(let result): return await confirmed(result, of: batch)
            case .goalOrRouteMissing:
                let trouble = await trouble(with: batch.goal)
                return trouble.map(BatchResult.whole) ?? .singly("there is no create_all")
            case .partial(let partial):
                return await confirmed(await complete(partial, in: batch.goal), of: batch)
            }
        }
    }

    /// Looks for refused datapoints that may be there from an earlier request, all at once.
    private func confirmed(
        _ result: BatchResult, of batch: DatapointBatch
    ) async -> BatchResult {
        guard case .each(var outcomes) = result else { return result }
        let doubtful = batch.datapoints.filter { outgoing in
            guard outgoing.mayBeThere, case .refused? = outcomes[outgoing.number] else {
                return false
            }
            return true
        }
        guard let earliest = doubtful.map(\.at).min() else { return result }
        let search = DatapointSearch(for: doubtful.map(\.requestID), since: earliest)
        switch await run(search, in: batch.goal) {
        case .failed(let outcome):
            for outgoing in doubtful {
                outcomes[outgoing.number] = .unclear("the search for it: \(outcome.words)")
            }
        case .ended(let found, _):
            for outgoing in doubtful {
                guard let datapoint = found[outgoing.requestID],
                    let refusal = outcomes[outgoing.number]
                else { continue }
                outcomes[outgoing.number] = outgoing.outcome(of: refusal, given: datapoint)
            }
        }
        return .each(outcomes)
    }

    private func complete(_ partial: BatchAnswer, in goal: GoalSlug) async -> BatchResult {
        let earliest = partial.missing.map(\.at.seconds).min() ?? 0
        let search = DatapointSearch(
            for: partial.missing.map(\.requestID), since: UnixTime(earliest))
        switch await run(search, in: goal) {
        case .ended(let found, _): return partial.result(found: found)
        case .failed(let outcome):
            return partial.outcomes.isEmpty ? .whole(outcome) : .each(partial.outcomes)
        }
    }

    /// After a 404 below a goal, checks whether the goal itself exists.
    ///
    /// - Returns: nil when the goal exists, else the outcome of the check.
    private func trouble(with goal: GoalSlug) async -> Outcome? {
        let call = BeeminderClient.APIRequest(
            path: "users/me/goals/\(goal)/datapoints", parameters: [("count", "1")],
            most: BeeminderClient.longestList)
        switch await perform(call) {
        case .failure(let failure): return failure.outcome
        case .success(let answer) where answer.status == 200:
            return DatapointList(answer.body) == nil
                ? .unclear("a list of datapoints that cannot be read") : nil
        case .success(let answer): return outcome(ofSearch: answer)
        }
    }

    /// The meaning of an answer without a list. A search changes nothing: that Beeminder refuses
    /// it, or names a duplicate, says nothing about any datapoint.
    private func outcome(ofSearch answer: UpstreamAnswer) -> Outcome {
        let outcome = Outcome(answer, requestID: "", now: wallClock())
        return switch outcome {
        case .delivered, .erased, .refused: .unclear("the search: \(outcome.words)")
        case .unclear, .unchangeable, .unreachable, .busy, .unauthorized, .forbidden, .noSuchGoal,
            .misdirected:
            outcome
        }
    }

    /// Deletes a datapoint, in whichever goal it is.
    func outcome(of deletion: DatapointDeletion) async -> Outcome {
        let outcome =
            deletion.isNameTaken
            ? await outcomeAtArchivedGoal(of: deletion) : await outcomeAtGoal(of: deletion)
        for other in deletion.others {
            guard outcome == .erased || outcome == .archivedGoal else { return outcome }
            let there = await deleteIfFound(deletion.searching(in: other)) ?? .erased
            guard there == .erased else { return there }
        }
        return outcome
    }

    /// A goal that is not there has no datapoint, unless it is archived.
    private func outcomeAtGoal(of deletion: DatapointDeletion) async -> Outcome {
        let outcome = await attempt(deletion)
        guard outcome == .noSuchGoal, deletion.mayHaveArrived else { return outcome }
        let archived = await outcomeAtArchivedGoal(of: deletion)
        return archived == .erased ? outcome : archived
    }

    /// - Returns: erased if its goal is not archived, or has no such datapoint.
    private func outcomeAtArchivedGoal(of deletion: DatapointDeletion) async -> Outcome {
        switch await perform(BeeminderOperation.archivedGoals) {
        case .failure(let failure): return failure.outcome
        case .success(let answer) where answer.status == 200:
            guard let isThere = deletion.isAtGoal(in: answer) else {
                return .unclear("a list of archived goals that cannot be read")
            }
            return isThere ? .archivedGoal : .erased
        case .success(let answer): return self.outcome(ofSearch: answer)
        }
    }

    private func attempt(_ deletion: DatapointDeletion) async -> Outcome {
        // Beeminder's id becomes part of a path.
        if let datapoint = deletion.datapoint, datapoint.isPlain {
            return await delete(datapoint, of: deletion)
        }
        if let outcome = await deleteIfFound(deletion) { return outcome }
        return await absence(of: deletion)
    }

    /// The meaning of a goal without the datapoint. Its name may belong to another goal by now, and
    /// no list has told so: then the datapoint is at the former one.
    private func absence(of deletion: DatapointDeletion) async -> Outcome {
        guard deletion.goalID != nil else { return .erased }
        switch await perform(
            BeeminderClient.APIRequest(
                path: "users/me/goals/\(deletion.goal)", most: BeeminderClient.longestList))
        {
        case .failure(let failure): return failure.outcome
        case .success(let answer) where answer.status == 200:
            return deletion.isAnotherGoal(in: answer) ? .noSuchGoal : .erased
        case .success(let answer): return self.outcome(ofSearch: answer)
        }
    }

    /// Searches for a datapoint by its request id and deletes it.
    ///
    /// - Returns: nil when the datapoint is certainly not there.
    private func deleteIfFound(_ deletion: DatapointDeletion) async -> Outcome? {
        let search = DatapointSearch(for: [deletion.requestID], since: deletion.at)
        switch await run(search, in: deletion.goal) {
        case .failed(let outcome): return outcome
        case .ended(let found, let isCertain):
            if let datapoint = found[deletion.requestID]?.id {
                guard datapoint.isPlain else { return .unclear("its id is none of Beeminder's") }
                return await delete(datapoint, of: deletion)
            }
            return isCertain ? nil : .unchangeable("not among the newest datapoints")
        }
    }

    private func delete(
        _ datapoint: String, of deletion: DatapointDeletion, mayFindAnother: Bool = true
    ) async -> Outcome {
        let call = BeeminderClient.APIRequest(
            method: "DELETE",
            path: "users/me/goals/\(deletion.goal)/datapoints/\(datapoint)")
        switch await perform(call) {
        case .failure(let failure): return failure.outcome
        case .success(let answer):
            let outcome = Outcome.deletion(of: datapoint, answer, now: wallClock())
            if let outcome { return outcome }
            return await remains(
                of: datapoint, deletion, after: answer, mayFindAnother: mayFindAnother)
        }
    }

    /// Checks whether a datapoint is gone, after an answer that does not tell. A renamed goal still
    /// has it and answers 404 under its old name, so the goal itself must be read.
    private func remains(
        of datapoint: String, _ deletion: DatapointDeletion, after answer: UpstreamAnswer,
        mayFindAnother: Bool
    ) async -> Outcome {
        let search = DatapointSearch(for: [deletion.requestID], since: deletion.at)
        switch await run(search, in: deletion.goal, stopAt: datapoint) {
        case .failed(let outcome): return outcome
        case .ended(let found, let isCertain):
            if let other = found[deletion.requestID]?.id, other != datapoint, other.isPlain,
                mayFindAnother
            {
                return await delete(other, of: deletion, mayFindAnother: false)
            }
            let status = answer.status
            guard found.isEmpty else { return .unclear("status \(status), and it is still there") }
            // Beeminder itself reports that the datapoint does not exist, and the goal does.
            let isBeeminders = status == 404 && answer.namesErrors
            return isCertain || isBeeminders
                ? await absence(of: deletion) : .unclear("status \(status), and it was not found")
        }
    }

    // MARK: Searching

    private enum Finding {
        /// The datapoints found, and whether the others certainly do not exist.
        case ended([String: DatapointList.Datapoint], isCertain: Bool)
        /// The search failed.
        case failed(Outcome)
    }

    /// - Parameter datapoint: an id of Beeminder's that ends the search; if found, the result
    ///   contains the datapoint under this id.
    private func run(
        _ search: DatapointSearch, in goal: GoalSlug, stopAt datapoint: String? = nil
    ) async -> Finding {
        var search = search
        var page = 1
        while true {
            switch await list(page, of: goal, size: search.pageSize) {
            case .failure(let failure): return .failed(failure.outcome)
            case .success(let answer) where answer.status != 200:
                return .failed(outcome(ofSearch: answer))
            case .success(let answer):
                guard let list = DatapointList(answer.body) else {
                    return .failed(.unclear("a list of datapoints that cannot be read"))
                }
                if let same = list.datapoints.first(where: { $0.id == datapoint }) {
                    return .ended([same.id: same], isCertain: true)
                }
                switch search.apply(list) {
                case .page(let next): page = next
                case .done: return .ended(search.matches, isCertain: true)
                case .givenUp: return .ended(search.matches, isCertain: false)
                }
            }
        }
    }

    /// The first page is requested by `count`, the documented way without pages.
    private func list(
        _ page: Int, of goal: GoalSlug, size: Int
    ) async -> Result<UpstreamAnswer, CallFailure> {
        let bounds =
            page == 1 ? [("count", "\(size)")] : [("page", "\(page)"), ("per", "\(size)")]
        return await perform(
            BeeminderClient.APIRequest(
                path: "users/me/goals/\(goal)/datapoints", parameters: [("sort", "id")] + bounds,
                most: BeeminderClient.longestList))
    }
}

extension BeeminderOperation {
    /// Fetches the user, and the goals if anything has changed. Goals of `names` that the list
    /// leaves out are requested one by one.
    func goals(since: Int64?, names: [GoalSlug] = []) async -> GoalAnswer {
        switch await perform(BeeminderClient.APIRequest(path: "users/me")) {
        case .failure(let failure): return failure.answer
        case .success(let answer):
            switch GoalAnswer.begin(answer, since: since) {
            case .answer(let answer): return answer
            case .askForGoals(let user):
                let answer = await goals(of: user)
                return answer.with(await named(answer.missing(of: names)))
            }
        }
    }

    private func named(_ names: [GoalSlug]) async -> NamedGoals {
        var named = NamedGoals()
        for name in names {
            let call = BeeminderClient.APIRequest(
                path: "users/me/goals/\(name)", parameters: [("emaciated", "true")],
                most: BeeminderClient.longestList)
            named.add(try? await perform(call).get(), for: name)
        }
        guard !named.found.isEmpty else { return named }
        let answer = await perform(BeeminderOperation.archivedGoals)
        if case .success(let archived) = answer { named.remove(archived: archived) }
        return named
    }

    fileprivate static let archivedGoals = BeeminderClient.APIRequest(
        path: "users/me/goals/archived", most: BeeminderClient.longestList)

    private func goals(of user: UpstreamUser) async -> GoalAnswer {
        let call = BeeminderClient.APIRequest(
            path: "users/me/goals", parameters: [("emaciated", "true")],
            most: BeeminderClient.longestList)
        switch await perform(call) {
        case .failure(let failure): return .userOnly(user, why: failure.words)
        case .success(let answer): return GoalAnswer(goals: answer, of: user)
        }
    }
}

extension String {
    /// Whether the text can be a path segment without escapes.
    fileprivate var isPlain: Bool {
        !isEmpty && utf8.count <= 64
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}
