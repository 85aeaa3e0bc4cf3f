package import BeemedDomain
package import RelayHTTP

/// Where the journal of a cluster is: `etcd://HOST:PORT,HOST:PORT/NAME`, or `etcds://` for TLS. A
/// user stands before the first host, as in `etcd://relay@pi-1:2379/home`.
package struct StoreLocation: Sendable, Equatable {
    /// The base URLs of the members' gateways, in the order given.
    package private(set) var members: [String]
    /// The store's name: several stores may share one etcd.
    package let name: String
    /// The user of etcd; nil without authentication.
    package let user: String?

    /// Nil when the text is not such a location.
    init?(_ text: String) {
        let schemes = [("etcd://", "http"), ("etcds://", "https")]
        guard let (prefix, scheme) = schemes.first(where: { text.hasPrefix($0.0) }) else {
            return nil
        }
        var rest = text.dropFirst(prefix.count)
        if let at = rest.firstIndex(of: "@") {
            let name = rest[..<at]
            guard !name.isEmpty, !name.contains(where: { ":/, ".contains($0) }) else { return nil }
            user = String(name)
            rest = rest[rest.index(after: at)...]
        } else {
            user = nil
        }
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        let hosts = rest[..<slash].split(separator: ",", omittingEmptySubsequences: false)
        let name = rest[rest.index(after: slash)...]
        guard !hosts.isEmpty, hosts.allSatisfy({ StoreLocation.isHost($0) }),
            (1...64).contains(name.utf8.count), name.utf8.allSatisfy(StoreLocation.isNameByte)
        else { return nil }
        members = hosts.map { "\(scheme)://\($0)" }
        self.name = String(name)
    }

    /// Whether a text is meant as a location and not as a folder.
    package static func isMeant(_ text: String) -> Bool { text.contains("://") }

    /// The mistake in a text that is no location.
    static func mistake(in text: String) -> String {
        let hosts = text.split(separator: "://").dropFirst().joined()
        if let at = hosts.firstIndex(of: "@"), hosts[..<at].contains(":"),
            !hosts[..<at].contains(",")
        {
            return "must not contain a password: write that to a file, and name the file with "
                + "--store-password-file"
        }
        return "is not etcd://HOST:PORT,HOST:PORT/NAME (etcds:// for TLS, USER@ before the first "
            + "host); NAME is of letters, digits, '-' and '_'"
    }

    /// The location that an argument of a command names.
    ///
    /// - Throws: `Failure` that states the mistake.
    package static func named(_ text: String) throws(Failure) -> StoreLocation {
        guard let location = StoreLocation(text) else {
            throw Failure(.usage, "the store \(mistake(in: text))")
        }
        return location
    }

    /// The same at one member.
    package func only(_ member: String) -> StoreLocation {
        var location = self
        location.members = [member]
        return location
    }

    /// The location as it is written.
    var text: String {
        let isSecure = members.first?.hasPrefix("https:") ?? false
        let hosts = members.map { $0.drop { $0 != "/" }.dropFirst(2) }.joined(separator: ",")
        return "etcd\(isSecure ? "s" : "")://\(user.map { "\($0)@" } ?? "")\(hosts)/\(name)"
    }

    /// The names of its keys.
    package var keys: StoreKeys { StoreKeys(store: name) }

    /// A name or an address, and a port. Nothing else: it becomes a part of a URL.
    private static func isHost(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":") else { return false }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), (UInt16(port) ?? 0) > 0 else {
            return false
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            return inner.contains(":") && Address(String(inner)) != nil
        }
        return !host.isEmpty && host.utf8.allSatisfy { isNameByte($0) || $0 == 0x2E }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
    }
}

/// How a relay takes part in a cluster.
package struct ClusterSettings: Sendable {
    /// Nil for a relay that is alone, whose journal is in its data folder.
    package var store: StoreLocation?
    /// The file with the password of etcd's user; empty for none.
    var passwordFile = ""
    /// How long the leader's lease lasts, in seconds.
    package var leaseSeconds = 5
    /// Where the other relays reach this one; nil for the address that it listens on.
    package var advertised: Endpoint?

    /// The password of etcd's user; nil without one.
    ///
    /// - Throws: `Failure` when the file cannot be read.
    package func password() throws(Failure) -> String? {
        guard store?.user != nil else { return nil }
        guard let bytes = try? PrivateFile.contents(ofAny: passwordFile), !bytes.isEmpty else {
            throw Failure(
                .config,
                "--store names a user, and --store-password-file '\(passwordFile)' "
                    + "cannot be read or is empty")
        }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
