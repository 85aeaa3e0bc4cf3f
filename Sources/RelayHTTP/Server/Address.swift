#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An IP address. An IPv4 address received through an IPv6 socket equals the plain IPv4 address.
///
/// Two words, so that the copies of it that each request has cost nothing.
package struct Address: Hashable, Sendable, CustomStringConvertible {
    /// Whether the address has 4 bytes, and not 16.
    package let isIPv4: Bool
    /// The bytes in network order, the first one highest; those of an IPv4 address are the first.
    private let (high, low): (UInt64, UInt64)

    /// Creates an address from 4 or 16 bytes in network order.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16)
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]
        let own = bytes.starts(with: mapped) ? bytes[12...] : bytes[...]
        isIPv4 = own.count == 4
        (high, low) = (Address.word(own.prefix(8)), Address.word(own.dropFirst(8)))
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        let word = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        return bytes.isEmpty ? 0 : word << UInt64(8 * (8 - bytes.count))
    }

    /// 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        (0..<(isIPv4 ? 4 : 16)).map { byte($0) }
    }

    private func byte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(8 * (7 - index % 8)))
    }

    /// Parses the usual text, an IPv6 address without brackets; nil when invalid.
    package init?(_ text: String) {
        var bytes = Array(repeating: UInt8(0), count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(Array(bytes[..<4]))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes)
        } else {
            return nil
        }
    }

    /// Whether this is a loopback address.
    package var isLoopback: Bool {
        isIPv4 ? byte(0) == 127 : high == 0 && low == 1
    }

    /// Whether the address is in a private network: RFC 1918, RFC 6598, link-local, RFC 4193.
    package var isPrivate: Bool {
        guard isIPv4 else {
            return isLoopback || byte(0) & 0xFE == 0xFC
                || (byte(0) == 0xFE && byte(1) & 0xC0 == 0x80)
        }
        switch (byte(0), byte(1)) {
        case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): return true
        default: return false
        }
    }

    /// The usual text.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        unsafe inet_ntop(family, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// An address and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package var address: Address
    package var port: UInt16

    /// Creates an endpoint; port 0 lets the system choose.
    package init(_ address: Address, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `127.0.0.1:2336` or `[::1]:2336`; nil for anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let number = Grammar.decimal(Array(text[colon...].utf8.dropFirst()).span),
            let port = UInt16(exactly: number)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard let address = Address(host == "localhost" ? "127.0.0.1" : host) else { return nil }
        self.init(address, port: port)
    }

    /// The form used in a URL.
    package var description: String {
        address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
