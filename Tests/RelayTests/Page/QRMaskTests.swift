import Testing

@testable import RelayTrunk

/// QR codes, read again by a reader of the test's own.
struct QRMaskTests {
    /// The mask that the format around the upper left finder names; nil if its check is wrong.
    private func mask(of code: QRCode) -> Int? {
        var format = 0
        for bit in 0..<15 {
            let place =
                switch bit {
                case 0..<6: (8, bit)
                case 6, 7: (8, bit + 1)
                case 8: (7, 8)
                default: (14 - bit, 8)
                }
            if code.isDark(place.0, place.1) { format |= 1 << bit }
        }
        format ^= 0x5412
        var rest = format
        for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 {
            rest ^= 0x537 << (bit - 10)
        }
        return rest == 0 && format >> 13 == 0 ? format >> 10 & 7 : nil
    }

    private func isMasked(_ mask: Int, _ i: Int, _ j: Int) -> Bool {
        switch mask {
        case 0: (i + j) % 2 == 0
        case 1: i % 2 == 0
        case 2: j % 3 == 0
        case 3: (i + j) % 3 == 0
        case 4: (i / 2 + j / 3) % 2 == 0
        case 5: (i * j) % 2 + (i * j) % 3 == 0
        case 6: ((i * j) % 2 + (i * j) % 3) % 2 == 0
        default: ((i + j) % 2 + (i * j) % 3) % 2 == 0
        }
    }

    /// The text of a code of version 1 to 3, whose data stand in one block, without correction.
    private func text(of code: QRCode) throws -> String {
        let number = mask(of: code)
        let mask = try require(number)
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
                    bits.append(code.isDark(x, y) != isMasked(mask, y, x))
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
    func `a text comes back from each mask, and the best of the eight is taken`(_ given: String)
        throws
    {
        var least = Int.max
        for mask in 0..<8 {
            let code = try require(QRCode(given, mask: mask))
            expect(self.mask(of: code), is: mask)
            try expect(text(of: code), is: given)
            least = min(least, code.penalty)
        }
        let best = try require(QRCode(given))
        expect(best.penalty, is: least)
        try expect(text(of: best), is: given)
    }

    @Test func `the masks are weighed, so not every text has the same`() throws {
        let codes = (0..<40).compactMap { QRCode("http://10.0.0.\($0)/log/water") }
        expect(Set(codes.compactMap(mask)).count > 2)
    }
}
