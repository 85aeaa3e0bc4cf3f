/// The links, addresses and default routes of a Linux machine, according to the kernel's messages
/// (rtnetlink(7)). Reads bytes and reports changes; owns no socket.
///
/// The kernel repeats itself: every router advertisement sends the same addresses again. So only
/// new items count as changes.
struct NetworkPicture: Sendable {
    private var known: Set<[UInt8]> = []

    /// Items, at most. Beyond that all are dropped, and at worst reported as new once more.
    private static let most = 1_024

    /// Constants of the kernel's headers (linux/rtnetlink.h, linux/if.h), which are a stable
    /// interface.
    private enum Kind {
        static let link: UInt16 = 16
        static let address: UInt16 = 20
        static let route: UInt16 = 24
        /// Set in the kind of a message about what has gone.
        static let gone: UInt16 = 1
    }

    init() {}

    /// Parses the bytes of one `read` from the socket.
    ///
    /// - Returns: whether something new appeared.
    mutating func parse(_ bytes: ArraySlice<UInt8>) -> Bool {
        var hasCome = false
        var rest = bytes
        // nlmsghdr: length, type, flags, sequence, port.
        while let length = rest.word(at: 0), let kind = rest.half(at: 4) {
            guard length >= 16, length <= rest.count else { break }
            let message = rest.prefix(Int(length)).dropFirst(16)
            if apply(kind, message) { hasCome = true }
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return hasCome
    }

    private mutating func apply(_ kind: UInt16, _ message: ArraySlice<UInt8>) -> Bool {
        let isGone = kind & Kind.gone != 0
        return switch kind & ~Kind.gone {
        case Kind.link: link(message, isGone: isGone)
        case Kind.address: address(message, isGone: isGone)
        case Kind.route: route(message, isGone: isGone)
        default: false
        }
    }

    /// ifinfomsg: family, padding, type, index, flags, change.
    private mutating func link(_ message: ArraySlice<UInt8>, isGone: Bool) -> Bool {
        guard let index = message.word(at: 4), let flags = message.word(at: 8) else { return false }
        let (isLoopback, isRunning) = (flags & 0x8 != 0, flags & 0x40 != 0)
        guard !isLoopback else { return false }
        return update([0x4C] + index.bytes, isThere: isRunning && !isGone)
    }

    /// ifaddrmsg: family, prefix length, flags, scope, index; then attributes.
    private mutating func address(_ message: ArraySlice<UInt8>, isGone: Bool) -> Bool {
        guard let scope = message.byte(at: 3), let index = message.word(at: 4) else { return false }
        // Host-scope and link-scope addresses reach no other network.
        guard scope < 253 else { return false }
        let address = message.dropFirst(8).attribute(1) ?? message.dropFirst(8).attribute(2)
        guard let address else { return false }
        return update([0x41] + index.bytes + address, isThere: !isGone)
    }

    /// rtmsg: family, lengths of destination and source, tos, table, protocol, scope, type, flags;
    /// then attributes. Only default routes count.
    private mutating func route(_ message: ArraySlice<UInt8>, isGone: Bool) -> Bool {
        guard let family = message.byte(at: 0), message.byte(at: 1) == 0,
            message.byte(at: 7) == 1, message.count >= 12
        else { return false }
        let attributes = message.dropFirst(12)
        let link = attributes.attribute(4).map(Array.init) ?? []
        let gateway = attributes.attribute(5).map(Array.init) ?? []
        return update([0x52, family] + link + gateway, isThere: !isGone)
    }

    /// - Returns: whether the item is new.
    private mutating func update(_ thing: [UInt8], isThere: Bool) -> Bool {
        guard isThere else {
            known.remove(thing)
            return false
        }
        if known.count >= NetworkPicture.most { known = [] }
        return known.insert(thing).inserted
    }
}

extension ArraySlice<UInt8> {
    fileprivate func byte(at offset: Int) -> UInt8? {
        offset < count ? self[startIndex + offset] : nil
    }

    /// Integers are in host byte order.
    fileprivate func half(at offset: Int) -> UInt16? {
        guard let first = byte(at: offset), let second = byte(at: offset + 1) else { return nil }
        return UInt16(littleEndian: UInt16(first) | UInt16(second) << 8)
    }

    fileprivate func word(at offset: Int) -> UInt32? {
        guard offset + 4 <= count else { return nil }
        let bytes = (0..<4).map { UInt32(self[startIndex + offset + $0]) << (8 * UInt32($0)) }
        return UInt32(littleEndian: bytes.reduce(0, |))
    }

    /// The value of that attribute (rtattr: length, type, value).
    fileprivate func attribute(_ type: UInt16) -> ArraySlice<UInt8>? {
        var rest = self
        while let length = rest.half(at: 0), let kind = rest.half(at: 2) {
            guard length >= 4, Int(length) <= rest.count else { return nil }
            if kind & 0x3FFF == type { return rest.prefix(Int(length)).dropFirst(4) }
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        return nil
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: self >> UInt32($0 * 8)) }
    }
}
