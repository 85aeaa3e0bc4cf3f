extension Target {
    /// Parses a request target (RFC 9112 section 3.2).
    ///
    /// - Parameter authority: the value of `Host`. An absolute target must name the same host, as
    ///   the RFC requires of clients; a target for another host is not served. Without `Host` it
    ///   becomes the host of the target, so that the check against foreign hosts applies.
    init(
        _ bytes: borrowing Span<UInt8>, method: Method, authority: inout String?
    ) throws(ParseError) {
        if bytes[0] == ASCII.slash {
            self = try Target.origin(bytes)
        } else if bytes.count == 1, bytes[0] == ASCII.asterisk, method == .options {
            self = .server
        } else {
            self = try Target.absolute(bytes, authority: &authority)
        }
    }

    private static func origin(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> Target {
        var pathEnd = 0
        while pathEnd < bytes.count, bytes[pathEnd] != ASCII.question {
            guard bytes[pathEnd] < 0x80 else { throw .malformedRequestLine }
            pathEnd += 1
        }
        let path = String(copying: bytes.extracting(..<pathEnd))
        guard pathEnd < bytes.count else { return Target(path: path) }
        let query = String(copying: bytes.extracting((pathEnd + 1)...))
        return Target(path: path, query: query)
    }

    private static func absolute(
        _ bytes: borrowing Span<UInt8>, authority: inout String?
    ) throws(ParseError) -> Target {
        guard bytes.count > 7, Grammar.spells(bytes.extracting(..<7), "http://") else {
            throw .unservedTarget
        }
        var end = 7
        while end < bytes.count, bytes[end] != ASCII.slash, bytes[end] != ASCII.question {
            end += 1
        }
        let named = bytes.extracting(7..<end)
        guard Grammar.isHost(named) else { throw .unservedTarget }
        let host = String(copying: named)
        if let authority, withoutDefaultPort(authority) != withoutDefaultPort(host) {
            throw .unservedTarget
        }
        authority = authority ?? host
        if end == bytes.count { return Target(path: "/") }
        if bytes[end] == ASCII.slash { return try origin(bytes.extracting(end...)) }
        return Target(path: "/", query: String(copying: bytes.extracting((end + 1)...)))
    }

    /// An authority as it is compared (RFC 9110 section 4.2.3).
    private static func withoutDefaultPort(_ authority: String) -> String {
        let name = authority.lowercased()
        return name.hasSuffix(":80") ? String(name.dropLast(3)) : name
    }
}
