#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An IP address. An IPv4 address received through an IPv6 socket equals the plain IPv4 address.
package struct Address: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// Creates an address from 4 or 16 bytes in network order.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16)
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]
        self.bytes = bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    /// Parses the usual text, an IPv6 address without brackets; nil when it is invalid.
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

    /// Whether it is a loopback address.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether it is in a private network: RFC 1918, RFC 6598, link-local, RFC 4193.
    package var isPrivate: Bool {
        guard bytes.count == 4 else {
            return isLoopback || bytes[0] & 0xFE == 0xFC
                || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
        }
        switch (bytes[0], bytes[1]) {
        case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): return true
        default: return false
        }
    }

    /// The usual text.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
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
        address.bytes.count == 4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
