#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension [UInt8] {
    /// An array of these bytes.
    init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Span<UInt8> {
    /// Whether the other has these bytes from that index on.
    func equals(_ other: borrowing Span<UInt8>, from start: Int) -> Bool {
        guard count <= other.count - start else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe other.extracting(start..<(start + bytes.count)).withUnsafeBytes { other in
                guard let left = bytes.baseAddress, let right = other.baseAddress else {
                    return true  // Both are empty.
                }
                return unsafe memcmp(left, right, bytes.count) == 0
            }
        }
    }
}
