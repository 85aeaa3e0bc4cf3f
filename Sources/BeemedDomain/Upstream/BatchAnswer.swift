/// Reads the answer to `create_all`.
///
/// Beeminder answers with a list of the datapoints after full success, and otherwise with an object
/// of `successes` and `errors`; valid datapoints are stored in both cases. The status in the second
/// case and the format of an error are not documented, so only successes with one of our request
/// ids count. The others are sent one by one: the answer to a single one tells what became of it.
extension BatchResult {
    package init(_ answer: UpstreamAnswer, to batch: DatapointBatch, now: UnixTime) {
        let confirmed = batch.confirmed(by: answer)
        switch answer.status {
        case 300...399, 401, 403, 408, 425, 429:
            self = .whole(Outcome(answer, requestID: "", now: now))
        case _ where !confirmed.isEmpty: self = .each(confirmed)
        case 200...299: self = .whole(.unclear("an answer that names none of our request ids"))
        // There is no such goal, or no `create_all`; or it is too long, or one of them is at fault.
        case 400...499 where answer.namesErrors:
            self = .whole(.unclear("status \(answer.status): \(answer.words)"))
        case 400...499: self = .whole(.unclear(answer.foreignWords))
        default: self = .whole(Outcome(answer, requestID: "", now: now))
        }
    }
}

extension DatapointBatch {
    /// The datapoints that an answer confirms, in which others may be named as well.
    fileprivate func confirmed(by answer: UpstreamAnswer) -> [SequenceNumber: Outcome] {
        guard let tree = JSONTree(answer.body) else { return [:] }
        let isGood = (200...299).contains(answer.status)
        let list = tree["successes"]?.elements ?? (isGood ? tree.elements : nil) ?? []
        let numbers = Dictionary(datapoints.map { ($0.requestID, $0.number) }) { first, _ in first }
        var outcomes: [SequenceNumber: Outcome] = [:]
        for element in list where !element.namesErrors {
            guard let number = element["requestid"]?.text.flatMap({ numbers[$0] }) else { continue }
            outcomes[number] = element.delivery
        }
        return outcomes
    }
}
