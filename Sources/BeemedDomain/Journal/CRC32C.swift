/// The Castagnoli CRC, which finds every error burst of up to 32 bits (RFC 3720 appendix B.4).
package struct CRC32C: Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1
        }
    }

    /// The check value of these bytes; of "123456789" it is e3069283.
    package static func of(_ bytes: borrowing Span<UInt8>) -> UInt32 {
        let table = self.table.span
        var rest = ~UInt32(0)
        for index in bytes.indices {
            rest = rest >> 8 ^ table[Int((rest ^ UInt32(bytes[index])) & 0xFF)]
        }
        return ~rest
    }
}
