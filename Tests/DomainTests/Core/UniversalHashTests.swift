import Testing

@testable import BeemedDomain

@Suite struct UniversalHashTests {
    private func hash(_ text: String, _ number: UInt32 = 0) -> UInt32 {
        UniversalHash.of(number, text.utf8.span)
    }

    /// The texts of a device that counts, and every length.
    @Test func `texts that are alike are spread over the table`() {
        var cells: [UInt32: Int] = [:]
        for number in 0..<65_536 { cells[hash("e-\(number)") & 0xFFFF, default: 0] += 1 }
        // With 65,536 at random into as many cells about 8 share the fullest one.
        #expect(cells.values.max() ?? 0 < 20)
        // And 63 % of the cells are taken, 41,427.
        #expect(cells.count > 40_000 && cells.count < 43_000)
    }

    @Test func `every byte, the length and the number count`() {
        let text = Array("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl".utf8)
        var hashes: Set<UInt32> = []
        for length in 0...UniversalHash.mostBytes {
            hashes.insert(hash(String(decoding: text[..<length], as: UTF8.self)))
            hashes.insert(hash(String(decoding: text[..<length], as: UTF8.self), 7))
            for place in 0..<length {
                var other = text[..<length]
                other[place] = 0x30
                hashes.insert(hash(String(decoding: other, as: UTF8.self)))
            }
        }
        // 2,210 hashes of 32 bits: one pair is equal by chance once in 1,700 runs.
        #expect(hashes.count >= 2_209)
        #expect(hash("17") == hash("17"))
    }
}
