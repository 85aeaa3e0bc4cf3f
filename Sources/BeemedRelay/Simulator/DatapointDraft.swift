/// A datapoint from a client's request, checked but without a final time.
struct DatapointDraft: Equatable, Sendable {
    var value: Double
    var timestamp: Int?
    var day: CivilDay?
    var comment: String?
    var requestID: String?
    var enteredText: String?

    /// Reads the parameters of a create.
    ///
    /// - Parameters:
    ///   - now: the time of the request, from which `^` counts back.
    ///   - today: the day of that time.
    init(_ parameters: JSONObject, now: Int, today: CivilDay) throws(Refusal) {
        let requestID = parameters["requestid"]?.parameterText ?? ""
        self.requestID = requestID.isEmpty ? nil : requestID
        if let text = parameters["urtext"]?.parameterText {
            let entry = try DatapointText(text, today: today)
            (value, day, comment, enteredText) = (entry.value, entry.day, entry.comment, text)
            return
        }
        value = try DatapointDraft.value(parameters["value"])
        timestamp = try DatapointDraft.timestamp(parameters["timestamp"], now: now)
        comment = parameters["comment"]?.parameterText
        if let text = parameters["daystamp"]?.parameterText, !text.isEmpty {
            guard let read = CivilDay(daystamp: text) else { throw .badDaystamp }
            day = read
        }
        // Beeminder API reference: "if both are sent, timestamp wins".
        if timestamp != nil { day = nil }
    }

    /// A number, or a text that contains one: "2" is accepted.
    static func value(_ parameter: OrderedJSON?) throws(Refusal) -> Double {
        switch parameter {
        case .integer(let value)?: return Double(value)
        case .number(let value)?, .decimal(let value)?: return value
        case .string(let text)?:
            guard text.contains(where: { !$0.isWhitespace }) else { throw .valueMissing }
            guard let value = Double(plain: text) else { throw .valueNotNumber }
            return value
        case nil, .null?: throw .valueMissing
        case .bool?, .array?, .object?: throw .valueNotNumber
        }
    }

    /// Whole seconds, in any notation; `^` is now and each further `^` a day earlier.
    static func timestamp(_ parameter: OrderedJSON?, now: Int) throws(Refusal) -> Int? {
        guard let text = parameter?.parameterText, !text.isEmpty else { return nil }
        if text.allSatisfy({ $0 == "^" }) { return now - 86_400 * (text.count - 1) }
        guard let value = Double(plain: text) else { throw .badTimestamp }
        // The year 5138: a larger value is most likely in milliseconds.
        guard value < 1e11 else { throw .timestampInMilliseconds }
        guard value > -1e11 else { throw .badTimestamp }
        return Int(value)
    }
}

/// The one-line form of a datapoint that the web and the official app send as `urtext`:
/// `^ 1 "comment"`, `2026 01 25 1:30`, `25 4 "comment"`.
struct DatapointText: Equatable, Sendable {
    var day: CivilDay
    var value: Double
    var comment: String

    /// Reads it; `^` and a bare day of the month are relative to `today`.
    init(_ text: String, today: CivilDay) throws(Refusal) {
        let halves = text.split(separator: "\"", maxSplits: 1, omittingEmptySubsequences: false)
        comment = halves.count == 2 ? String(halves[1]) : ""
        if comment.hasSuffix("\"") { comment.removeLast() }
        var words = halves[0].split(whereSeparator: \.isWhitespace).map(String.init)
        guard let last = words.popLast(), let value = DatapointText.value(last),
            let day = DatapointText.day(words, today: today)
        else { throw .badText }
        (self.value, self.day) = (value, day)
    }

    /// `2.5`, or `1:30` for one and a half.
    private static func value(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return Double(plain: text) }
        let numbers = parts.compactMap(Double.init(plain:))
        guard numbers.count == parts.count, numbers.count <= 3 else { return nil }
        return zip(numbers, [1.0, 60.0, 3_600.0]).map { $0 / $1 }.reduce(0, +)
    }

    private static func day(_ words: [String], today: CivilDay) -> CivilDay? {
        if words.count == 1, let word = words.first {
            if word.allSatisfy({ $0 == "^" }) { return today.advanced(by: 1 - word.count) }
            if let day = CivilDay(daystamp: word) { return day }
        }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == words.count else { return nil }
        let (year, month, _) = today.parts
        switch numbers.count {
        case 0: return today
        case 1: return CivilDay(year: year, month: month, date: numbers[0])
        case 2: return CivilDay(year: year, month: numbers[0], date: numbers[1])
        case 3: return CivilDay(year: numbers[0], month: numbers[1], date: numbers[2])
        case _: return nil
        }
    }
}
