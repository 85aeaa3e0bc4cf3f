import Foundation

/// An answer from Beeminder's address, whoever gave it.
package struct UpstreamAnswer: Sendable {
    /// The status code.
    package var status: Int
    /// The field `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3).
    package var retryAfter: String?
    package var body: [UInt8]

    /// An answer as it came.
    package init(status: Int, retryAfter: String? = nil, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
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

    /// What `Retry-After` asks for, in seconds from now; nil when it is absent or unreadable.
    func secondsToWait(now: UnixTime) -> Double? {
        guard let retryAfter else { return nil }
        if let seconds = Double(retryAfter), seconds.isFinite { return max(0, seconds) }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        guard let date = format.date(from: retryAfter) else { return nil }
        return max(0, date.timeIntervalSince1970 - Double(now.seconds))
    }
}

extension GoalAnswer {
    private struct User: Decodable {
        var username: String
        var timezone: String?
        var updated_at: Int64?
    }

    /// Reads the answers to `users/me.json` and `users/me/goals.json`.
    package init(user: UpstreamAnswer, goals: UpstreamAnswer) {
        for answer in [user, goals] where answer.status != 200 {
            self =
                answer.status == 401 || answer.status == 403
                ? .unauthorized : .unclear("status \(answer.status)")
            return
        }
        let decoder = JSONDecoder()
        guard let person = try? decoder.decode(User.self, from: Data(user.body)),
            let list = try? decoder.decode([Goal].self, from: Data(goals.body))
        else {
            self = .unclear("the list of goals cannot be read")
            return
        }
        self = .goals(
            list,
            user: UpstreamUser(
                name: person.username, timezone: person.timezone, updatedAt: person.updated_at))
    }
}
