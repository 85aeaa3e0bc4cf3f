import Testing

@testable import BeemedDomain

@Suite struct EightBytesTests {
    /// Every byte at every place, before and behind bytes that pass no test.
    @Test func `counts the bytes before the first one that passes`() {
        for place in 0..<8 {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array("abcdefgh".utf8)
                bytes[place] = byte
                let eight = EightBytes(bytes.span, at: 0)
                let controls = EightBytes.count(before: eight.controls)
                #expect(controls == (byte < 0x20 ? place : 8), "\(byte) at \(place)")
                let quotes = EightBytes.count(before: eight.equal(to: 0x22))
                #expect(quotes == (byte == 0x22 ? place : 8), "\(byte) at \(place)")
                #expect(eight.isASCII(first: 8) == (byte < 0x80))
                #expect(eight.isASCII(first: place))
            }
        }
    }

    @Test func `the first of several is found`() {
        var chance = Randomness(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<10).map { _ in
                [0x22, 0x23, 0x21, 0x1F, 0x20, 0x00, 0x80, 0xA2, 0xFF, 0x61].randomElement(
                    using: &chance) as UInt8? ?? 0
            }
            let eight = EightBytes(bytes.span, at: 2)
            let own = bytes[2...]
            #expect(
                EightBytes.count(before: eight.controls | eight.equal(to: 0x22))
                    == own.prefix { $0 >= 0x20 && $0 != 0x22 }.count)
            for count in 0...8 {
                let isASCII = own.prefix(count).allSatisfy { $0 < 0x80 }
                #expect(eight.isASCII(first: count) == isASCII)
            }
        }
    }
}
