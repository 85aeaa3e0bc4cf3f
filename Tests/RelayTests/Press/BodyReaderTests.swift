import Foundation
import Testing

@testable import RelayTrunk

struct BodyReaderTests {
    @Test func `forms of a body`() throws {
        // Takes no list or object for a field that means something.
        for name in ["value", "goal", "comment", "id", "rid", "timestamp", "age", "token"] {
            for nested in ["{\"n\":5}", "[5]", "{}"] {
                let fields = try BodyReader.fields(Array("{\"\(name)\":\(nested)}".utf8))
                expect(fields.nested, is: name, "\(name)")
            }
            let null = try BodyReader.fields(Array("{\"\(name)\":null,\"extra\":[1]}".utf8))
            expect(null.nested == nil, "\(name)")
        }
        // Reads what devices send.
        for row in [
            Case(body: "", form: .empty),
            Case(body: " \r\n", form: .empty),
            Case(body: "+1", form: .text, value: "+1"),
            Case(body: "-1\n", form: .text, value: "-1"),
            Case(body: "2.5", form: .text, value: "2.5"),
            Case(body: #"1 "with milk""#, form: .text, value: "1", comment: "with milk"),
            Case(body: "1 with milk", form: .text, value: "1", comment: "with milk"),
            Case(body: #"1 "a=b & c""#, form: .text, value: "1", comment: "a=b & c"),
            Case(body: #""+1""#, form: .text, value: "+1"),
            Case(body: "comment=with milk&value=2", form: .form, value: "2", comment: "with milk"),
            Case(body: "value=+1", form: .form, value: " 1"),
            Case(body: "value=%2B1&goal=water", form: .form, value: "+1", goal: "water"),
            Case(
                body: "goal=pushups&value=1&comment=3+sets+%2B+coffee", form: .form, value: "1",
                comment: "3 sets + coffee", goal: "pushups"),
            Case(body: "value=1&comment=100%", form: .form, value: "1", comment: "100%"),
            Case(
                body: "--b\r\nContent-Disposition: form-data; name=\"value\"\r\n\r\n+1\r\n--b\r\n"
                    + "content-disposition: form-data; name=goal\r\nContent-Type: text/plain\r\n\r\n"
                    + "water\r\n--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"f\"\r\n"
                    + "\r\nfile\r\n--b--\r\n",
                form: .multipart, value: "+1", goal: "water"),
            Case(
                body:
                    "--b\r\nContent-Disposition:\tform-data;\tname=\"value\"\r\n\r\n11\r\n--b--\r\n",
                form: .multipart, value: "11"),
            Case(
                body:
                    "--b\r\ncontent-disposition: form-data;\r\n name=value\r\n\r\n12\r\n--b--\r\n",
                form: .multipart, value: "12"),
            // A name or a file name of another field of the head is none of the part.
            Case(
                body: "--b\r\nContent-Type: text/plain; name=\"comment\"; filename=q\r\n"
                    + "Content-Disposition: form-data; name=\"value\"\r\n\r\n13\r\n--b--\r\n",
                form: .multipart, value: "13"),
            Case(body: "--1", form: .text, value: "--1"),
            Case(body: #"{"value": 1}"#, form: .json, value: "1"),
            Case(body: #"{"value": "1", "goal": "water"}"#, form: .json, value: "1", goal: "water"),
            Case(body: #"{"value": 0.25}"#, form: .json, value: "0.25"),
            Case(body: "\u{FEFF}{\"goalSlug\": \"water\"}\n", form: .json, goal: "water"),
            Case(
                body: #"{"value": 1, "nested": {"a": [1]}, "none": null}"#, form: .json, value: "1"),
        ] as [Case] {
            let fields = try BodyReader.fields(Array(row.body.utf8))
            expect(fields.form, is: row.form, "\(row)")
            expect(fields[.value], is: row.value, "\(row)")
            expect(fields[.comment], is: row.comment, "\(row)")
            expect(fields[.goal], is: row.goal, "\(row)")
        }
        // A comment may have several lines.
        for body in ["1 \"two lines:\n2 cups\"", "1 tea\nand biscuits", "1\n\n"] {
            try expect(BodyReader.fields(Array(body.utf8))[.value], is: "1", "\(body)")
        }
        part("keeps fields that mean nothing as metadata") {
            let body = Array("mac=aabbcc&action=1&battery=97&value=1".utf8)
            let fields = try BodyReader.fields(body)
            expect(fields.metadata, is: ["mac": "aabbcc", "action": "1", "battery": "97"])
        }
        // Short and long ones, as bytes and as text, and at the end of the body.
        part("knows every name in every spelling") {
            for name in PressFields.names {
                let plain = "\(name.text)"
                let escaped = plain.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
                for spelling in [plain, plain.uppercased(), escaped, "\\u00" + "20" + plain] {
                    for rest in [":1}", ": \"1\" }", ":1" + String(repeating: " ", count: 9) + "}"]
                    {
                        let fields = try BodyReader.fields(
                            Array(("{\"" + spelling + "\"" + rest).utf8))
                        let isKnown = !spelling.hasSuffix("20" + plain)
                        expect(fields.metadata.isEmpty, is: isKnown, "\(spelling)\(rest)")
                    }
                }
            }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var body: String
        var form: PressFields.Form
        var value: String?
        var comment: String?
        var goal: String?
        var testDescription: String { body.isEmpty ? "nothing" : body }
    }

    @Test func `what cannot be read`() {
        // Says why it cannot read the rest.
        for (body, problem) in [
            ("{", Problem.at(1, 2)), (#"{"value": 1"#, .at(1, 12)),
            (#"{"value": }"#, .at(1, 11)), (#"{"value": 1} x"#, .at(1, 14)),
            ("\u{FEFF}\n\n{\"value\": 1,\n \"goal\" 2}", .at(2, 9)), ("{'a':1}", .at(1, 2)),
            (#"{"a":01}"#, .at(1, 7)), (#"{"value":NaN}"#, .at(1, 10)),
            ("{\"a\":\"\t\"}", .at(1, 7)),
            ("{\"goal\0\":\"water\"}", .at(1, 7)), ("{\"id\0\0\":\"17\"}", .at(1, 5)),
            ("{\"\0\":\"water\"}", .at(1, 3)),
            ("[1]", .several), (#"[{"value":1}]"#, .several), (#"18 3 with milk"#, .unreadText),
            ("+1\n+1", .several), ("3\r\n4", .several), ("1 \"a\nb\"\n2 \"c\"", .several),
            ("2026 11 25 1 \"x\"\n2026 11 24 2 \"y\"\n", .several),
            (#"2026 11 18 3 milk"#, .unreadText), (#"99 3 "x""#, .unreadText),
            ("10 000", .unreadText), ("1 000.5", .unreadText), ("31 500", .unreadText),
            ("10\u{A0}000", .unreadText), ("12\u{2009}345", .unreadText),
            ("8\u{202F}4", .unreadText), (#"12 000 "x""#, .unreadText),
        ] as [(String, Problem)] {
            #expect(throws: problem) { try BodyReader.fields(Array(body.utf8)) }
        }
        part("refuses bytes that are no text") {
            #expect(throws: Problem.notText) { try BodyReader.fields([0xFF, 0xFE, 0x31]) }
        }
    }
}

extension Problem {
    fileprivate static func at(_ line: Int, _ column: Int) -> Problem {
        let text = String(repeating: "\n", count: line - 1) + String(repeating: " ", count: 99)
        let bytes = Array(text.utf8)[...]
        return .malformedJSON(TextPosition(line - 1 + column - 1, in: bytes))
    }
}
