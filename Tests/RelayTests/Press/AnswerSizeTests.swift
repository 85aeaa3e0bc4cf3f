import BeemedDomain
import Foundation
import Testing

@testable import RelayTrunk

/// ESPHome reads an answer into a buffer of 512 bytes.
struct AnswerSizeTests {
    private let folder = TemporaryFolder()

    private static let short = (0..<10).map { "n\($0)" }
    private static let long = (0..<10).map { "\($0)" + String(repeating: "x", count: 30) }
    /// Each of these takes six bytes as JSON.
    private static let controls = (0..<10).map { number in
        String(repeating: "\\u0001", count: 23) + "\(number)"
    }
    /// A single character, of many bytes.
    private static let accents = ["e" + String(repeating: "\u{301}", count: 2_000)]

    private static let comments = [
        "a glass", String(repeating: "\\u0001", count: 100),
        String(repeating: "e" + String(repeating: "\u{301}", count: 30), count: 30),
    ]

    @Test(arguments: [
        ("250 ml", "ml"), (#"1 "with milk""#, "with milk"), ("+1", nil), ("1 ", nil),
        (#"{"value":1,"comment":"ml"}"#, nil),
        ("1 \(String(repeating: "\u{1}é", count: 900))", "\u{1}é\u{1}"),
    ])
    func `what follows a number in plain text is told as the comment`(
        _ body: String, _ comment: String?
    ) throws {
        let relay = try RunningRelayProgram(in: folder)
        for query in ["", "?\(AnswerSizeTests.long.joined(separator: "=1&"))=1"] {
            let answer = try relay.call("POST", "/log/water\(query)", body)
            expect(answer.status, is: 200, "\(answer.body)")
            expect(answer.body.utf8.count + 1 <= Acceptance.maxAnswerBytes, "\(answer.body)")
            let read = try members(answer.body)
            let told = read["comment"] as? String
            expect(comment.map { told?.hasPrefix($0) ?? false } ?? (told == nil), "\(answer.body)")
            expect((read["ignored"] != nil) == !query.isEmpty)
        }
    }

    @Test(arguments: [short, long, controls, accents])
    func `the longest press is answered within it`(_ names: [String]) throws {
        let relay = try RunningRelayProgram(in: folder)
        let device = String(repeating: "d", count: 32)
        let token = try relay.add(#"{"name":"\#(device)"}"#)
        let unknown = names.map { #","\#($0)":true"# }.joined()
        let body =
            #"{"goal":"\#(String(repeating: "g", count: 64))","timestamp":1000000000,"#
            + #""id":"\#(String(repeating: "i", count: 64))","value":-1.2345678901234567e-100"#
            + "\(unknown)}"
        for isDuplicate in [false, true] {
            let answer = try relay.call("POST", "/log", body, token: token)
            expect(answer.status, is: 200, "\(answer.body)")
            // With the line end, which the client has taken off.
            expect(answer.body.utf8.count + 1 <= Acceptance.maxAnswerBytes, "\(answer.body)")
            let read = try members(answer.body)
            expect(read["duplicate"] as? Bool, is: isDuplicate)
            expect(read["timeNote"] is String)
            expect((read["ignored"] as? [String])?.isEmpty == false)
        }
        for comment in AnswerSizeTests.comments {
            let other = body.replacing("iii", with: "jjj")
            let whole = other.dropLast() + #","comment":"\#(comment)"}"#
            let dry = try relay.call("POST", "/log?dry_run=1", String(whole), token: token)
            expect(dry.status, is: 200, "\(dry.body)")
            expect(dry.body.utf8.count + 1 <= Acceptance.maxAnswerBytes, "\(dry.body)")
            try expect(members(dry.body)["timeNote"] is String)
        }
        // Of a press in the usual size no name is lost.
        let usual = try relay.call("POST", "/log/water", "{\(unknown.dropFirst())}", token: token)
        let ignored = try members(usual.body)["ignored"] as? [String]
        expect(usual.body.utf8.count + 1 <= Acceptance.maxAnswerBytes)
        if names == AnswerSizeTests.short { expect(ignored, is: names) }
        let water = try relay.call(
            "POST", "/log/water?dry_run=1", #"{"comment":"a glass"}"#, token: token)
        try expect(members(water.body)["comment"] as? String, is: "a glass")
        expect(ignored?.isEmpty, is: false)
    }
}
