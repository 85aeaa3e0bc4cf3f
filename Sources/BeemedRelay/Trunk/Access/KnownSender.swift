/// The sender of a head that may come again: a client sends the same head again and again on its
/// connection, so its token is looked for and compared once for each connection.
///
/// Only a sender that depends on nothing but the head and the devices is remembered: not on time,
/// as a reminder's token does, nor on a body or an origin.
struct KnownSender: Sendable {
    private let sender: Device
    /// The revision of the devices that it belongs to.
    private let revision: UInt64

    init(_ device: Device, in devices: DeviceBook) {
        (sender, revision) = (device, devices.revision)
    }

    /// The sender, unless a device has changed since.
    func device(in devices: DeviceBook) -> Device? {
        guard devices.revision == revision else { return nil }
        return sender
    }
}
