/// Eight bytes that are looked at together: each test marks the bytes that pass it by their highest
/// bit. Bytes behind the first one that passes may be marked by mistake (Mycroft, 1987).
struct EightBytes {
    /// The first byte is the lowest.
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let high = ones << 7

    /// The bytes from that place on, of which there must be eight.
    init(_ bytes: borrowing Span<UInt8>, at place: Int) {
        precondition(place >= 0 && place <= bytes.count - 8)
        word = UInt64(
            littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(
                fromByteOffset: place, as: UInt64.self))
    }

    /// Marks the control bytes, which are below 0x20.
    var controls: UInt64 { (word &- EightBytes.ones &* 0x20) & ~word & EightBytes.high }

    /// Marks the bytes that are equal to this one.
    func equal(to byte: UInt8) -> UInt64 {
        let rest = word ^ EightBytes.ones &* UInt64(byte)
        return (rest &- EightBytes.ones) & ~rest & EightBytes.high
    }

    /// How many bytes come before the first one that is marked; eight without any.
    static func count(before marks: UInt64) -> Int { marks.trailingZeroBitCount / 8 }

    /// Whether so many of the first bytes are ASCII.
    func isASCII(first count: Int) -> Bool {
        count == 0 || (word & EightBytes.high) << UInt64(8 * (8 - count)) == 0
    }
}
