import Testing

@testable import BeemedDomain

/// The meaning of an answer: the table, with as many surprises as a network has.
struct OutcomeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body = ""
        var retryAfter: String?
        var outcome: Outcome

        var testDescription: String {
            "\(status) \(body.prefix(40)) \(retryAfter.map { "Retry-After: \($0)" } ?? "")"
        }
    }

    private static let wrong = Outcome.unclear("a 200 without our request id")

    /// The outcome of an answer that is not Beeminder's, but from somebody on the way.
    private static func foreign(_ status: Int, _ words: String = "") -> Outcome {
        .unclear("status \(status), not in Beeminder's words\(words)")
    }

    static let rows: [Row] = [
        Row(
            status: 200, body: #"{"id":"d1","requestid":"b.1","status":"created"}"#,
            outcome: .delivered(.created, datapoint: "d1")),
        Row(
            status: 201, body: #"{"id":"d1","requestid":"b.1"}"#,
            outcome: .delivered(.created, datapoint: "d1")),
        Row(
            status: 200, body: #"{"id":"d1","requestid":"b.1","status":"updated"}"#,
            outcome: .delivered(.updated, datapoint: "d1")),
        Row(
            status: 200, body: #"{"id":"d1","requestid":"b.1","status":"duplicate"}"#,
            outcome: .delivered(.duplicate, datapoint: "d1")),
        Row(
            status: 200, body: #"{"requestid":"b.1","status":"a new word"}"#,
            outcome: .delivered(.created, datapoint: nil)),
        Row(status: 200, body: "", outcome: wrong),
        Row(status: 200, body: "<html>Welcome to the hotel</html>", outcome: wrong),
        Row(status: 200, body: #"{"id":"d1"}"#, outcome: wrong),
        Row(status: 200, body: #"{"id":"d1","requestid":"b.2"}"#, outcome: wrong),
        Row(status: 200, body: #"[{"requestid":"b.1"}]"#, outcome: wrong),
        Row(status: 200, body: #"{"id":"d1","requestid":"b.1""#, outcome: wrong),
        Row(status: 204, body: "", outcome: wrong),
        Row(status: 301, outcome: .misdirected("a redirect, status 301")),
        Row(status: 302, outcome: .misdirected("a redirect, status 302")),
        Row(status: 307, outcome: .misdirected("a redirect, status 307")),
        Row(
            status: 400, body: #"{"errors":{"message":"Error parsing params"}}"#,
            outcome: .refused(status: 400, why: "Error parsing params")),
        Row(status: 400, body: "bad", outcome: foreign(400, ": bad")),
        Row(status: 400, body: "\u{FEFF}<html>Bad</html>", outcome: foreign(400)),
        Row(
            status: 400, body: #"{"message":"no Route"}"#,
            outcome: foreign(400, #": {"message":"no Route"}"#)),
        Row(status: 400, body: #"{"errors":[]}"#, outcome: foreign(400, #": {"errors":[]}"#)),
        Row(status: 401, outcome: .unauthorized),
        Row(
            status: 401,
            body: #"{"errors":{"auth_token":"bad_token","message":"No such auth_token found."}}"#,
            outcome: .unauthorized),
        Row(status: 401, body: "<html>", outcome: .misdirected("status 401")),
        Row(
            status: 403, body: #"{"error":"This goal is archived"}"#,
            outcome: .forbidden("This goal is archived")),
        Row(status: 403, body: "<html>Blocked", outcome: .misdirected("status 403")),
        Row(status: 403, outcome: .misdirected("status 403")),
        Row(
            status: 404, body: #"{"error":"The requested resource was not found."}"#,
            outcome: .noSuchGoal),
        Row(status: 404, outcome: foreign(404)),
        Row(status: 404, body: "<html>", outcome: foreign(404)),
        Row(
            status: 404, body: "404 page not found\n", outcome: foreign(404, ": 404 page not found")
        ),
        Row(
            status: 406, body: #"{"error":"format"}"#,
            outcome: .refused(status: 406, why: "format")),
        Row(status: 407, body: "Proxy", outcome: foreign(407, ": Proxy")),
        Row(
            status: 407, body: #"{"error":"proxy"}"#, outcome: foreign(407, #": {"error":"proxy"}"#)
        ),
        Row(status: 408, outcome: foreign(408)),
        Row(
            status: 409, body: "Duplicate request",
            outcome: .delivered(.duplicate, datapoint: nil)),
        Row(status: 409, body: "conflict", outcome: foreign(409, ": conflict")),
        Row(status: 413, outcome: foreign(413)),
        Row(status: 413, body: "Too  Large\r\n", outcome: foreign(413, ": Too Large")),
        Row(status: 421, body: "Misdirected", outcome: foreign(421, ": Misdirected")),
        Row(status: 451, body: "blocked", outcome: foreign(451, ": blocked")),
        Row(status: 422, body: "no", outcome: foreign(422, ": no")),
        Row(
            status: 422, body: #"{"errors":"Duplicate request"}"#,
            outcome: .delivered(.duplicate, datapoint: nil)),
        Row(
            status: 422, body: #"{"errors":["That is a duplicate datapoint."]}"#,
            outcome: .delivered(.duplicate, datapoint: nil)),
        Row(
            status: 422, body: #"{"errors":{"value":["is too large"]},"duplicate":false}"#,
            outcome: .refused(status: 422, why: "value: is too large")),
        Row(
            status: 422, body: #"{"errors":"The limit of alice/no-duplicates is reached"}"#,
            outcome: .refused(
                status: 422, why: "The limit of alice/no-duplicates is reached")),
        Row(
            status: 422, body: #"{"errors":["Goal must be restarted", {"day": ["is over"]}]}"#,
            outcome: .refused(status: 422, why: "Goal must be restarted; day: is over")),
        Row(
            status: 422, body: #"{"errors":7}"#,
            outcome: .refused(status: 422, why: #"{"errors":7}"#)),
        Row(
            status: 402, body: #"{"errors":"payment is due"}"#,
            outcome: .unclear("status 402: payment is due")),
        Row(
            status: 422, body: #"{"errors":{"value":["is not a number"]}}"#,
            outcome: .refused(status: 422, why: "value: is not a number")),
        Row(status: 425, outcome: foreign(425)),
        Row(status: 429, outcome: .busy(retryAfter: nil)),
        Row(status: 429, retryAfter: "17", outcome: .busy(retryAfter: 17)),
        Row(status: 429, retryAfter: "-3", outcome: .busy(retryAfter: 0)),
        Row(status: 429, retryAfter: "soon", outcome: .busy(retryAfter: nil)),
        Row(status: 429, retryAfter: "nan", outcome: .busy(retryAfter: nil)),
        Row(
            status: 429, retryAfter: "Thu, 09 Oct 2025 08:53:50 GMT",
            outcome: .busy(retryAfter: 30)),
        Row(
            status: 503, retryAfter: "Thu, 09 Oct 2025 08:00:00 GMT",
            outcome: .busy(retryAfter: 0, mayBeApplied: true)),
        Row(
            status: 503, retryAfter: "120",
            outcome: .busy(retryAfter: 120, mayBeApplied: true)),
        Row(status: 503, outcome: .unclear("status 503")),
        Row(status: 500, body: "<html>", outcome: .unclear("status 500")),
        Row(status: 502, outcome: .unclear("status 502")),
        Row(status: 504, outcome: .unclear("status 504")),
        Row(status: 522, outcome: .unclear("status 522")),
        Row(status: 100, outcome: .unclear("status 100")),
        Row(status: 0, outcome: .unclear("status 0")),
    ]

    @Test func `answers`() {
        // Reads an answer.
        for row in Self.rows {
            let answer = UpstreamAnswer(
                status: row.status, retryAfter: row.retryAfter, body: Array(row.body.utf8))
            let outcome = Outcome(answer, requestID: "b.1", now: UnixTime(1_760_000_000))
            expect(outcome, is: row.outcome, "\(row)")
        }
        part("keeps no more than a kilobyte of what a refusal says") {
            let words = #"{"errors":"\#(String(repeating: "x", count: 100_000))"}"#
            let answer = UpstreamAnswer(status: 422, body: Array(words.utf8))
            guard case .refused(_, let why) = Outcome(answer, requestID: "b.1", now: UnixTime(0))
            else { throw Unexpected("not refused") }
            expect(why.utf8.count, is: 1_024)
        }
        // Doubts a conflict that does not name a field.
        for (status, body, isOpen) in [
            (422, #"{"errors":{"value":["is not a number"]}}"#, false),
            (422, #"{"errors":{"timestamp":["x"],"comment":["y"]}}"#, false),
            (400, "bad", false), (422, "<html>", false), (422, "", true), (409, "conflict", true),
            (422, #"{"errors":"Too many datapoints"}"#, true), (422, #"{"errors":{}}"#, true),
            (422, #"{"errors":{"requestid":["has already been taken"]}}"#, true),
            (422, #"{"errors":{"base":["exists"],"value":["x"]}}"#, true), (409, "[]", true),
        ] as [(Int, String, Bool)] {
            let answer = UpstreamAnswer(status: status, body: Array(body.utf8))
            expect(answer.leavesOpenWhetherItIsThere, is: isOpen, "\(status)")
        }
        // Believes a deletion when the answer is the datapoint, and otherwise looks.
        for (status, body, outcome) in [
            (200, #"{"id":"d1"}"#, Outcome.erased), (202, #"{"id":"d1","value":1.0}"#, .erased),
            (200, #"{"id":"d2"}"#, nil), (200, "", nil), (204, "", nil), (200, "true", nil),
            (200, #"{"ok":true}"#, nil), (200, #"[{"id":"d1"}]"#, nil), (200, "<html>", nil),
            (200, "\u{FEFF}<html>", nil), (200, #"{"id":"d1""#, nil),
            (404, #"{"error":"The requested resource was not found."}"#, nil),
            (404, " <html>", nil),
            (401, "", .unauthorized), (500, "", .unclear("status 500")),
            (302, "", .misdirected("a redirect, status 302")), (429, "", .busy(retryAfter: nil)),
            (422, #"{"error":"no"}"#, .refused(status: 422, why: "no")),
        ] as [(Int, String, Outcome?)] {
            let answer = UpstreamAnswer(status: status, body: Array(body.utf8))
            expect(Outcome.deletion(of: "d1", answer, now: UnixTime(0)), is: outcome, "\(status)")
        }
    }

    @Test func `what is sent`() {
        part("sends the same bytes in every attempt") {
            let event = Event.make("17", value: 2.5, comment: "a & b", at: 1_700_000_000)
            let outgoing = OutgoingDatapoint(4, event)
            let pairs = outgoing.parameters.map { "\($0.name)=\($0.value)" }
            expect(
                pairs,
                is: ["value=2.5", "timestamp=1700000000", "comment=a & b", "requestid=button.17"])
        }
        // Sends whole values without a fraction.
        for (value, text) in [
            (1.0, "1"), (-3, "-3"), (0.25, "0.25"), (1e6, "1000000"), (-0.0, "0"),
        ] as [(Double, String)] {
            let parameters = OutgoingDatapoint(1, .make(value: value)).parameters
            expect(parameters[0].value, is: text, "\(value)")
        }
    }
}
