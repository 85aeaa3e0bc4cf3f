import Libc

/// A text of at most 16 ASCII letters as a number, so that the names of members are compared
/// without a string for each: that was a fifth of a start.
struct ShortText: Equatable, Sendable, ExpressibleByStringLiteral {
    /// The letters, and zeros behind them.
    private var letters: UInt128 = 0
    private let count: Int

    private static let longest = 16
    private static let notASCII: UInt128 = 0x8080_8080_8080_8080_8080_8080_8080_8080

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
        guard letters & ShortText.notASCII == 0 else { return nil }
    }

    @inline(__always)
    private init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        self.count = count
        unsafe memcpy(&letters, start, count)
    }
}
