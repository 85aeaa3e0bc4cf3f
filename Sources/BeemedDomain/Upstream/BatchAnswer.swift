/// Reads the answer to `create_all`, datapoint by datapoint.
///
/// Beeminder answers with a list of the datapoints after full success, and otherwise with an object
/// of `successes` and `errors`; valid datapoints are stored in both cases. The status in the second
/// case and the format of an error are not documented, so only elements that name one of our
/// request ids count, wherever they are.
package struct BatchAnswer: Sendable, Equatable {
    /// The outcomes of the datapoints that the answer names.
    package private(set) var outcomes: [SequenceNumber: Outcome] = [:]
    /// The others: search for them among the goal's datapoints.
    package private(set) var missing: [OutgoingDatapoint]

    /// The next step after an answer.
    package enum Reading: Sendable, Equatable {
        /// The result is complete.
        case result(BatchResult)
        /// Some are not named: search for them, then call `result(found:)`.
        case partial(BatchAnswer)
        /// The goal, or `create_all` itself, does not exist: find out whether the goal answers.
        case goalOrRouteMissing
    }

    private init(_ datapoints: [OutgoingDatapoint]) {
        missing = datapoints
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
        if let lists = parse(lists: answer, to: batch) {
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
        guard !outcomes.isEmpty else {
            return .whole(.unclear("an answer that names none of our request ids"))
        }
        return .each(outcomes)
    }

    // MARK: The lists

    private static func parse(
        lists answer: UpstreamAnswer, to batch: DatapointBatch
    ) -> BatchAnswer? {
        guard let tree = JSONTree(answer.body) else { return nil }
        var reading = BatchAnswer(batch.datapoints)
        let isGood = (200...299).contains(answer.status)
        let successes = tree["successes"]?.elements
        for element in successes ?? [] { reading.parse(element, isGood: true) }
        for element in tree.elements ?? [] { reading.parse(element, isGood: isGood) }
        if isGood, tree["requestid"] != nil {
            reading.parse(tree, isGood: true)  // Until 2019 the answer was the last datapoint only.
        }
        for fault in tree["errors"]?.faults ?? [] { reading.parse(fault: fault) }
        let isList = successes != nil || (isGood && tree.elements != nil)
        return isList || !reading.outcomes.isEmpty ? reading : nil
    }

    /// Parses an element of a list of accepted datapoints, which may also contain others.
    private mutating func parse(_ element: JSONTree, isGood: Bool) {
        let isFault = element["errors"]?.isSomething ?? element["error"]?.isSomething ?? !isGood
        guard !isFault || (!isGood && element["status"]?.text == Delivered.created.rawValue) else {
            return parse(fault: element)
        }
        guard let requestID = element["requestid"]?.text else { return }
        let how = element["status"]?.text.flatMap(Delivered.init(said:)) ?? .created
        settle(requestID, .delivered(how, datapoint: element["id"]?.text))
    }

    private mutating func parse(fault: JSONTree) {
        guard let outgoing = fault.outgoing(among: missing) else { return }
        let words = fault.words(besides: outgoing)
        if words.contains(where: \.saysDuplicate) {
            settle(outgoing.requestID, .delivered(.duplicate, datapoint: nil))
        } else if !words.isEmpty {
            let why = String(words.joined(separator: ", ").prefix(1_024))
            settle(outgoing.requestID, .refused(status: 422, why: why))
        }
    }

    private mutating func settle(_ requestID: String, _ outcome: Outcome) {
        guard let index = missing.firstIndex(where: { $0.requestID == requestID }) else { return }
        outcomes[missing[index].number] = outcome
        missing.remove(at: index)
    }
}

extension JSONTree {
    /// The elements of `errors`, which may be a list, an object or one text.
    fileprivate var faults: [JSONTree] {
        switch self {
        case .list(let elements): elements
        case .object(let members) where members.keys.contains(where: JSONTree.isIdentity): [self]
        case .object(let members): members.map { .object([$0.key: $0.value]) }
        case .text: [self]
        case .null, .flag, .number: []
        }
    }

    /// Whether the member of that name repeats the request id.
    private static func isIdentity(_ name: String) -> Bool {
        ["requestid", "request_id", "requestId", "rid"].contains(name)
    }

    /// The members of a datapoint: if repeated, they do not describe a fault.
    private static let echoes: Set<String> = [
        "value", "timestamp", "daystamp", "comment", "id", "updated_at", "origin", "creator",
        "urtext", "fulltext", "canonical", "formatted_value", "created_at",
    ]

    /// The datapoint that this element names: by a member that is its request id, or else by its
    /// request id in the text, if it is the only one of ours there. Comments are ignored.
    fileprivate func outgoing(among datapoints: [OutgoingDatapoint]) -> OutgoingDatapoint? {
        let texts = texts
        for (name, text) in texts where JSONTree.isIdentity(name) {
            if let outgoing = datapoints.first(where: { $0.requestID == text }) { return outgoing }
        }
        let words = texts.filter { $0.name != "comment" }.map(\.text)
        let named = datapoints.filter { outgoing in
            words.contains { $0.mentions(outgoing.requestID) }
        }
        return named.count == 1 ? named.first : nil
    }

    /// The texts of its own, without those repeated from the datapoint.
    fileprivate func words(besides outgoing: OutgoingDatapoint) -> [String] {
        let echoed: Set<String> = [outgoing.comment, outgoing.requestID, ""]
        return words.filter { !echoed.contains($0) }
    }

    /// The texts, sorted by member name, so that the same answer gives the same text.
    private var words: [String] {
        switch self {
        case .null, .flag, .number: []
        case .text(let text): [text]
        case .list(let elements): elements.flatMap(\.words)
        case .object(let members):
            members.sorted { $0.key < $1.key }.flatMap { name, value -> [String] in
                guard JSONTree.echoes.contains(name) || JSONTree.isIdentity(name) else {
                    return value.words
                }
                // `value` may be the value that was sent, or a list of its faults.
                return value.elements == nil ? [] : [name] + value.words
            }
        }
    }
}

extension String {
    /// Whether the text contains that name as a whole, not as part of a longer one.
    fileprivate func mentions(_ name: String) -> Bool {
        var rest = self[...]
        while let range = rest.firstRange(of: name) {
            let before = rest[..<range.lowerBound].utf8.last
            let after = rest[range.upperBound...].utf8.prefix { $0 == 0x2E || $0 == 0x3A }
            let next = rest[range.upperBound...].utf8.dropFirst(after.count).first
            let isWhole = !(before.map(\.isPartOfName) ?? false)
            // A dot or colon that ends a sentence ends the name too.
            if isWhole, !(next.map(\.isPartOfName) ?? false) { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}

extension UInt8 {
    /// Whether a request id may contain it.
    fileprivate var isPartOfName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
    }
}
