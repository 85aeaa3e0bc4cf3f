import Foundation
import Testing

@testable import BeemedDomain

/// JSON in a format that is not known beforehand.
struct JSONTreeTests {
    @Test func `JSON of any format`() {
        // Every value is read.
        for (text, tree) in [
            ("null", JSONTree.null), (" true ", .flag(true)), ("-2.5e1", .number(-25)),
            (#""a\u00e4\n""#, .text("aä\n")), ("[]", .list([])), ("{}", .object([:])),
            ("[1,[\"2\"],false]", .list([.number(1), .list([.text("2")]), .flag(false)])),
            (#"{"a":{"b":null}}"#, .object(["a": .object(["b": .null])])),
            (#"{"a":1,"a":2}"#, .object(["a": .number(2)])), ("\u{FEFF}1", .number(1)),
        ] as [(String, JSONTree)] {
            expect(JSONTree(Array(text.utf8)), is: tree, "\(text)")
        }
        // Anything else is not JSON.
        for text in [
            "", " ", "nul", "01", "+1", "1e999", "[1,]", "{\"a\"}", "{1:2}", "\"a", "1 2", "<html>",
            "\"\\ud800\"", String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        ] {
            expect(JSONTree(Array(text.utf8)) == nil, "\(text)")
        }
        // The place of an error is the first byte that is wrong.
        for (text, place) in [
            ("", 0), ("{\n", 2), ("{\"a\": 1,\n}", 9), ("{\"a\": 1\n \"b\": 2}", 9), ("{} x", 3),
            ("\u{FEFF}{\"a\" 1}", 8), ("{\"a\": yes}", 6), ("[\"a\\b\nc\"]", 5), ("[\"C:\\d\"]", 5),
        ] as [(String, Int)] {
            #expect(throws: JSONTree.Fault.noJSON(at: place)) {
                try JSONTree(Array(text.utf8), maxValues: .max)
            }
        }
        part("no more values are read than may be") {
            let text = Array(#"{"a":[{},{}],"b":1}"#.utf8)
            _ = try JSONTree(text, maxValues: 5)
            #expect(throws: JSONTree.Fault.tooMany) { try JSONTree(text, maxValues: 4) }
            #expect(throws: JSONTree.Fault.noJSON(at: text.count - 1)) {
                try JSONTree(text.dropLast(), maxValues: 5)
            }
        }
        part("what was read can be decoded") {
            struct Value: Codable, Equatable {
                var id: Int64
                var share: Double
                var names: [String]
                var isLast: Bool
                var note: String?
            }
            let value = Value(id: 1 << 52, share: 0.1, names: ["ä", "\""], isLast: true, note: nil)
            let tree = try require(JSONTree(Array(try JSONEncoder().encode(value))))
            try expect(
                JSONDecoder().decode(Value.self, from: JSONEncoder().encode(tree)), is: value)
        }
        // A text is trimmed at both ends.
        for (text, trimmed) in [("", ""), (" a b\n", "a b"), ("\r\n\t", ""), ("a", "a")]
            as [(String, String)]
        {
            expect(text.trimmed, is: trimmed, "\(text)")
        }
    }
}
