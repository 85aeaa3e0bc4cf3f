#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension String {
    /// Whether both are the same bytes: `==` calls an accented letter equal to the letter and its
    /// accent.
    func hasSameBytes(as other: String) -> Bool {
        let (bytes, others) = (utf8.span, other.utf8.span)
        guard bytes.count == others.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe others.withUnsafeBytes { others in
                guard let left = bytes.baseAddress, let right = others.baseAddress else {
                    return true  // Both are empty.
                }
                return unsafe memcmp(left, right, bytes.count) == 0
            }
        }
    }
}
