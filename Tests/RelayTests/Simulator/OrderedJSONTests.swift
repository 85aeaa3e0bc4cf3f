import Testing

@testable import BeeminderSimulator

struct OrderedJSONTests {
    static let written: [(OrderedJSON, String)] = [
        (.decimal(10), "10.0"), (.number(10), "10"), (.number(0.1), "0.1"),
        (.number(-0.5), "-0.5"), (.number(.infinity), "null"), (.decimal(.nan), "null"),
        (.string("a\"\\\n\u{1}é✔"), #""a\"\\\n\u0001é✔""#),
        (["b": .null, "a": .array([.bool(true), .integer(1)])], #"{"b":null,"a":[true,1]}"#),
    ]

    @Test func `JSON in the order in which it was sent`() {
        // Writes.
        for (value, text) in Self.written {
            expect(String(decoding: value.bytes, as: UTF8.self), is: text, "\(value)")
        }
        // Reads.
        for (text, value) in [
            (#" { "a" : [ 1 , -2.5e1 , true , null ] } "#, #"{"a":[1,-25,true,null]}"#),
            (#""\u00e9\ud83d\ude00\/\b""#, #""é😀/\u0008""#), ("0", "0"), ("-0.0", "0"),
            (#"{"b":1,"a":2,"b":3}"#, #"{"b":3,"a":2}"#), ("[]", "[]"), ("{}", "{}"),
            (#"{"a":[null,false,1.5,"x\u2028\""]}"#, "{\"a\":[null,false,1.5,\"x\u{2028}\\\"\"]}"),
        ] as [(String, String)] {
            let bytes = OrderedJSON(text: Array(text.utf8))?.bytes ?? []
            expect(String(decoding: bytes, as: UTF8.self), is: value, "\(text)")
        }
        // Does not read.
        for text in [
            "", " ", "{", "[1,]", "{,}", "{a:1}", #"{"a"}"#, "01", "1.", ".5", "+1", "-", "1e",
            "1e999",
            "nul", "truex", "'a'", "\"a", "\"\n\"", #""\x""#, #""\ud83d""#, #""\ude00""#,
            #""\u12""#,
            "1 2", "[1", "NaN", String(repeating: "[", count: 5_000),
        ] {
            expect(OrderedJSON(text: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
