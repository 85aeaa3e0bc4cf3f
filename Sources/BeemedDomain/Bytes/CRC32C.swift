import CChecksum

/// The Castagnoli CRC, which finds every error burst of up to 32 bits (RFC 3720 appendix B.4).
///
/// Nearly all processors have an instruction for this CRC. A table takes fifty times as long, and a
/// press waits for the result.
package struct CRC32C: Sendable {
    /// Whether the processor has the instruction.
    static let hasInstruction = checksum_has_instruction() != 0

    private static let table: [UInt32] = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
    }

    private var rest = ~UInt32(0)

    /// The checksum of all bytes so far.
    var value: UInt32 { ~rest }

    /// The checksum of these bytes; of "123456789" it is e3069283.
    package static func of(_ bytes: borrowing Span<UInt8>) -> UInt32 {
        var check = CRC32C()
        check.add(bytes)
        return check.value
    }

    /// Adds more bytes.
    mutating func add(_ bytes: borrowing Span<UInt8>) {
        guard CRC32C.hasInstruction else { return addByTable(bytes) }
        rest = unsafe bytes.withUnsafeBytes {
            unsafe checksum_add(rest, $0.baseAddress, $0.count)
        }
    }

    /// The same without the instruction.
    mutating func addByTable(_ bytes: borrowing Span<UInt8>) {
        for index in bytes.indices {
            rest = rest >> 8 ^ CRC32C.table[Int((rest ^ UInt32(bytes[index])) & 0xFF)]
        }
    }
}
