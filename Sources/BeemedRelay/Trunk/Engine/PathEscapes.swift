import RelayHTTP

/// Percent-encoding in paths (RFC 3986 section 2).
enum PathEscapes {
    /// Decodes only unreserved characters (RFC 3986 sections 2.3 and 6.2.2.2): letters, digits,
    /// `-`, `.`, `_` and `~`. Everything else stays encoded, so that the segments do not change.
    static func decodingUnreserved(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
        let given = Array(path.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(given.count)
        var index = 0
        while index < given.count {
            if given[index] == UInt8(ascii: "%"), index + 2 < given.count,
                let high = ASCII.hexValue(given[index + 1]),
                let low = ASCII.hexValue(given[index + 2]),
                ASCII.isUnreserved(high << 4 | low)
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(given[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
