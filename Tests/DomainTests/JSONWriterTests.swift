/// A written value must read back as the same value, in the fewest letters.
import Foundation
import Testing

@testable import BeemedDomain

struct JSONWriterTests {
    private func text(_ number: Double) -> String {
        let bytes = JSONWriter.object { $0.add("n", number) }
        return String(decoding: bytes.dropFirst(5).dropLast(), as: UTF8.self)
    }

    @Test func `what is written reads back`() {
        part("a number is written in as few digits as read back the same") {
            var chance = Randomness(seed: 7)
            for step in 0..<20_000 {
                let digits = Int64.random(in: -99_999_999...99_999_999, using: &chance)
                let scale = [1.0, 10, 100, 1_000, 1e4, 1e5, 1e6, 1e12][step % 8]
                let number = Double(digits) / scale
                let written = text(number)
                expect(Double(written), is: number)
                let shortest = number == number.rounded() ? "\(Int64(number))" : "\(number)"
                expect(written, is: shortest)
            }
            for _ in 0..<20_000 {
                let number = Double(bitPattern: .random(in: 0 ... .max, using: &chance))
                guard number.isFinite else { continue }
                expect(Double(text(number)), is: number)
            }
        }
        // Numbers as people write them.
        for (number, written) in [
            (0.25, "0.25"), (-0.25, "-0.25"), (0.0001, "0.0001"), (-0.5, "-0.5"), (1e-5, "1e-05"),
            (0.1 + 0.2, "0.30000000000000004"), (12_345.678_9, "12345.6789"), (-0.0, "0"),
            (1e15 + 0.5, "1000000000000000.5"), (99_999_999_999.999_9, "99999999999.9999"),
        ] as [(Double, String)] {
            expect(text(number), is: written, "\(number)")
        }
        // Eight bytes are looked at together, so each byte is tried at each place among them.
        part("every byte is escaped or not, wherever it stands") {
            for scalar in (UInt8(0)...0x7F).map({ Unicode.Scalar($0) }) + ["é", "€", "😀"] {
                for before in 0...17 {
                    let text = String(repeating: "a", count: before) + String(scalar) + "zz"
                    let code = String(scalar.value, radix: 16)
                    let escaped =
                        switch scalar {
                        case "\"", "\\": "\\\(scalar)"
                        case "\u{0}"..."\u{1F}", "\u{7F}":
                            "\\u" + String(repeating: "0", count: 4 - code.count) + code
                        default: String(scalar)
                        }
                    let written = JSONWriter.object { $0.add("t", text) }
                    let expected =
                        "{\"t\":\"\(String(repeating: "a", count: before))\(escaped)zz\"}"
                    expect(String(decoding: written, as: UTF8.self), is: expected)
                }
            }
        }
        part("a request id is written as it is spelled elsewhere") {
            for generation in [nil, "x7k2p1"] {
                let event = Event.make("a.1", device: "kitchen", generation: generation)
                var json = JSONWriter()
                json.write(requestIDOf: event.key)
                expect(String(decoding: json.bytes, as: UTF8.self), is: event.key.requestID)
            }
        }
        part("texts are escaped where they must be, and nowhere else") {
            let plain = "a glass of wäter 💧 / 'x' \u{80}"
            let bytes = JSONWriter.object { json in
                json.add("plain", plain)
                json.add("escaped", "tab\t quote\" back\\ line\n del\u{7F} nul\0")
                json.add("name", plain: "water-2")
                json.add("empty", "")
            }
            let written = String(decoding: bytes, as: UTF8.self)
            expect(
                written,
                is: #"{"plain":"\#(plain)","escaped":"tab\u0009 quote\" back\\ line\u000a "#
                    + #"del\u007f nul\u0000","name":"water-2","empty":""}"#)
            expect((try? JSONSerialization.jsonObject(with: Data(bytes))) != nil)
        }
    }
}
