/// What the answer to `create_all` says, datapoint by datapoint.
///
/// Beeminder answers a list of the datapoints when all went well, and otherwise an object with
/// `successes` and `errors`; good ones are kept whatever became of the others. The status in that
/// case and the shape of an error are written nowhere, so that only what names a request id of
/// ours counts, wherever it stands.
package struct BatchAnswer: Sendable, Equatable {
    /// What is known of those that the answer names.
    package private(set) var outcomes: [SequenceNumber: Outcome] = [:]
    /// The others: to be looked for among the goal's datapoints.
    package private(set) var missing: [OutgoingDatapoint]

    /// What to do about an answer.
    package enum Reading: Sendable, Equatable {
        /// Nothing is left to ask.
        case result(BatchResult)
        /// Some are not named in it: look for them, then ask for `result(found:)`.
        case partial(BatchAnswer)
        /// There is no such goal, or no such thing as `create_all`: does the goal answer?
        case goalOrRouteMissing
    }

    private init(_ datapoints: [OutgoingDatapoint]) {
        missing = datapoints
    }

    /// Reads the answer to the batch.
    package static func read(
        _ answer: UpstreamAnswer, to batch: DatapointBatch, now: UnixTime
    ) -> Reading {
        switch answer.status {
        case 300...399, 401, 403, 408, 425, 429:
            return .result(.whole(Outcome(answer, requestID: "", now: now)))
        default: break
        }
        if let lists = read(lists: answer, to: batch) {
            return lists.missing.isEmpty ? .result(.each(lists.outcomes)) : .partial(lists)
        }
        switch answer.status {
        case 200...299: return .result(.whole(.unclear("a 200 without our request ids")))
        case 404 where answer.namesErrors: return .goalOrRouteMissing
        // One alone is smaller, and Beeminder says what is wrong with it.
        case 413, 414: return .result(.singly("status \(answer.status)"))
        case 400...499 where answer.namesErrors:
            return .result(.singly("status \(answer.status): \(answer.excerpt)"))
        case 400...499: return .result(.whole(.unclear(answer.foreignWords)))
        default: return .result(.whole(Outcome(answer, requestID: "", now: now)))
        }
    }

    /// What came of it all.
    ///
    /// - Parameter found: Beeminder's names of the missing ones that are there, by request id.
    package func result(found: [String: String]) -> BatchResult {
        var outcomes = outcomes
        for outgoing in missing {
            guard let datapoint = found[outgoing.requestID] else { continue }
            outcomes[outgoing.number] = .delivered(.duplicate, datapoint: datapoint)
        }
        guard !outcomes.isEmpty else {
            return .whole(.unclear("an answer that names none of our request ids"))
        }
        return .each(outcomes)
    }

    // MARK: The lists

    private static func read(
        lists answer: UpstreamAnswer, to batch: DatapointBatch
    ) -> BatchAnswer? {
        guard let tree = JSONTree(answer.body) else { return nil }
        var reading = BatchAnswer(batch.datapoints)
        let isGood = (200...299).contains(answer.status)
        let successes = tree["successes"]?.elements
        for element in successes ?? [] { reading.note(element, isGood: true) }
        for element in tree.elements ?? [] { reading.note(element, isGood: isGood) }
        if isGood, tree["requestid"] != nil {
            reading.note(tree, isGood: true)  // So it was until 2019: the last datapoint alone.
        }
        for fault in tree["errors"]?.faults ?? [] { reading.note(fault: fault) }
        let isList = successes != nil || (isGood && tree.elements != nil)
        return isList || !reading.outcomes.isEmpty ? reading : nil
    }

    /// Takes an element of a list in which the good ones stand; not every one is.
    private mutating func note(_ element: JSONTree, isGood: Bool) {
        let isFault = element["errors"]?.isSomething ?? element["error"]?.isSomething ?? !isGood
        guard !isFault || (!isGood && element["status"]?.text == Delivered.created.rawValue) else {
            return note(fault: element)
        }
        guard let requestID = element["requestid"]?.text else { return }
        let how = element["status"]?.text.flatMap(Delivered.init(said:)) ?? .created
        settle(requestID, .delivered(how, datapoint: element["id"]?.text))
    }

    private mutating func note(fault: JSONTree) {
        guard let outgoing = fault.outgoing(among: missing) else { return }
        let words = fault.words(besides: outgoing)
        if words.contains(where: { $0.lowercased().contains("duplicate") }) {
            settle(outgoing.requestID, .delivered(.duplicate, datapoint: nil))
        } else if !words.isEmpty {
            let why = String(words.joined(separator: ", ").prefix(1_024))
            settle(outgoing.requestID, .refused(status: 422, why: why))
        }
    }

    private mutating func settle(_ requestID: String, _ outcome: Outcome) {
        guard let place = missing.firstIndex(where: { $0.requestID == requestID }) else { return }
        outcomes[missing[place].number] = outcome
        missing.remove(at: place)
    }
}

extension JSONTree {
    /// The elements of `errors`, whether it is a list, an object by some name, or one text.
    fileprivate var faults: [JSONTree] {
        switch self {
        case .list(let elements): elements
        case .object(let members) where members.keys.contains(where: JSONTree.isIdentity): [self]
        case .object(let members): members.map { .object([$0.key: $0.value]) }
        case .text: [self]
        case .null, .flag, .number: []
        }
    }

    /// Whether one's own request id is told back under that name.
    private static func isIdentity(_ name: String) -> Bool {
        ["requestid", "request_id", "requestId", "rid"].contains(name)
    }

    /// What a datapoint consists of: told back, it says nothing about a fault.
    private static let echoes: Set<String> = [
        "value", "timestamp", "daystamp", "comment", "id", "updated_at", "origin", "creator",
        "urtext", "fulltext", "canonical", "formatted_value", "created_at",
    ]

    /// The one that this names: by a member that is its request id, or else by its request id
    /// somewhere in the words, if it is the only one of ours there. A comment names nobody.
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

    /// What it says in words of its own, without what it tells back of the datapoint.
    fileprivate func words(besides outgoing: OutgoingDatapoint) -> [String] {
        let echoed: Set<String> = [outgoing.comment, outgoing.requestID, ""]
        return words.filter { !echoed.contains($0) }
    }

    /// The words, by the order of the members' names, so that the same answer reads the same.
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
                // Under `value` stands what was sent, or a list of what is wrong with it.
                return value.elements == nil ? [] : [name] + value.words
            }
        }
    }
}

extension String {
    /// Whether that name stands in it by itself and not as a part of a longer one.
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
    /// Whether a request id may hold it.
    fileprivate var isPartOfName: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
    }
}
