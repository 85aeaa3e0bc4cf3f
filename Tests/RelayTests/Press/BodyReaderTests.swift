import Foundation
import Testing

@testable import BeemedRelay

@Suite struct BodyReaderTests {
    @Test(arguments: ["value", "goal", "comment", "id", "rid", "timestamp", "age", "token"])
    func `takes no list or object for a field that means something`(_ name: String) throws {
        for nested in ["{\"n\":5}", "[5]", "{}"] {
            let fields = try BodyReader.fields(Array("{\"\(name)\":\(nested)}".utf8))
            #expect(fields.nested == name)
        }
        let null = try BodyReader.fields(Array("{\"\(name)\":null,\"extra\":[1]}".utf8))
        #expect(null.nested == nil)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var body: String
        var form: PressFields.Form
        var value: String?
        var comment: String?
        var goal: String?
        var testDescription: String { body.isEmpty ? "nothing" : body }
    }

    @Test(arguments: [
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
        Case(body: "--1", form: .text, value: "--1"),
        Case(body: #"{"value": 1}"#, form: .json, value: "1"),
        Case(body: #"{"value": "1", "goal": "water"}"#, form: .json, value: "1", goal: "water"),
        Case(body: #"{"value": 0.25}"#, form: .json, value: "0.25"),
        Case(body: "\u{FEFF}{\"goalSlug\": \"water\"}\n", form: .json, goal: "water"),
        Case(body: #"{"value": 1, "nested": {"a": [1]}, "none": null}"#, form: .json, value: "1"),
    ])
    func `reads what devices send`(_ row: Case) throws {
        let fields = try BodyReader.fields(Array(row.body.utf8))
        #expect(fields.form == row.form)
        #expect(fields.value == row.value)
        #expect(fields.comment == row.comment)
        #expect(fields.goal == row.goal)
    }

    @Test(arguments: [
        ("{", BodyReader.Fault.malformedJSON), (#"{"value": 1"#, .malformedJSON),
        (#"{"value": }"#, .malformedJSON), (#"{"value": 1} x"#, .malformedJSON),
        ("[1]", .several), (#"[{"value":1}]"#, .several),
    ])
    func `says why it cannot read the rest`(_ body: String, _ fault: BodyReader.Fault) {
        #expect(throws: fault) { try BodyReader.fields(Array(body.utf8)) }
    }

    @Test func `refuses bytes that are no text`() {
        #expect(throws: BodyReader.Fault.notText) { try BodyReader.fields([0xFF, 0xFE, 0x31]) }
    }

    @Test func `keeps fields that mean nothing as metadata`() throws {
        let body = Array("mac=aabbcc&action=1&battery=97&value=1".utf8)
        let fields = try BodyReader.fields(body)
        #expect(fields.metadata == ["mac": "aabbcc", "action": "1", "battery": "97"])
    }

    @Test func `knows the id by all its names`() throws {
        for name in ["id", "requestid", "requestId", "rid"] {
            #expect(try BodyReader.fields(Array(#"{"\#(name)": "a-1"}"#.utf8)).id == "a-1")
            #expect(try BodyReader.fields(Array(#"{"\#(name)": 17}"#.utf8)).id == "17")
        }
    }
}

@Suite struct FlatJSONTests {
    @Test(arguments: [
        "", "{", "{}", "[]", "null", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":01}",
        "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":1e3}", "{\"a\":true}",
        "{\"a\":null}", "{\"a\":{}}", "{\"a\":[1]}", "{\"a\":\"\\n\"}", "{\"a\":\"ä\"}",
        "{\"a\":\"\t\"}", "{\"a\":1}x", "{\"a\":1234567890123456}", "{'a':1}", "{\"a\":\"b}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}",
    ])
    func `leaves to Foundation what is not plain`(_ json: String) {
        #expect(FlatJSON.fields(Array(json.utf8)[...]) == nil)
    }

    @Test(arguments: [
        #"{"value":1}"#, #" { "goal" : "water" , "value" : -0.25 } "#, #"{"a":"","b":"x y=z&"}"#,
        #"{"value":0,"timestamp":1790000000,"id":"9f3c-17"}"#, #"{"value":1,"value":2}"#,
    ])
    func `reads what is plain as Foundation does`(_ json: String) throws {
        let fields = try #require(FlatJSON.fields(Array(json.utf8)[...]))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        var expected = PressFields()
        expected.form = .json
        for (name, value) in object { expected.set(name, "\(value)") }
        #expect(fields == expected)
    }
}
