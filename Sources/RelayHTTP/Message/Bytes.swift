#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// Operations on spans of bytes and on the strings and arrays that store them.

extension Span<UInt8> {
    /// The first position of that byte; memchr(3) compares many at once.
    func firstIndex(of byte: UInt8) -> Int? {
        unsafe withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
        }
    }

    /// Whether both have the same bytes.
    package func equals(_ other: borrowing Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { other in
                guard let left = bytes.baseAddress, let right = other.baseAddress else {
                    return true  // Both are empty.
                }
                return unsafe memcmp(left, right, bytes.count) == 0
            }
        }
    }
}

extension [UInt8] {
    /// Appends these bytes.
    mutating func append(copying bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// A string of these bytes; invalid UTF-8 becomes U+FFFD.
    init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the bytes of a literal.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends these bytes.
    @inline(__always)
    mutating func append(copying bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends the digits of a number that is not negative.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(ASCII.zero + UInt8(truncatingIfNeeded: number % 10))
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let rest = unsafe UnsafeMutableRawBufferPointer(
                UnsafeMutableBufferPointer(rebasing: buffer[count...]))
            unsafe rest.copyMemory(from: bytes)
            count += bytes.count
        }
    }
}
