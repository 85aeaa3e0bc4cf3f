import Testing

@testable import BeemedDomain

/// Raw memory behind every line of the journal, so each length and each edge is tried.
struct ByteBufferTests {
    @Test func `bytes that are appended`() {
        part("pieces of every length come back as they were, however small it began") {
            var chance = Randomness(seed: 3)
            for capacity in [0, 1, 15, 16, 17, 64] {
                var buffer = ByteBuffer(capacity: capacity)
                var expected: [UInt8] = []
                for length in Array(0...40) + [300, 5_000] {
                    let piece = (0..<length).map { _ in
                        UInt8.random(in: .min ... .max, using: &chance)
                    }
                    buffer.append(piece.span)
                    expected += piece
                    expect(buffer.bytes, is: expected)
                    expect(buffer.count, is: expected.count)
                }
            }
        }
        part("decimals at every power of ten") {
            var numbers: [UInt64] = [0, .max, .max - 1]
            var power: UInt64 = 1
            for _ in 0..<20 {
                numbers += [power - 1, power, power + 1, power &* 9]
                power = power.multipliedReportingOverflow(by: 10).overflow ? power : power * 10
            }
            for number in numbers {
                var buffer = ByteBuffer(capacity: 0)
                buffer.append(decimal: number)
                expect(String(decoding: buffer.bytes, as: UTF8.self), is: "\(number)")
            }
        }
        part("what is cut off is written again") {
            var buffer = ByteBuffer(capacity: 4)
            buffer.append("kept")
            buffer.append("dropped")
            buffer.cut(to: 4)
            buffer.append("!")
            expect(buffer.bytes, is: Array("kept!".utf8))
            expect(buffer.check(from: 0), is: CRC32C.of(Array("kept!".utf8).span))
            expect(buffer.check(from: 5), is: CRC32C.of([UInt8]().span))
        }
        part("hex digits of every nibble") {
            let numbers: [UInt32] = [
                0, 1, 0x1234_5678, 0x9ABC_DEF0, 0xFEDC_BA98, 0x0F0F_F0F0, .max,
            ]
            for number in numbers {
                var buffer = ByteBuffer(capacity: 0)
                buffer.append(hex: number, digits: 8)
                let digits = String(number, radix: 16)
                let expected = String(repeating: "0", count: 8 - digits.count) + digits
                expect(String(decoding: buffer.bytes, as: UTF8.self), is: expected)
            }
        }
    }
}
