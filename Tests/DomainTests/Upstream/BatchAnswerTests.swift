import Testing

@testable import BeemedDomain

/// The meaning of an answer to `create_all`, in every shape that the answer may have.
struct BatchAnswerTests {
    private static let now = UnixTime(1_760_000_000)

    /// Datapoints 1 to 3 with the request ids `b.1` to `b.3`.
    private static let batch = DatapointBatch(
        .known("pushups"),
        (1...3).map { number in
            OutgoingDatapoint(
                number: SequenceNumber(UInt64(number)), goal: .known("pushups"),
                requestID: "b.\(number)", value: 1, comment: "", at: now)
        })

    private static func read(_ status: Int, _ body: String) -> BatchResult {
        BatchResult(UpstreamAnswer(status: status, body: Array(body.utf8)), to: batch, now: now)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var status = 200
        var body: String
        /// `c` created, `u` updated, `d` duplicate, `-` not confirmed.
        var each: String
        var testDescription: String { "\(status) \(body): \(each)" }
    }

    private static let first = #"{"id":"d1","requestid":"b.1","status":"created"}"#
    private static let second = #"{"id":"d2","requestid":"b.2","status":"created"}"#
    private static let third = #"{"id":"d3","requestid":"b.3","status":"created"}"#

    static let rows: [Row] = [
        Row(body: "[\(first),\(second),\(third)]", each: "ccc"),
        Row(body: "[\(third),\(first),\(second)]", each: "ccc"),
        Row(body: "[\(first),\(third)]", each: "c-c"),
        Row(body: "[]", each: "---"),
        Row(
            body: #"[{"id":"x","requestid":"other"},{"id":"y","requestid":null},null]"#,
            each: "---"),
        Row(body: #"[{"requestid":"b.1","status":"updated"}]"#, each: "u--"),
        Row(body: #"[{"requestid":"b.2","status":"duplicate"}]"#, each: "-d-"),
        Row(body: second, each: "---"),
        Row(body: #"{"successes":[\#(first)],"errors":[]}"#, each: "c--"),
        Row(body: #"{"successes":[],"errors":[]}"#, each: "---"),
        Row(status: 500, body: #"{"successes":[\#(first)],"errors":["oops"]}"#, each: "c--"),
        // Errors confirm nothing, whatever their form.
        Row(
            status: 422,
            body: #"{"successes":[\#(first)],"errors":"#
                + #"[{"requestid":"b.2","error":"Duplicate request"}]}"#,
            each: "c--"),
        Row(body: #"{"successes":[\#(first)],"errors":"something"}"#, each: "c--"),
        Row(body: #"{"successes":[],"errors":{"b.1":"Duplicate request"}}"#, each: "---"),
        Row(body: #"{"successes":null,"errors":[{"rid":"b.2","why":"no"}]}"#, each: "---"),
        Row(body: #"{"requestid":"b.1","error":"no"}"#, each: "---"),
        Row(body: #"[\#(first),{"requestid":"b.2","error":"no"}]"#, each: "c--"),
    ]

    @Test(arguments: rows) func `takes for delivered what the answer confirms`(_ row: Row) {
        switch Self.read(row.status, row.body) {
        case .each(let outcomes): expect(Self.letters(outcomes), is: row.each)
        case .whole(.unclear): expect(row.each, is: "---")
        case let other: Issue.record("\(other)")
        }
    }

    private static func letters(_ outcomes: [SequenceNumber: Outcome]) -> String {
        (1...3).map { number -> String in
            switch outcomes[SequenceNumber(UInt64(number))] {
            case .delivered(.created, _)?: "c"
            case .delivered(.updated, _)?: "u"
            case .delivered(.duplicate, _)?: "d"
            case nil: "-"
            case _: "?"
            }
        }.joined()
    }

    struct Whole: Sendable, CustomTestStringConvertible {
        var status: Int
        var body = ""
        var retryAfter: String?
        var outcome: Outcome
        var testDescription: String { "\(status) \(body)" }
    }

    /// The outcome of an answer that is not Beeminder's, but from somebody on the way.
    private static func foreign(_ status: Int, _ words: String = "") -> Outcome {
        .unclear("status \(status), not in Beeminder's words\(words)")
    }

    private static let nameless = Outcome.unclear("an answer that names none of our request ids")

    static let wholes: [Whole] = [
        Whole(status: 200, body: "<html>hotel</html>", outcome: nameless),
        Whole(status: 200, outcome: nameless),
        Whole(status: 200, body: #"{"username":"alice"}"#, outcome: nameless),
        Whole(status: 200, body: "[\(first)", outcome: nameless),
        Whole(status: 302, body: "[]", outcome: .misdirected("a redirect, status 302")),
        Whole(status: 401, body: "[]", outcome: .unauthorized),
        Whole(status: 403, body: #"{"error":"no"}"#, outcome: .forbidden("no")),
        Whole(status: 403, outcome: .misdirected("status 403")),
        Whole(
            status: 404, body: #"{"error":"not found"}"#,
            outcome: .unclear("status 404: not found")),
        Whole(status: 404, body: "<html>", outcome: foreign(404)),
        Whole(status: 408, outcome: foreign(408)),
        Whole(status: 429, retryAfter: "7", outcome: .busy(retryAfter: 7)),
        Whole(
            status: 503, retryAfter: "9", outcome: .busy(retryAfter: 9, mayBeApplied: true)),
        Whole(status: 500, body: "<html>", outcome: .unclear("status 500")),
        Whole(status: 400, body: "bad", outcome: foreign(400, ": bad")),
        Whole(status: 406, body: "{}", outcome: foreign(406, ": {}")),
        Whole(status: 413, body: "<html>", outcome: foreign(413)),
        Whole(status: 422, body: "duplicate", outcome: foreign(422, ": duplicate")),
        Whole(
            status: 422, body: #"{"errors":"Duplicate request"}"#,
            outcome: .unclear("status 422: Duplicate request")),
        Whole(
            status: 422, body: #"{"errors":{"value":["can't be blank"]}}"#,
            outcome: .unclear("status 422: value: can't be blank")),
        Whole(status: 422, body: "[]", outcome: foreign(422, ": []")),
        Whole(status: 422, body: "[\(first)]", outcome: foreign(422, ": [\(first)]")),
    ]

    @Test(arguments: wholes) func `takes for one answer what speaks of all`(_ row: Whole) {
        let answer = UpstreamAnswer(
            status: row.status, retryAfter: row.retryAfter, body: Array(row.body.utf8))
        expect(BatchResult(answer, to: Self.batch, now: Self.now), is: .whole(row.outcome))
    }

    @Test func `sends the same as single posts do`() {
        let batch = DatapointBatch(
            .known("pushups"),
            [
                OutgoingDatapoint(
                    4, .make("17", value: 2.5, comment: "a \"b\"", at: 1_700_000_000)),
                OutgoingDatapoint(5, .make("18", at: 1_700_000_001)),
            ])
        expect(
            batch.encoded,
            is: #"[{"value":2.5,"timestamp":1700000000,"comment":"a \"b\"","#
                + #""requestid":"button.17"},"#
                + #"{"value":1,"timestamp":1700000001,"comment":"","requestid":"button.18"}]"#)
    }

    @Test func `does not choke on an answer nested without end`() throws {
        let deep = String(repeating: "[", count: 100_000)
        expect(Self.read(200, deep), is: .whole(Self.nameless))
        guard case .whole(.unclear) = Self.read(422, deep) else {
            throw Unexpected(Self.read(422, deep))
        }
    }
}
