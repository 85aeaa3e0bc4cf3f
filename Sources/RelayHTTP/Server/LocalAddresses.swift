#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The addresses of this machine's network interfaces.
package enum LocalAddresses {
    /// The addresses at which other machines may reach this one: of interfaces that are up, no
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
        return found.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map(\.element.address)
    }

    /// The rank of an interface in the list; nil when down or a loopback.
    private static func rank(_ interface: ifaddrs) -> Int? {
        let flags = unsafe interface.ifa_flags
        guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0 else { return nil }
        let name = unsafe String(cString: interface.ifa_name)
        let virtual = ["docker", "br-", "veth", "virbr", "bridge", "utun", "awdl", "llw"]
        return virtual.contains(where: name.hasPrefix) ? 2 : 0
    }

    private static func address(_ interface: ifaddrs) -> Address? {
        guard let socket = unsafe interface.ifa_addr else { return nil }
        let address: Address
        switch Int32(unsafe socket.pointee.sa_family) {
        case AF_INET:
            let bytes = unsafe socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin_addr) { unsafe Array($0) }
            }
            address = Address(bytes)
        case AF_INET6:
            let bytes = unsafe socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe Array($0) }
            }
            address = Address(bytes)
        default: return nil
        }
        // A link-local address means nothing without the name of an interface.
        let isLinkLocal =
            address.isIPv4
            ? address.bytes.starts(with: [169, 254])
            : address.bytes[0] == 0xFE && address.bytes[1] & 0xC0 == 0x80
        return isLinkLocal ? nil : address
    }
}
