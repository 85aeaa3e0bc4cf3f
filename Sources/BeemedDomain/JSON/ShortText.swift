import Libc

/// A text of at most 15 ASCII letters as a number, so that the names of members are compared
/// without a string for each: that was a fifth of a start.
struct ShortText: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The letters, zeros behind them, and in the last byte their number.
    private var bytes: UInt128

    private static let longest = 15

    @inline(__always)  // Of a literal it is a constant.
    init(stringLiteral text: StaticString) {
        precondition(text.utf8CodeUnitCount <= ShortText.longest)
        unsafe self.init(text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Nil for a text that is longer, or not ASCII.
    init?(_ text: borrowing Span<UInt8>) {
        guard text.count <= ShortText.longest else { return nil }
        self = unsafe text.withUnsafeBufferPointer { text in
            unsafe text.baseAddress.map { unsafe ShortText($0, text.count) } ?? ""
        }
        guard bytes & (.max / 0xFF * 0x80) == 0 else { return nil }
    }

    @inline(__always)
    private init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        var letters: UInt128 = 0
        unsafe memcpy(&letters, start, count)
        bytes = letters.littleEndian | UInt128(truncatingIfNeeded: count) << 120
    }
}
