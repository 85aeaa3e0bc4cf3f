/// Whose request waits, so that it waits no longer than its token is good, and one token's requests
/// are told from another's.
struct Bearer: Hashable, Sendable {
    /// The device's name, or the owner's.
    var device: String
    /// The digest of what was shown: the token, or a browser's cookie.
    var digest: String

    init(_ device: Device) {
        self.device = device.name
        digest = device.tokenHash
    }
}
