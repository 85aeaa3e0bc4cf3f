import Libc

/// The bytes and character classes of RFC 9110 section 5.6 and RFC 9112 section 2.2.
package enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let backslash: UInt8 = 0x5C
    static let delete: UInt8 = 0x7F

    /// `tchar` of RFC 9110 section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Bytes allowed in a field's value: RFC 9110 section 5.5 without control bytes except TAB.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= space ? byte != delete : byte == tab
    }

    static func isFieldValue(_ bytes: borrowing Span<UInt8>) -> Bool {
        for index in bytes.indices where !isFieldValue(bytes[index]) { return false }
        return true
    }

    /// Whether these bytes may be a request's target: visible bytes, and bytes above ASCII, since
    /// `curl` sends a comment's umlauts unencoded.
    static func isTarget(_ bytes: borrowing Span<UInt8>) -> Bool {
        for index in bytes.indices
        where bytes[index] <= space || bytes[index] == delete || bytes[index] == hash {
            return false
        }
        return true
    }

    /// `OWS` and `BWS` of RFC 9110 section 5.6.3.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == space || byte == tab
    }

    /// The lower-case form of an upper-case letter; any other byte unchanged.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// `unreserved` of RFC 3986 section 2.3: what needs no escape in a URL.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// The value of one hexadecimal digit, or nil.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// The first position of these bytes in others; nil when they are not there, or there are none.
    package static func position(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = pattern.first else { return nil }
        var start = bytes.startIndex
        while let index = bytes[start...].firstIndex(of: first) {
            if bytes[index...].starts(with: pattern) { return index }
            start = index + 1
        }
        return nil
    }
}

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
    init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

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
