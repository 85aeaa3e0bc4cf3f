import RelayHTTP

/// The senders of recent heads. A client sends the same head again and again on its connection, so
/// its token is looked for and compared once for each connection, and not for each press.
///
/// Only heads whose sender depends on nothing else are remembered: not on time, as a reminder's
/// token does, nor on a body or an origin.
struct KnownHeads: Sendable {
    /// A head, kept so that no other one gets its identity, and its sender.
    private struct Known: Sendable {
        let head: Head
        let device: Device
    }

    private var known: [ObjectIdentifier: Known] = [:]
    /// The revision of the devices that they belong to.
    private var revision: UInt64?

    /// The number of remembered heads: bounds their memory.
    private static let most = 256

    /// The sender of that head, if it is known.
    func device(of head: Head, in devices: DeviceBook) -> Device? {
        guard devices.revision == revision else { return nil }
        return known[ObjectIdentifier(head)]?.device
    }

    /// Remembers the sender of a head.
    mutating func note(_ device: Device, of head: Head, in devices: DeviceBook) {
        if devices.revision != revision || known.count >= KnownHeads.most {
            known.removeAll(keepingCapacity: true)
            revision = devices.revision
        }
        known[ObjectIdentifier(head)] = Known(head: head, device: device)
    }
}
