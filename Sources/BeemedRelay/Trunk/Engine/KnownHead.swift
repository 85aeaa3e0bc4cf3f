import BeemedDomain
import RelayHTTP

/// The known facts about the head of a request: its route, and its sender, who depends on nothing
/// but the head and the devices: not on the time, as that of a reminder's token does, nor on
/// content or an origin. A client sends the same head again and again on its connection.
///
/// This is for speed alone: to match the path and look for the token takes 3,500 instructions of
/// the 18,300 of a request for the context (`Benchmarks/instructions.py`).
final class KnownHead {
    let head: Head
    let match: RouteTable.Match
    let sender: Device
    /// The revision of the devices.
    let devices: UInt64
    /// The last press with this head, if another one may be the same.
    private var press: KnownPress?

    var route: Route? { match.path.route(head.method) }

    init(_ head: Head, _ match: RouteTable.Match, from sender: Device, devices: UInt64) {
        (self.head, self.match, self.sender, self.devices) = (head, match, sender, devices)
    }

    /// The press of a request with this head that is the one before once more; nil for any other
    /// one, which is to be read.
    ///
    /// - Parameter presets: the revision of the presets.
    func press(of call: Call, presets: UInt64) -> KnownPress? {
        guard let press, press.presets == presets,
            press.content.span.equals(call.request.body.span)
        else { return nil }
        return press
    }

    /// Remembers the press that a request was, for the next one on its connection, if it depends
    /// neither on the names of the device's goals nor on more than its head and content.
    func remember(
        _ press: Press, _ reading: PressReading, from device: Device, _ call: Call, presets: UInt64
    ) {
        let content = call.request.body
        guard call.request.method == .post, device.goals == nil,
            content.count <= KnownPress.maxBytes
        else { return }
        self.press = KnownPress(press: press, reading: reading, presets: presets, content: content)
    }
}

/// A press as it was read from a request. The same head and content mean the same press until a
/// device or a preset changes: only the time, and the id if none is named, are those of its own
/// request.
///
/// This is for speed alone: to read each request takes 13,000 instructions of the 32,000 of a
/// press, with 64 connections more than a tenth of the relay's time
/// (`Benchmarks/instructions.py --connections 64`).
struct KnownPress {
    let press: Press
    let reading: PressReading
    /// The revision of the presets.
    let presets: UInt64
    let content: [UInt8]

    /// The longest content that is remembered, in bytes: it bounds the memory.
    static let maxBytes = 1_024
}

/// The last heads of the connections, by their slots.
struct KnownHeads {
    private var heads: [KnownHead?] = []

    /// The number of connections whose heads are remembered: bounds their memory.
    private static let maxHeads = 1_024

    /// The known facts about the head of a request, unless a device has changed since.
    ///
    /// - Parameter devices: the revision of the devices.
    func head(of call: Call, devices: UInt64) -> KnownHead? {
        let slot = call.id.slot
        guard slot < heads.count, let known = heads[slot], known.head === call.request.head,
            known.devices == devices
        else { return nil }
        return known
    }

    /// Remembers the route and the sender of the head of a request, if its token stands in a field
    /// where nothing else decides, and is none of a reminder, which ends.
    mutating func remember(headOf call: Call, from device: Device, devices: UInt64) {
        let (head, slot) = (call.request.head, call.id.slot)
        guard slot < KnownHeads.maxHeads, let match = call.match,
            device.name != .button, !head.isLong, Credentials.isBearer(in: call.request)
        else { return }
        while heads.count <= slot { heads.append(nil) }
        heads[slot] = KnownHead(head, match, from: device, devices: devices)
    }
}
