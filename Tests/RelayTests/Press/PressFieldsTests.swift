import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// The table of field names is the same for every form of a body.
struct PressFieldsTests {
    private func press(_ fields: PressFields, strict: Bool = false) throws(Problem) -> Press {
        let device = Device.known("esp32", strict: strict)
        return try Press(fields, path: "water", from: device, PresetBook())
    }

    private func press(_ body: String, strict: Bool = false) throws -> Press {
        try press(BodyReader.fields(Array(body.utf8)), strict: strict)
    }

    /// The same pair in every form that a body or a query can have.
    private func forms(_ name: String, _ text: String) throws -> [PressFields] {
        let part = "Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
        return [
            try BodyReader.fields(Array("{\"\(name)\":\"\(text)\"}".utf8)),
            try BodyReader.fields(Array("{\"s\\u0074rict\":0,\"\(name)\":\"\(text)\"}".utf8)),
            try BodyReader.fields(Array("\(name)=\(text)".utf8)),
            try BodyReader.fields(Array("--b\r\n\(part)--b--\r\n".utf8)),
            try BodyReader.fields(ofQuery: "\(name)=\(text)"),
        ]
    }

    @Test(
        arguments: [
            ("date", "1 "), ("date", "1+"), ("value", "1"), ("value", " "), ("timestamp", "1"),
            ("goal", "x"),
        ])
    func `a long content costs no more when its field is repeated`(
        _ name: String, _ text: String
    ) {
        let repeated = String(repeating: ",\"\(name)\":1", count: 10_000)
        func time(_ content: String, _ rest: String) -> Int64 {
            let body = Array("{\"\(name)\":\"\(content)\"\(rest)}".utf8)
            return ThreadTime.nanoseconds { _ = try? press(try BodyReader.fields(body)) }
        }
        let long = String(repeating: text, count: 40_000)
        // Comparing them each time would take thousands of times as long.
        let apart = time(long, "") + time("2", repeated)
        expect(time(long, repeated) < 4 * apart)
    }

    @Test func `names and what they hold`() throws {
        part("a token behind a contradiction is read") {
            let fields = try BodyReader.fields(Array("value=1&value=2&value=3&token=br_x".utf8))
            expect(fields[.token], is: "br_x")
            expect(fields.contradiction?.detail.contains("'1' and '2'"), is: true)
        }
        part("a mark behind a separator belongs to the content") {
            let text = "value=5&comment=\u{338}foo&\u{FE0F}x=\u{338}y"
            let fields = try BodyReader.fields(Array(text.utf8))
            expect(fields[.comment], is: "\u{338}foo")
            expect(fields.metadata, is: ["\u{FE0F}x": "\u{338}y"])
            try expect(press(fields).value, is: 5)
        }
        // Reads a value by each of its names in every form.
        for name in [
            "value", "val", "amount", "qty", "count", "number", "Value", "VALUE", "Qty", "aMount",
        ] {
            for fields in try forms(name, "8123") {
                expect(fields[.value], is: "8123", "\(fields)")
                try expect(press(fields).value, is: 8_123, "\(name)")
            }
        }
        // Knows every name in upper and lower case.
        for (name, field) in [
            ("Goal", .goal), ("goalSlug", .goal), ("GOALSLUG", .goal), ("slug", .goal),
            ("Comment", .comment), ("ID", .id), ("requestId", .id), ("RequestID", .id),
            ("rid", .id), ("request_id", .id), ("TimeStamp", .timestamp), ("TS", .timestamp),
            ("Age", .age), ("age_S", .age), ("Daystamp", .day), ("DATE", .day), ("Token", .token),
        ] as [(String, PressFields.Field)] {
            for fields in try forms(name, "x") { expect(fields[field], is: "x", "\(name)") }
        }
        // Keeps a number that is a name as it is written.
        for number in [
            "9007199254740993", "18446744073709551617", "123456789012345678901234567890", "17.0",
            "1e3",
            "-5", "0",
        ] {
            for name in ["id", "requestid", "goal", "comment"] {
                let fields = try BodyReader.fields(Array("{\"\(name)\": \(number) }".utf8))
                expect(fields[.id] ?? fields[.goal] ?? fields[.comment], is: number, "\(number)")
            }
        }
    }

