import Foundation

/// An answer from Beeminder's address, whoever gave it.
package struct UpstreamAnswer: Sendable {
    /// The status code.
    package var status: Int
    /// The field `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3).
    package var retryAfter: String?
    /// When the answer was made, by the clock of the server that made it: the field `Date` (RFC 9110
    /// section 6.6.1); nil when it is absent or cannot be read. A proxy on the way may have made the
    /// answer, so it is Beeminder's time only if the rest of the answer is Beeminder's.
    package var date: UnixTime?
    package var body: [UInt8]

    /// An answer as it came.
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
    /// A 2xx counts only with our request id in it: behind a redirect to the wrong host, or a
    /// captive portal, there is a 200 too. Beeminder answers an exact repetition with 422 and the
    /// words "Duplicate request".
    ///
    /// - Parameter comment: what was sent; an answer that repeats it says nothing by its words.
    package init(
        _ answer: UpstreamAnswer, requestID: String, comment: String = "", now: UnixTime
    ) {
        switch answer.status {
        case 200...299: self = Outcome.success(answer.body, requestID)
        case 300...399: self = .misdirected("a redirect, status \(answer.status)")
        case 401, 403: self = .unauthorized
        case 404: self = .noSuchGoal
        case 408, 425: self = .unclear("status \(answer.status)")
        case 429: self = .busy(retryAfter: answer.secondsToWait(now: now))
        case 503 where answer.retryAfter != nil:
            self = .busy(retryAfter: answer.secondsToWait(now: now))
        // Beeminder words its refusals in JSON; a page in HTML is somebody else's on the way.
        case 400...499 where answer.isPage: self = .unclear("status \(answer.status) with a page")
        case 409, 422:
            self =
                answer.saysDuplicate(besides: comment)
                ? .delivered(.duplicate, datapoint: nil)
                : .refused(status: answer.status, why: answer.excerpt)
        case 400...499: self = .refused(status: answer.status, why: answer.excerpt)
        default: self = .unclear("status \(answer.status)")
        }
    }

    private struct Datapoint: Decodable {
        var id: String?
        var requestid: String?
        var status: String?
    }

    private static func success(_ body: [UInt8], _ requestID: String) -> Outcome {
        guard let datapoint = try? JSONDecoder().decode(Datapoint.self, from: Data(body)),
            datapoint.requestid == requestID
        else { return .unclear("a 200 without our request id") }
        let how = datapoint.status.flatMap(Delivered.init(rawValue:)) ?? .created
        return .delivered(how, datapoint: datapoint.id)
    }
}

extension Outcome {
    /// Reads the answer to a DELETE. What is not there any more is gone (recorded: 404).
    package init(erasing answer: UpstreamAnswer, now: UnixTime) {
        switch answer.status {
        case 200...299 where !answer.isPage: self = .erased
        case 200...299: self = .unclear("a 200 with a page")
        case 404 where !answer.isPage: self = .erased
        case 404: self = .unclear("status 404 with a page")
        default: self = Outcome(answer, requestID: "", now: now)
        }
    }
}

extension UpstreamAnswer {
    /// Whether the body is a page for a browser.
    var isPage: Bool {
        body.first { $0 != 0x20 && !(0x09...0x0D).contains($0) } == UInt8(ascii: "<")
    }

    /// Whether it says, in words of its own, that this was there already.
    func saysDuplicate(besides comment: String) -> Bool {
        let text = excerpt.lowercased()
        let isAmbiguous = comment.lowercased().contains("duplicate")
        return text.contains(isAmbiguous ? "\"duplicate request" : "duplicate")
    }

    /// The body's beginning as text, for people; at most 1 KiB.
    var excerpt: String {
        String(decoding: body.prefix(1_024), as: UTF8.self)
    }

    /// What `Retry-After` asks for, in seconds; nil when it is absent or unreadable. A date in it is
    /// one of the server's clock, so it is compared with that clock's `Date`: the relay's own clock
    /// may be hours away from it.
    ///
    /// - Parameter now: the relay's time, which counts when the answer has no date.
    func secondsToWait(now: UnixTime) -> Double? {
        retryAfter.flatMap { RetryAfter.seconds($0, answered: date ?? now) }
    }

    /// Whether these words leave it open that the datapoint is there already: a conflict that says
    /// neither "duplicate" nor which of the fields it does not like.
    package var leavesOpenWhetherItIsThere: Bool {
        guard status == 409 || status == 422, !isPage else { return false }
        guard case .object(let faults)? = JSONTree(body)?["errors"] else { return true }
        let fields: Set<String> = ["value", "timestamp", "daystamp", "comment", "urtext"]
        return faults.isEmpty || !fields.isSuperset(of: faults.keys)
    }
}
