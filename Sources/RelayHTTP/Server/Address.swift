import Libc

/// An IP address. An IPv4 address received through an IPv6 socket equals the plain IPv4 address.
///
/// A value without references, so that the copies of it that each request has cost nothing.
package struct Address: Hashable, Sendable, CustomStringConvertible {
    /// Whether the address has 4 bytes, and not 16.
    package let isIPv4: Bool
    /// The bytes in network order; those of an IPv4 address are the first. Not a vector: objects
    /// with one need memory at multiples of 16, which the system finds ten times as slowly.
    private let high, low: UInt64

    /// Creates an address from 4 or 16 bytes in network order.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16)
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]
        let own = bytes.starts(with: mapped) ? bytes[12...] : bytes[...]
        isIPv4 = own.count == 4
        let padded = own + Array(repeating: 0, count: 16 - own.count)
        high = padded.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = padded.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private subscript(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (56 - index % 8 * 8))
    }

    /// 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        (0..<(isIPv4 ? 4 : 16)).map { self[$0] }
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
        isIPv4 ? self[0] == 127 : (high, low) == (0, 1)
    }

    /// Whether the address is valid on one link only (RFC 3927, RFC 4291 section 2.5.6).
    var isLinkLocal: Bool {
        let (first, second) = (self[0], self[1])
        return isIPv4 ? first == 169 && second == 254 : first == 0xFE && second & 0xC0 == 0x80
    }

    /// Whether the address is in a private network: RFC 1918, RFC 6598, link-local, RFC 4193.
    package var isPrivate: Bool {
        guard !isLoopback, !isLinkLocal else { return true }
        guard isIPv4 else { return self[0] & 0xFE == 0xFC }
        switch (self[0], self[1]) {
        case (10, _), (172, 16...31), (192, 168), (100, 64...127): return true
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

    /// The endpoint in the system's form; nil for one that is not of an IP network.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = unsafe UnsafeRawPointer(address)
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let own = unsafe raw.loadUnaligned(as: sockaddr_in.self)
            let bytes = unsafe withUnsafeBytes(of: own.sin_addr) { unsafe Array($0) }
            self.init(Address(bytes), port: UInt16(bigEndian: own.sin_port))
        case AF_INET6:
            let own = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = unsafe withUnsafeBytes(of: own.sin6_addr) { unsafe Array($0) }
            self.init(Address(bytes), port: UInt16(bigEndian: own.sin6_port))
        default: return nil
        }
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

/// The addresses of this machine's network interfaces.
package enum LocalAddresses {
    /// The addresses at which other machines may reach this one: of interfaces that run, no
    /// loopback and no link-local ones; IPv4 first, and those of containers' bridges last.
    package static var reachable: [Address] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var found: [(rank: Int, address: Address)] = []
        var next = unsafe list
        while let entry = unsafe next {
            let interface = unsafe entry.pointee
            unsafe next = interface.ifa_next
            guard let rank = unsafe rank(interface), let address = unsafe address(interface),
                !found.contains(where: { $0.address == address })
            else { continue }
            found.append((rank + (address.isIPv4 ? 0 : 1), address))
        }
        return found.sorted { $0.rank < $1.rank }.map(\.address)
    }

    /// The rank of an interface in the list; nil when down, without a carrier, or a loopback.
    private static func rank(_ interface: ifaddrs) -> Int? {
        let runs = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        guard unsafe interface.ifa_flags & (runs | UInt32(IFF_LOOPBACK)) == runs else { return nil }
        let name = unsafe String(cString: interface.ifa_name)
        let virtual = ["docker", "br-", "veth", "virbr", "bridge", "utun", "awdl", "llw"]
        return virtual.contains(where: name.hasPrefix) ? 2 : 0
    }

    private static func address(_ interface: ifaddrs) -> Address? {
        guard let socket = unsafe interface.ifa_addr,
            let address = unsafe Endpoint(socket)?.address
        else { return nil }
        // A link-local address means nothing without the name of an interface.
        return address.isLinkLocal ? nil : address
    }
}
