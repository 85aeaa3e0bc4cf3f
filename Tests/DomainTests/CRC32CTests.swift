import Testing

@testable import BeemedDomain

struct CRC32CTests {
    @Test func `check values`() {
        part("gives the check value of the standard") {
            expect(CRC32C.of(Array("123456789".utf8).span), is: 0xE306_9283)
        }
        part("is zero for nothing") {
            let none: [UInt8] = []
            expect(CRC32C.of(none.span), is: 0)
        }
        part("gives the same without the processor's instruction") {
            var randomness = Randomness(seed: 1)
            for count in 0..<300 {
                let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: randomness.next()) }
                let start = count / 3
                var (usual, tables) = (CRC32C(), CRC32C())
                usual.add(bytes.span.extracting(..<start))
                usual.add(bytes.span.extracting(start...))
                tables.addByTable(bytes.span.extracting(..<start))
                tables.addByTable(bytes.span.extracting(start...))
                expect(usual.value, is: tables.value, "\(count) bytes")
            }
        }
    }
}
