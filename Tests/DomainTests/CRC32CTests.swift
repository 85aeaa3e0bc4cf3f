import BeemedDomain
import Testing

@Suite struct CRC32CTests {
    @Test func `gives the check value of the standard`() {
        #expect(CRC32C.of(Array("123456789".utf8).span) == 0xE306_9283)
    }

    @Test func `is zero for nothing`() {
        let none: [UInt8] = []
        #expect(CRC32C.of(none.span) == 0)
    }
}