    static let contradictions: [(String, ErrorCode)] = [
        (#"{"value":1,"value":2}"#, .unusableValue), (#"{"value":5,"amount":3}"#, .unusableValue),
        (#"{"Value":5,"value":3}"#, .unusableValue), ("value=1&value=2", .unusableValue),
        ("val=1&QTY=2", .unusableValue), (#"{"id":"a","requestid":"b"}"#, .unusableID),
        (#"{"id":1,"id":"2"}"#, .unusableID), ("id=a&rid=b", .unusableID),
        (#"{"goal":"water","slug":"pushups"}"#, .unusableGoal),
        (#"{"comment":"a","comment":"b"}"#, .unusableComment),
        (#"{"timestamp":1,"ts":2}"#, .unusableTime), (#"{"age":1,"age_s":2}"#, .unusableTime),
        (#"{"daystamp":"20261118","date":"2026-11-19"}"#, .unusableTime),
        ("token=a&token=b", .malformed),
        (
            "--b\r\nContent-Disposition: form-data; name=id\r\n\r\n1\r\n--b\r\n"
                + "Content-Disposition: form-data; name=rid\r\n\r\n2\r\n--b--\r\n", .unusableID
        ),
    ]

    @Test func `contradictions, and empty values`() throws {
        // Refuses a press that says two things.
        for (body, code) in Self.contradictions {
            expectRefusal(body, code, "twice")
        }
        // Takes a press that says one thing twice.
        for body in [
            #"{"value":1,"value":1}"#, #"{"value":1,"amount":"1.0"}"#, #"{"id":"1","requestid":1}"#,
            "value=1&value=%2B1", #"{"value":"","amount":1}"#, #"{"value":1,"amount":null}"#,
            #"{"daystamp":"20261118","date":"2026-11-18"}"#, #"{"comment":"a","comment":"a"}"#,
        ] {
            try expect(press(body).value, is: 1, "\(body)")
        }
        // A value that is named and empty is not 1.
        for body in [
            "value=", "amount=%20", #"{"value":null}"#, #"{"value":""}"#,
            #"{"qty":" ","count":null}"#,
            #"{"goal":"water","Value":null}"#,
        ] {
            expectRefusal(body, .unusableValue, "leave it out to log 1")
        }
        part("judges an object in a list alone") {
            let list = #"{"goal":"water","datapoints":[{"liter":2}]}"#
            #expect(throws: Problem.self) { try press(list) }
            let listed = #"{"datapoints":[{"ts":1795700172,"id":"17","foo":"x"}]}"#
            try expect(press(listed).id?.description, is: "17")
        }
        part("judges body and query together") {
            let body = #"{"value":5,"mac":"a"}"#
            try expect(press(fields(body, "amount=5.0&mac=b")).value, is: 5)
            #expect(throws: Problem.self) { try press(fields(body, "value=6")) }
            try expect(!fields(body, "dry_run=0").isDryRun)
            try expect(fields(body, "DryRun").isDryRun)
        }
    }

    private func expectRefusal(_ body: String, _ code: ErrorCode, _ words: String) {
        let problem = #expect(throws: Problem.self) { try press(body) }
        expect(problem?.code, is: code)
        expect(problem?.detail.contains(words), is: true)
    }

    /// The fields of a body and a query together.
    private func fields(_ body: String, _ query: String) throws -> PressFields {
        let fields = try BodyReader.fields(Array(body.utf8))
        fields.fill(from: try BodyReader.fields(ofQuery: query))
        return fields
    }

    @Test func `values that cannot be counted`() {
        // Says what is wrong with a value that cannot be counted.
        for (number, words) in [
            ("1e308", "out of range"), ("-1e308", "out of range"), ("1e16", "out of range"),
            ("1000000000000001", "out of range"), ("1e309", "out of range"),
            ("-1e999", "out of range"), ("1e-400", "too near to 0"),
        ] as [(String, String)] {
            let problem = #expect(throws: Problem.self) { try press(#"{"value":\#(number)}"#) }
            expect(problem?.status, is: 422, "\(number)")
            expect(problem?.detail.contains(words), is: true, "\(number)")
        }
        // Has words of its own for what is no amount.
        for text in ["NaN", "inf", "-Infinity", "+nan"] {
            expectRefusal("value=\(text)", .unusableValue, "is not a number")
        }
        part("takes the greatest value and nothing of zero amiss") {
            try expect(press(#"{"value":1e15}"#).value, is: 1e15)
            try expect(press(#"{"value":-1000000000000000}"#).value, is: -1e15)
            try expect(press(#"{"value":0.0e5}"#).value, is: 0)
        }
    }

    @Test func `names that are not understood`() {
        part("names what it does not understand") {
            let body = #"{"foo":5,"Bar":{"a":[1]},"none":null,"value":3}"#
            let fields = try BodyReader.fields(Array(body.utf8))
            expect(fields.ignored, is: ["Bar", "foo", "none"])
            try expect(press(fields).value, is: 3)
            let refusal = #expect(throws: Problem.self) { try press(body, strict: true) }
            expect(refusal?.code, is: .unknownField)
            expect(refusal?.detail.contains("'Bar', 'foo', 'none'"), is: true)
            let strict = try self.fields(body, "strict=1")
            #expect(throws: Problem.self) { try press(strict) }
            try expect(press(#"{"amount":3,"strict":1}"#, strict: true).value, is: 3)
            try expect(press("foo=a&strict=0").value, is: 1)
        }
        part("names ten of many, and no secret") {
            let names = (0..<5_000).map { "\"name\($0)\":1" }.joined(separator: ",")
            let many = try BodyReader.fields(Array("{\(names)}".utf8))
            expect(many.ignored.count, is: 10)
            let long = (0..<9).map { "\"\($0)" + String(repeating: "x", count: 500) + "\":1" }
            let few = try BodyReader.fields(Array("{\(long.joined(separator: ","))}".utf8))
            expect((1..<9).contains(few.ignored.count))
            expect(few.ignored.joined().utf8.count <= 120)
            let token = "br_0123456789abcdefghjkmnpqrstvwxyz"
            try expect(!BodyReader.fields(ofQuery: "\(token)=1").ignored.joined().contains("br_01"))
        }
    }

    struct Datapoint: CustomTestStringConvertible, Sendable {
        var text: String
        var day: PressDay?
        var value: String
        var comment: String?
        var testDescription: String { text }
    }

    static let november = PressDay.on(Daystamp(number: 20_775))

    @Test func `days`() throws {
        // Reads a datapoint as Beeminder takes it.
        for row in [
            Datapoint(text: #"2026 11 18 3 "x""#, day: Self.november, value: "3", comment: "x"),
            Datapoint(text: "2026 11 18 3", day: Self.november, value: "3"),
            Datapoint(text: #"2026-11-18 3 "x""#, day: Self.november, value: "3", comment: "x"),
            Datapoint(
                text: #"20261118 3 "a=b & c""#, day: Self.november, value: "3", comment: "a=b & c"),
            Datapoint(text: #""2026 11 18 3 \"x\"""#, day: Self.november, value: "3", comment: "x"),
            Datapoint(
                text: #"18 3 "x""#, day: .latest(month: nil, day: 18), value: "3", comment: "x"),
            Datapoint(text: "06 2.5", day: .latest(month: nil, day: 6), value: "2.5"),
            Datapoint(text: "11 18 -3", day: .latest(month: 11, day: 18), value: "-3"),
            Datapoint(text: #"^ 3 "x""#, day: .ago(days: 0), value: "3", comment: "x"),
            Datapoint(text: "^^ 3", day: .ago(days: 1), value: "3"),
            Datapoint(text: #"3 "x""#, day: nil, value: "3", comment: "x"),
            Datapoint(text: "3 sets", day: nil, value: "3", comment: "sets"),
            Datapoint(text: "3", day: nil, value: "3"),
        ] as [Datapoint] {
            let fields = try BodyReader.fields(Array(row.text.utf8))
            expect(fields.form, is: .text, "\(row)")
            expect(fields[.value], is: row.value, "\(row)")
            expect(fields[.comment], is: row.comment, "\(row)")
            try expect(press(fields).day, is: row.day, "\(row)")
        }
        // Reads a day in each of its forms.
        for (text, number) in [
            ("20261118", 20_775), ("2026-11-18", 20_775), ("2026-11-18T23:59:59", 20_775),
            ("2026-11-18 07:00", 20_775),
        ] as [(String, Int64)] {
            for name in ["daystamp", "date"] {
                let press = try press(#"{"\#(name)":"\#(text)"}"#)
                expect(press.day, is: .on(Daystamp(number: number)), "\(text)")
            }
            if text.utf8.count == 8 {
                try expect(press(#"{"daystamp":\#(text)}"#).day, is: .on(Daystamp(number: number)))
            }
        }
        // Refuses a day that is none.
        for text in [
            "2026-02-30", "20261301", "yesterday", "18", "^", "1790000000", "2026-11-18x",
        ] {
            let problem = #expect(throws: Problem.self) { try press(#"{"date":"\#(text)"}"#) }
            expect(problem?.code, is: .unusableTime, "\(text)")
        }
    }
}
