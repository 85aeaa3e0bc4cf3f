/// Reads the answer to `create_all`.
///
/// Beeminder answers with a list of the datapoints after full success, and otherwise with an object
/// of `successes` and `errors`; valid datapoints are stored in both cases. The status in the second
/// case and the format of an error are not documented, so only successes with one of our request
/// ids count. The others are searched for, and then sent one by one: the answer to a single one
/// tells why it is refused.
package struct BatchAnswer: Sendable, Equatable {
    /// The datapoints that the answer confirms.
    package private(set) var outcomes: [SequenceNumber: Outcome] = [:]
    /// The others: search for them among the goal's datapoints.
    package private(set) var missing: [OutgoingDatapoint]
    /// The errors, for people; nil when there are none.
    private let errors: String?

    /// The next step after an answer.
    package enum Reading: Sendable, Equatable {
        /// The result is complete.
        case result(BatchResult)
        /// Some are not confirmed: search for them, then call `result(found:)`.
        case partial(BatchAnswer)
        /// The goal, or `create_all` itself, does not exist: find out whether the goal answers.
        case goalOrRouteMissing
    }

    /// Parses the answer to the batch.
    package static func parse(
        _ answer: UpstreamAnswer, to batch: DatapointBatch, now: UnixTime
    ) -> Reading {
        switch answer.status {
        case 300...399, 401, 403, 408, 425, 429:
            return .result(.whole(Outcome(answer, requestID: "", now: now)))
        default: break
        }
        if let lists = BatchAnswer(lists: answer, to: batch) {
            return lists.missing.isEmpty ? .result(.each(lists.outcomes)) : .partial(lists)
        }
        switch answer.status {
        case 200...299: return .result(.whole(.unclear("a 200 without our request ids")))
        case 404 where answer.namesErrors: return .goalOrRouteMissing
        // A single one is smaller, and Beeminder names its fault.
        case 413, 414: return .result(.singly("status \(answer.status)"))
        case 400...499 where answer.namesErrors:
            return .result(.singly("status \(answer.status): \(answer.words)"))
        case 400...499: return .result(.whole(.unclear(answer.foreignWords)))
        default: return .result(.whole(Outcome(answer, requestID: "", now: now)))
        }
    }

    /// The result of the batch.
    ///
    /// - Parameter found: the datapoints that were found, by request id.
    package func result(found: [String: DatapointList.Datapoint]) -> BatchResult {
        var outcomes = outcomes
        for outgoing in missing {
            guard let datapoint = found[outgoing.requestID], outgoing.isShown(by: datapoint) else {
                continue
            }
            outcomes[outgoing.number] = .delivered(.duplicate, datapoint: datapoint.id)
        }
        if !outcomes.isEmpty { return .each(outcomes) }
        // The same batch would get the same errors again.
        if let errors { return .singly(errors) }
        return .whole(.unclear("an answer that names none of our request ids"))
    }

    // MARK: The lists

    /// - Returns: nil for an answer without a list.
    private init?(lists answer: UpstreamAnswer, to batch: DatapointBatch) {
        guard let tree = JSONTree(answer.body) else { return nil }
        missing = batch.datapoints
        errors = answer.namesErrors ? answer.words : nil
        let isGood = (200...299).contains(answer.status)
        let list = tree["successes"]?.elements ?? (isGood ? tree.elements : nil)
        for element in list ?? [] { confirm(element) }
        if isGood { confirm(tree) }  // Until 2019 the answer was the last datapoint only.
        guard list != nil || !outcomes.isEmpty || isGood && errors != nil else { return nil }
    }

    /// An accepted datapoint, perhaps one of another request.
    private mutating func confirm(_ element: JSONTree) {
        guard !element.namesErrors, let requestID = element["requestid"]?.text,
            let index = missing.firstIndex(where: { $0.requestID == requestID })
        else { return }
        let how = element["status"]?.text.flatMap(Delivered.init(said:)) ?? .created
        let number = missing.remove(at: index).number
        outcomes[number] = .delivered(how, datapoint: element["id"]?.text)
    }
}
