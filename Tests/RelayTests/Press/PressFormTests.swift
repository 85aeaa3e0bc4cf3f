import BeemedDomain
import Foundation
import Testing

@testable import BeemedRelay

/// What is read by the form of another content must be what the reader reads.
@Suite struct PressFormTests {
    private let device = Device(name: "esp32", tokenHash: "", rights: [.log])

    private func read(_ text: String) throws -> ReadPress {
        let fields = try BodyReader.fields(Array(text.utf8))
        let press = try Press(fields, path: nil, from: device, PresetBook())
        let reading = PressReading(fields, time: press.time, id: press.id)
        return ReadPress(press, reading, from: device)
    }

    private func describe(_ read: ReadPress) -> String {
        let press = read.press
        return "\(press.goal) \(press.value) \(press.value.sign) \(Array(press.comment.utf8)) "
            + "\(press.id?.description ?? "none") \(press.time) \(press.metadata) "
            + "\(read.reading.form) \(read.reading.id?.description ?? "none")"
    }

    /// - Returns: whether the second content was read by the form of the first.
    @discardableResult
    private func compare(_ first: String, _ second: String) throws -> Bool {
        let known = try read(first)
        guard let form = PressForm(of: Array(first.utf8)),
            let found = form.press(of: Array(second.utf8), like: known)
        else { return false }
        #expect(describe(found) == describe(try read(second)), "\(first) \(second)")
        return true
    }

    @Test(arguments: [
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":2.5}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":-0}"#),
        (#"{"goal":"a","value":"1"}"#, #"{"goal":"a","value":"+2.5"}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":"3"}"#),
        (#"{"goal":"a","comment":"x"}"#, #"{"goal":"a","comment":"Frühstück \"1\" \\ \u00e9"}"#),
        (#"{"goal":"a","comment":"x"}"#, #"{"goal":"a","comment":""}"#),
        (#"{"goal":"a","comment":"x"}"#, #"{"goal":"a","comment":17}"#),
        (#"{"goal":"a","id":"1","age":3}"#, #"{"goal":"a","id":"2","age":3}"#),
        (#"{"id":1,"goal":"a","qty":1}"#, #"{"id":22,"goal":"a","qty":11}"#),
        (#"{"value":null,"val":1,"goal":"a"}"#, #"{"value":null,"val":7,"goal":"a"}"#),
        ("{ \"goal\" : \"a\" , \"value\" : 1 }\n", "{ \"goal\" : \"a\" , \"value\" : 2 }\n"),
        (#"{"goal":"a","Value":1,"colour":"red"}"#, #"{"goal":"a","Value":5,"colour":"red"}"#),
    ])
    func `a content of the same form is read by it`(_ first: String, _ second: String) throws {
        #expect(try compare(first, second))
    }

    @Test(arguments: [
        (#"{"goal":"a","value":1}"#, #"{"goal":"b","value":1}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":1e3}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":""}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":x}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":+1}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":01}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":[1]}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":null}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":1"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":1}}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":1,"comment":"x"}"#),
        (#"{"goal":"a","value":1}"#, #"{"goal":"a","value":"1","value":"2"}"#),
        (#"{"goal":"a","comment":"x"}"#, #"{"goal":"a","comment":"x","token":"y"}"#),
        (#"{"goal":"a","comment":"x"}"#, #"{"goal":"a","comment":null}"#),
        (#"{"goal":"a","id":"1"}"#, #"{"goal":"a","id":""}"#),
        (#"{"goal":"a","id":"1"}"#, #"{"goal":"a","id":"ä"}"#),
        (#"{"goal":"a","value":1}"#, ""),
        (#"{"goal":"a","ts":1760000000}"#, #"{"goal":"a","ts":1760000001}"#),
    ])
    func `any other content is not read by it`(_ first: String, _ second: String) throws {
        #expect(try !compare(first, second))
    }

    @Test(arguments: [
        #"{"goal":"a"}"#, "goal=a&value=1", #"{"goal":"a","value":1,"qty":1}"#,
        #"{"goal":"a","age":1}"#,
    ])
    func `some contents have no form`(_ text: String) throws {
        _ = try read(text)
        #expect(PressForm(of: Array(text.utf8)) == nil)
    }

    @Test func `a comment that is too long is not read by a form`() throws {
        let form = try #require(PressForm(of: Array(#"{"goal":"a","comment":"x"}"#.utf8)))
        let known = try read(#"{"goal":"a","comment":"x"}"#)
        for (count, isRead) in [(Press.commentBytes, true), (Press.commentBytes + 1, false)] {
            let text = #"{"goal":"a","comment":"\#(String(repeating: "y", count: count))"}"#
            #expect((form.press(of: Array(text.utf8), like: known) != nil) == isRead)
        }
    }

    @Test func `contents of any kind mean the same with and without a form`() throws {
        var randomness = Randomness(seed: 7)
        let values = ["1", "2.5", "-3", #""4""#, #"" 5""#, "1e2", #""x""#, "null", "[]", "007"]
        let texts = [#""a""#, #""""#, #""ü\n""#, #""\ud83d\ude00""#, "7", "null", #""b"#, #""c""#]
        let names = ["value", "comment", "id", "qty", "colour", "age"]
        func content(_ order: [String]) -> String {
            let members = order.map { name in
                let pool = ["value", "qty", "age"].contains(name) ? values : texts
                return "\"\(name)\":\(pool.randomElement(using: &randomness) ?? "")"
            }
            return #"{"goal":"a",\#(members.joined(separator: ","))}"#
        }
        var found = 0
        for _ in 0..<12_000 {
            let order = Array(names.shuffled(using: &randomness).prefix(3))
            let (first, second) = (content(order), content(order))
            guard (try? read(first)) != nil, let form = PressForm(of: Array(first.utf8)),
                let press = form.press(of: Array(second.utf8), like: try read(first))
            else { continue }
            found += 1
            #expect(describe(press) == describe(try read(second)), "\(first) \(second)")
        }
        #expect(found > 50, "\(found)")
    }
}
