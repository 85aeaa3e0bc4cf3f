import Testing

@testable import RelayTrunk

/// The QR code of a sign-in link. `make contract` has zbar read such codes.
struct QRCodeTests {
    @Test func `grows with its text, and has an end`() {
        expect(QRCode("x")?.size, is: 21)
        expect(QRCode(String(repeating: "x", count: 17))?.size, is: 21)
        expect(QRCode(String(repeating: "x", count: 18))?.size, is: 25)
        expect(QRCode(String(repeating: "x", count: 230))?.size, is: 53)
        expect(QRCode(String(repeating: "x", count: 231)) == nil)
    }

    @Test func `has the finder patterns, the timing and the format where they belong`() throws {
        let code = try require(QRCode("http://a.b/"))
        let finder = (0..<7).map { x in code.isDark(x, 0) }
        expect(finder, is: Array(repeating: true, count: 7))
        expect((0..<8).allSatisfy { !code.isDark(7, $0) && !code.isDark($0, 7) })
        expect((8..<13).allSatisfy { code.isDark($0, 6) == ($0 % 2 == 0) })
        let format = [0, 1, 2, 3, 4, 5, 7].map { code.isDark($0, 8) ? "1" : "0" }.joined()
        // Level L, mask 0: 111011111000100 (ISO/IEC 18004, table C.1).
        expect(format, is: "1110111")
        expect(code.isDark(8, code.size - 8))
    }

    @Test func `is drawn in half blocks within a quiet zone`() throws {
        let code = try require(QRCode("http://a.b/"))
        let lines = code.text.split(separator: "\n")
        expect(lines.count, is: 15)
        expect(lines.allSatisfy { $0.count == 29 })
        expect(lines[0], is: Substring(String(repeating: "█", count: 29)))
        expect(lines[2].hasPrefix("████ ▄▄▄▄▄ "))
    }
}
