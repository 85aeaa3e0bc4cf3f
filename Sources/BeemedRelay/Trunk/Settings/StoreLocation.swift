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
    let text: String

    init?(_ text: String) {
        let form = /etcd(s?):\/\/(?:([^@:\/, ]+)@)?([^\/]+)\/([A-Za-z0-9_\-]{1,64})/
            .matchingSemantics(.unicodeScalar)
        guard let parts = try? form.wholeMatch(in: text)?.output else { return nil }
        let hosts = parts.3.split(separator: ",", omittingEmptySubsequences: false)
        guard hosts.allSatisfy(StoreLocation.isHost) else { return nil }
        self.text = text
        members = hosts.map { "http\(parts.1)://\($0)" }
        user = parts.2.map(String.init)
        name = String(parts.4)
    }

    /// Whether a text is meant as a location and not as a folder.
    package static func isMeant(_ text: String) -> Bool { text.contains("://") }

    static let mistake =
        "is not etcd://HOST:PORT,HOST:PORT/NAME (etcds:// for TLS, USER@ before the first host); "
        + "NAME is of letters, digits, '-' and '_'; a password belongs into a file that "
        + "--store-password-file names"

    /// The location that an argument of a command names.
    package static func named(_ text: String) throws(Failure) -> StoreLocation {
        guard let location = StoreLocation(text) else {
            throw Failure(.usage, "the store \(mistake)")
        }
        return location
    }

    /// The same at one member.
    package func only(_ member: String) -> StoreLocation {
        var location = self
        location.members = [member]
        return location
    }

    /// The names of its keys.
    package var keys: StoreKeys { StoreKeys(store: name) }

    /// A name or an address, and a port. Nothing else: it becomes a part of a URL.
    private static func isHost(_ text: Substring) -> Bool {
        let form = /(?:\[([^\]]+)\]|[A-Za-z0-9_.\-]+):([0-9]+)/.matchingSemantics(.unicodeScalar)
        guard let parts = try? form.wholeMatch(in: text)?.output, (UInt16(parts.2) ?? 0) > 0 else {
            return false
        }
        return parts.1.map { $0.contains(":") && Address(String($0)) != nil } ?? true
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
