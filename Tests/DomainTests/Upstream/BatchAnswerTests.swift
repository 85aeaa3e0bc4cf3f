import Testing

@testable import BeemedDomain

/// What an answer to `create_all` means, in every shape that it may have.
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

    private static func read(_ status: Int, _ body: String) -> BatchAnswer.Reading {
        BatchAnswer.parse(
            UpstreamAnswer(status: status, body: Array(body.utf8)), to: batch, now: now)
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
        Row(body: second, each: "-c-"),
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
        var named = ""
        switch Self.read(row.status, row.body) {
        case .result(.each(let outcomes)): named = Self.letters(outcomes)
        case .partial(let partial):
            named = Self.letters(partial.outcomes)
            let open = partial.missing.map(\.requestID)
            let expected = (1...3).filter { Array(row.each)[$0 - 1] == "-" }.map { "b.\($0)" }
            expect(open, is: expected)
        case let other: Issue.record("\(other)")
        }
        expect(named, is: row.each)
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

    /// The body of an answer, and the result when the search finds nothing.
    static let results: [(String, BatchResult)] = [
        ("[]", .whole(.unclear("an answer that names none of our request ids"))),
        (#"{"successes":[],"errors":["no","is blank"]}"#, .singly("no; is blank")),
        (#"{"errors":{"b.1":"is blank"}}"#, .singly("b.1: is blank")),
        (
            #"{"successes":[\#(first)],"errors":["no"]}"#,
            .each([1: .delivered(.created, datapoint: "d1")])
        ),
    ]

    @Test(arguments: results) func `refuses nothing, and sends one by one what has errors`(
        _ body: String, _ result: BatchResult
    ) throws {
        guard case .partial(let partial) = Self.read(200, body)
        else { throw Unexpected("not partial") }
        expect(partial.result(found: [:]), is: result)
    }

    struct Whole: Sendable, CustomTestStringConvertible {
        var status: Int
        var body = ""
        var retryAfter: String?
        var reading: BatchAnswer.Reading
        var testDescription: String { "\(status) \(body)" }
    }

    /// What somebody on the way has said, whoever that is.
    private static func foreign(_ status: Int, _ words: String = "") -> BatchAnswer.Reading {
        .result(.whole(.unclear("status \(status), not in Beeminder's words\(words)")))
    }

    static let wholes: [Whole] = [
        Whole(
            status: 200, body: "<html>hotel</html>",
            reading: .result(.whole(.unclear("a 200 without our request ids")))),
        Whole(status: 200, reading: .result(.whole(.unclear("a 200 without our request ids")))),
        Whole(
            status: 200, body: #"{"username":"alice"}"#,
            reading: .result(.whole(.unclear("a 200 without our request ids")))),
        Whole(
            status: 200, body: "[\(first)",
            reading: .result(.whole(.unclear("a 200 without our request ids")))),
        Whole(
            status: 302, body: "[]",
            reading: .result(.whole(.misdirected("a redirect, status 302")))),
        Whole(status: 401, body: "[]", reading: .result(.whole(.unauthorized))),
        Whole(
            status: 403, body: #"{"error":"no"}"#,
            reading: .result(.whole(.forbidden("no")))),
        Whole(status: 403, reading: .result(.whole(.misdirected("status 403")))),
        Whole(status: 404, body: #"{"error":"not found"}"#, reading: .goalOrRouteMissing),
        Whole(status: 404, body: "<html>", reading: foreign(404)),
        Whole(status: 408, reading: foreign(408)),
        Whole(
            status: 429, retryAfter: "7", reading: .result(.whole(.busy(retryAfter: 7)))),
        Whole(
            status: 503, retryAfter: "9",
            reading: .result(.whole(.busy(retryAfter: 9, mayBeApplied: true)))),
        Whole(status: 500, body: "<html>", reading: .result(.whole(.unclear("status 500")))),
        Whole(status: 400, body: "bad", reading: foreign(400, ": bad")),
        Whole(status: 406, body: "{}", reading: foreign(406, ": {}")),
        Whole(status: 413, body: "<html>", reading: .result(.singly("status 413"))),
        Whole(status: 422, body: "duplicate", reading: foreign(422, ": duplicate")),
        Whole(
            status: 422, body: #"{"errors":"Duplicate request"}"#,
            reading: .result(.singly("status 422: Duplicate request"))),
        Whole(
            status: 422, body: #"{"errors":{"value":["can't be blank"]}}"#,
            reading: .result(.singly("status 422: value: can't be blank"))),
        Whole(status: 422, body: "[]", reading: foreign(422, ": []")),
        Whole(status: 422, body: "[\(first)]", reading: foreign(422, ": [\(first)]")),
    ]

    @Test(arguments: wholes) func `takes for one answer what speaks of all`(_ row: Whole) {
        let answer = UpstreamAnswer(
            status: row.status, retryAfter: row.retryAfter, body: Array(row.body.utf8))
        expect(BatchAnswer.parse(answer, to: Self.batch, now: Self.now), is: row.reading)
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
        expect(Self.read(200, deep), is: .result(.whole(.unclear("a 200 without our request ids"))))
        guard case .result(.whole(.unclear)) = Self.read(422, deep)
        else { throw Unexpected(Self.read(422, deep)) }
    }
}
