/// The credential of a waiting request, so that the wait ends when it is revoked, and waits are
/// counted per token.
package struct Bearer: Hashable, Sendable {
    /// The device's name, or the owner's.
    var device: String
    /// The digest of the token or session cookie.
    var digest: String

    /// The token of a device.
    package init(_ device: Device) {
        self.device = device.name
        digest = device.tokenHash
    }
}
