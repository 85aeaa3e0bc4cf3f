import Foundation
import Testing

@testable import BeemedDomain

/// JSON in a format that is not known beforehand.
struct JSONTreeTests {
    @Test(arguments: [
        ("null", JSONTree.null), (" true ", .flag(true)), ("-2.5e1", .number(-25)),
        (#""a\u00e4\n""#, .text("aä\n")), ("[]", .list([])), ("{}", .object([:])),
        ("[1,[\"2\"],false]", .list([.number(1), .list([.text("2")]), .flag(false)])),
        (#"{"a":{"b":null}}"#, .object(["a": .object(["b": .null])])),
        (#"{"a":1,"a":2}"#, .object(["a": .number(2)])), ("\u{FEFF}1", .number(1)),
    ])
    func `every value is read`(_ text: String, _ tree: JSONTree) {
        expect(JSONTree(Array(text.utf8)), is: tree)
    }

    @Test(arguments: [
        "", " ", "nul", "01", "+1", "1e999", "[1,]", "{\"a\"}", "{1:2}", "\"a", "1 2", "<html>",
        "\"\\ud800\"", String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ])
    func `anything else is not JSON`(_ text: String) {
        expect(JSONTree(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", 0), ("{\n", 2), ("{\"a\": 1,\n}", 9), ("{\"a\": 1\n \"b\": 2}", 9), ("{} x", 3),
        ("\u{FEFF}{\"a\" 1}", 8), ("{\"a\": yes}", 6), ("[\"a\\b\nc\"]", 5), ("[\"C:\\d\"]", 5),
    ])
    func `the place of an error is the first byte that is wrong`(_ text: String, _ place: Int) {
        #expect(throws: JSONTree.Fault.noJSON(at: place)) {
            try JSONTree(Array(text.utf8), maxValues: .max)
        }
    }

    @Test func `no more values are read than may be`() throws {
        let text = Array(#"{"a":[{},{}],"b":1}"#.utf8)
        _ = try JSONTree(text, maxValues: 5)
        #expect(throws: JSONTree.Fault.tooMany) { try JSONTree(text, maxValues: 4) }
        #expect(throws: JSONTree.Fault.noJSON(at: text.count - 1)) {
            try JSONTree(text.dropLast(), maxValues: 5)
        }
    }

    @Test func `what was read can be decoded`() throws {
        struct Value: Codable, Equatable {
            var id: Int64
            var share: Double
            var names: [String]
            var isLast: Bool
            var note: String?
        }
        let value = Value(id: 1 << 52, share: 0.1, names: ["ä", "\""], isLast: true, note: nil)
        let tree = try require(JSONTree(Array(try JSONEncoder().encode(value))))
        try expect(JSONDecoder().decode(Value.self, from: JSONEncoder().encode(tree)), is: value)
    }

    @Test(arguments: [("", ""), (" a b\n", "a b"), ("\r\n\t", ""), ("a", "a")])
    func `a text is trimmed at both ends`(_ text: String, _ trimmed: String) {
        expect(text.trimmed, is: trimmed)
    }
}
