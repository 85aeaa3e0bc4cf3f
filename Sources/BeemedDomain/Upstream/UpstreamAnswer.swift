/// An answer from Beeminder's address, from Beeminder or from a proxy.
package struct UpstreamAnswer: Sendable {
    /// The status code.
    package var status: Int
    /// The field `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3).
    package var retryAfter: String?
    /// When the answer was created, by its server's clock: the field `Date` (RFC 9110 section
    /// 6.6.1); nil when missing or unreadable. A proxy may have created the answer, so this is
    /// Beeminder's time only if the rest of the answer is Beeminder's.
    package var date: UnixTime?
    package var body: [UInt8]

    /// Creates an answer from its parts.
    package init(
        status: Int, retryAfter: String? = nil, date: UnixTime? = nil, body: [UInt8]
    ) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

extension Outcome {
    /// Reads the answer to a posted datapoint.
    ///
    /// A 2xx counts only with our request id in it: a redirect to the wrong host or a captive
    /// portal also answers 200. Beeminder answers an exact repetition with 422 and the words
    /// "Duplicate request". A refusal counts only as JSON with errors, Beeminder's format: any
    /// proxy may send a 4xx.
    ///
    /// - Parameter comment: the comment that was sent; if repeated in the answer, its words are
    ///   ignored.
    package init(
        _ answer: UpstreamAnswer, requestID: String, comment: String = "", now: UnixTime
    ) {
        switch answer.status {
        case 200...299: self = Outcome.success(answer.body, requestID)
        case 300...399: self = .misdirected("a redirect, status \(answer.status)")
        case 401 where !answer.isPage: self = .unauthorized
        case 403 where answer.namesErrors: self = .forbidden(answer.words)
        case 401, 403: self = .misdirected("status \(answer.status)")
        case 404 where answer.namesErrors: self = .noSuchGoal
        // The first is a proxy's own (RFC 9110 section 15.5.8), the last is about the connection
        // (section 15.5.20); after the others the same may be sent again (RFC 8470 section 5.2).
        case 407, 408, 421, 425: self = .unclear(answer.foreignWords)
        case 429: self = .busy(retryAfter: answer.secondsToWait(now: now))
        case 503 where answer.retryAfter != nil:
            self = .busy(retryAfter: answer.secondsToWait(now: now), mayBeApplied: true)
        case 409 where !answer.isPage && answer.saysDuplicate(besides: comment),
            422 where !answer.isPage && answer.saysDuplicate(besides: comment):
            self = .delivered(.duplicate, datapoint: nil)
        // About the account, the method or a lock, and not about this datapoint: they may pass.
        case 402 where answer.namesErrors, 405 where answer.namesErrors,
            423 where answer.namesErrors, 451 where answer.namesErrors:
            self = .unclear("status \(answer.status): \(answer.words)")
        case 400...499 where answer.namesErrors:
            self = .refused(status: answer.status, why: answer.words)
        case 400...499: self = .unclear(answer.foreignWords)
        default: self = .unclear("status \(answer.status)")
        }
    }

    private static func success(_ body: [UInt8], _ requestID: String) -> Outcome {
        guard let datapoint = JSONTree(body), datapoint["requestid"]?.text == requestID else {
            return .unclear("a 200 without our request id")
        }
        return datapoint.delivery
    }
}

extension Outcome {
    /// Reads the answer to a DELETE.
    ///
    /// The deletion counts when the answer is the datapoint (recorded: 200 with the former
    /// datapoint). Any other success, and 404, may come from a proxy.
    ///
    /// - Returns: nil when only a search among the goal's datapoints can tell.
    package static func deletion(
        of datapoint: String, _ answer: UpstreamAnswer, now: UnixTime
    ) -> Outcome? {
        switch answer.status {
        case 200...299: JSONTree(answer.body)?["id"]?.text == datapoint ? .erased : nil
        case 404: nil
        case 409 where answer.saysDuplicate(besides: ""),
            422 where answer.saysDuplicate(besides: ""):
            .unclear("status \(answer.status): \(answer.words)")
        default: Outcome(answer, requestID: "", now: now)
        }
    }
}

extension JSONTree {
    /// Every text inside, without the names of members.
    fileprivate var said: [String] {
        switch self {
        case .null, .flag, .number: []
        case .text(let text): [text]
        case .list(let elements): elements.flatMap(\.said)
        case .object(let members): members.values.flatMap(\.said)
        }
    }
}

extension JSONTree {
    /// The delivery that a datapoint in an answer proves.
    var delivery: Outcome {
        let how = self["status"]?.text.flatMap(Delivered.init(said:)) ?? .created
        return .delivered(how, datapoint: self["id"]?.text)
    }

    /// Whether it is an object with errors.
    var namesErrors: Bool {
        [self["errors"], self["error"]].contains { $0?.isSomething == true }
    }

    /// Every text inside, behind the name of the field that it is about.
    fileprivate var sentences: [String] {
        if case .list(let elements) = self { return elements.flatMap(\.sentences) }
        guard case .object(let members) = self else { return said }
        return members.sorted { $0.key < $1.key }.flatMap { name, value in
            let isField = !["message", "error"].contains(name)
            return value.sentences.map { isField ? "\(name): \($0)" : $0 }
        }
    }
}

extension String {
    /// Whether the text has the word "duplicate", not as a part of a name such as "no-duplicates".
    var saysDuplicate: Bool {
        lowercased().split { !($0.isLetter || $0.isNumber || "-_/.".contains($0)) }
            .contains { $0 == "duplicate" || $0 == "duplicate." }
    }
}

extension UpstreamAnswer {
    /// Whether the body is an HTML page, also after a byte order mark.
    var isPage: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body[...]
        return text.first { !$0.isBlank } == UInt8(ascii: "<")
    }

    /// Whether the answer has errors in Beeminder's format: an object with `errors`, or `error`
    /// (recorded; API reference, "Errors").
    package var namesErrors: Bool { JSONTree(body)?.namesErrors ?? false }

    /// For people: the text of an answer that did not come from Beeminder.
    var foreignWords: String {
        let words = String(decoding: body.prefix(200), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let said = words.isEmpty || isPage ? "" : ": \(words)"
        return "status \(status), not in Beeminder's words\(said)"
    }

    /// Whether its own words say that the datapoint existed already: those of its errors, if it is
    /// JSON. They may also repeat a goal's name or the comment.
    func saysDuplicate(besides comment: String) -> Bool {
        let isAmbiguous = comment.lowercased().contains("duplicate")
        return errorWords.contains {
            isAmbiguous ? $0.lowercased().hasPrefix("duplicate request") : $0.saysDuplicate
        }
    }

    private var errorWords: [String] {
        guard let tree = JSONTree(body) else { return [excerpt] }
        guard tree.members != nil else { return tree.said }
        return [tree["errors"], tree["error"]].compactMap { $0 }.flatMap(\.said)
    }

    /// The errors, for people: their texts, with the names of the fields that they are about; at
    /// most 1 KiB. The body itself if they have no text.
    var words: String {
        let errors = JSONTree(body).flatMap { tree in
            [tree["errors"], tree["error"]].compactMap { $0 }.flatMap(\.sentences)
        }
        guard let errors, !errors.isEmpty else { return excerpt }
        let bytes = errors.joined(separator: "; ").utf8.prefix(1_024)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The beginning of the body as text, for people; at most 1 KiB.
    var excerpt: String {
        String(decoding: body.prefix(1_024), as: UTF8.self)
    }

    /// The delay requested by `Retry-After`, in seconds; nil when missing or unreadable. A date in
    /// the field is by the server's clock, and compared with that clock's `Date`: the relay's own
    /// clock may differ by hours.
    ///
    /// - Parameter now: the relay's time, used when the answer has no date.
    func secondsToWait(now: UnixTime) -> Double? {
        retryAfter.flatMap { RetryAfter.seconds($0, answered: date ?? now) }
    }

    /// Whether the datapoint may exist already: a conflict that neither says "duplicate" nor names
    /// a refused field.
    package var leavesOpenWhetherItIsThere: Bool {
        guard status == 409 || status == 422, !isPage else { return false }
        guard case .object(let faults)? = JSONTree(body)?["errors"] else { return true }
        let fields: Set<String> = ["value", "timestamp", "daystamp", "comment", "urtext"]
        return faults.isEmpty || !fields.isSuperset(of: faults.keys)
    }
}

/// The field `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The requested delay in seconds, at least 0; nil when unreadable.
    ///
    /// - Parameter answered: when the answer was created, by the clock that the date refers to.
    package static func seconds(_ field: String, answered: UnixTime) -> Double? {
        let field = field.trimmed
        if let seconds = Double(field), seconds.isFinite { return max(0, seconds) }
        guard let date = DateField.parse(field) else { return nil }
        let (seconds, isTooLarge) = date.seconds.subtractingReportingOverflow(answered.seconds)
        return isTooLarge ? nil : max(0, Double(seconds))
    }
}

/// An HTTP date (RFC 9110 section 5.6.7) in the format that is sent, not the two old ones. It is read
/// by hand: Foundation's formatter brings megabytes of words of all languages along.
package enum DateField {
    /// The time of `Sun, 06 Nov 1994 08:49:37 GMT`; nil when unreadable.
    package static func parse(_ field: String) -> UnixTime? {
        let words = field.split { $0 == " " || $0 == "," }
        guard words.count == 6, ["GMT", "UTC"].contains(words[5]), let day = Int(words[1]),
            let month = month(words[2]), words[3].utf8.count == 4,
            let year = UInt16(words[3]).map(Int.init),
            let second = second(of: words[4]),
            let date = Daystamp(year: year, month: month, day: day)
        else { return nil }
        return UnixTime(date.number * 86_400 + second)
    }

    private static func month(_ word: Substring) -> Int? {
        let names = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        return names.firstIndex(of: word.lowercased()).map { $0 + 1 }
    }

    /// The second of the day of `08:49:37`.
    private static func second(of word: Substring) -> Int64? {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count == 2 ? Int64($0) : nil }
        guard parts.count == 3, numbers.count == 3, (0..<24).contains(numbers[0]),
            (0..<60).contains(numbers[1]), (0...60).contains(numbers[2])
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
    }
}
