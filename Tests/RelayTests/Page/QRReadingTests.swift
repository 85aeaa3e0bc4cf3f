import Testing

@testable import RelayTrunk

/// QR codes, read again by a reader of the test's own.
struct QRReadingTests {
    /// The text of a code of version 1 to 5, whose data stand in one block, without correction.
    private func text(of code: QRCode) -> String {
        let end = code.size - 7
        func isFunction(_ x: Int, _ y: Int) -> Bool {
            if x == 6 || y == 6 || x < 9 && (y < 9 || y > code.size - 9) { return true }
            if x > code.size - 9 && y < 9 { return true }
            return code.size > 21 && abs(x - end) <= 2 && abs(y - end) <= 2
        }
        var bits: [Bool] = []
        var right = code.size - 1
        var isUp = true
        while right > 0 {
            if right == 6 { right -= 1 }
            for step in 0..<code.size {
                let y = isUp ? code.size - 1 - step : step
                for x in [right, right - 1] where !isFunction(x, y) {
                    bits.append(code.isDark(x, y) != ((x + y) % 2 == 0))
                }
            }
            right -= 2
            isUp.toggle()
        }
        func word(_ start: Int, _ count: Int) -> Int {
            bits[start..<start + count].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        expect(word(0, 4), is: 4)
        let bytes = (0..<word(4, 8)).map { UInt8(word(12 + 8 * $0, 8)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: ["a", "http://10.0.0.2", "a token: br_0123456789abcdef", "ü🐝 \"'"])
    func `a text comes back`(_ given: String) throws {
        let code = try require(QRCode(given))
        expect(text(of: code), is: given)
    }
}
