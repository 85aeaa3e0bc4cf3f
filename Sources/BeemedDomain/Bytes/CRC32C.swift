import CChecksum

/// The Castagnoli CRC, which finds every error burst of up to 32 bits (RFC 3720 appendix B.4).
///
/// Nearly all processors have an instruction for it. By tables it takes ten times as long, and a
/// press waits for it.
package struct CRC32C: Sendable {
    /// Whether the processor has the instruction.
    static let hasInstruction = checksum_has_instruction() != 0

    /// Eight tables of 256 entries, so that eight bytes are processed at once (Kounavis and Berry,
    /// 2005): a start reads every byte of the journal several times. Their size is a part of the
    /// type, so that no index must be checked, and an object keeps them from being copied.
    private final class Tables: Sendable {
        let entries: InlineArray<2_048, UInt32>

        init() {
            var entries = InlineArray<2_048, UInt32>(repeating: 0)
            for index in 0..<256 {
                var rest = UInt32(index)
                for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
                entries[index] = rest
            }
            for index in 256..<2_048 {
                let before = entries[index - 256]
                entries[index] = before >> 8 ^ entries[Int(before & 0xFF)]
            }
            self.entries = entries
        }
    }

    private static let tables = Tables()

    private var rest = ~UInt32(0)

    /// Starts with no bytes.
    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 { ~rest }

    /// The checksum of these bytes; of "123456789" it is e3069283.
    package static func of(_ bytes: borrowing Span<UInt8>) -> UInt32 {
        var check = CRC32C()
        check.add(bytes)
        return check.value
    }

    /// Adds more bytes.
    package mutating func add(_ bytes: borrowing Span<UInt8>) {
        guard CRC32C.hasInstruction else { return addByTables(bytes) }
        rest = unsafe bytes.withUnsafeBytes {
            unsafe checksum_add(rest, $0.baseAddress, $0.count)
        }
    }

    /// The same without the instruction.
    mutating func addByTables(_ bytes: borrowing Span<UInt8>) {
        let tables = CRC32C.tables
        let words = bytes.count / 8
        var rest = rest
        for word in 0..<words {
            let eight = UInt64(
                littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(
                    fromByteOffset: 8 * word, as: UInt64.self))
            let mixed = eight ^ UInt64(rest)
            rest = tables.entries[1_792 + Int(mixed & 0xFF)]
            rest ^= tables.entries[1_536 + Int(mixed >> 8 & 0xFF)]
            rest ^= tables.entries[1_280 + Int(mixed >> 16 & 0xFF)]
            rest ^= tables.entries[1_024 + Int(mixed >> 24 & 0xFF)]
            rest ^= tables.entries[768 + Int(mixed >> 32 & 0xFF)]
            rest ^= tables.entries[512 + Int(mixed >> 40 & 0xFF)]
            rest ^= tables.entries[256 + Int(mixed >> 48 & 0xFF)]
            rest ^= tables.entries[Int(mixed >> 56)]
        }
        for index in (8 * words)..<bytes.count {
            rest = rest >> 8 ^ tables.entries[Int((rest ^ UInt32(bytes[index])) & 0xFF)]
        }
        self.rest = rest
    }
}
