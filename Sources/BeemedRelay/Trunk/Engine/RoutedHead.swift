import BeemedDomain
import RelayHTTP

/// The head of a request with its route and, once that is identified, its sender.
///
/// A client sends the same head again and again on its connection, and mostly route and sender
/// depend on nothing else: not on the time, as that of a reminder's token does, nor on content or
/// an origin. So it is kept until a device changes (`KnownHeads`). This is for speed alone: to
/// match the path and look for the token takes a third of a request for the context
/// (`Benchmarks/README.md`).
final class RoutedHead {
    let match: RouteTable.Match
    let route: Route
    /// Nil before the sender is identified, and for a request without one.
    let sender: Sender?
    /// Whether a request with this head was let in, with all that a head decides.
    fileprivate(set) var isKnown = false
    /// The last press with this head, if another one may be the same.
    private var press: ReadPress?

    init(_ match: RouteTable.Match, _ route: Route, from sender: Sender? = nil) {
        (self.match, self.route, self.sender) = (match, route, sender)
    }

    /// The press of a request with this head that is the one before once more; nil for any other
    /// one, which is to be read.
    ///
    /// - Parameter presets: the revision of the presets.
    func press(of call: Call, presets: UInt64) -> ReadPress? {
        guard let press, press.presets == presets else { return nil }
        let (content, given) = (press.content, call.request.body)
        return content.span.equals(given.span) ? press : nil
    }

    /// Remembers the press that a request was, for the next one on its connection, if it depends
    /// neither on the names of the device's goals nor on more than its head and content.
    func remember(_ press: ReadPress, _ call: Call) {
        guard isKnown, call.request.method == .post, sender?.device.goals == nil,
            press.content.count <= ReadPress.maxBytes
        else { return }
        self.press = press
    }
}

/// The device that sends a request.
final class Sender {
    let device: Device
    /// When the device was last recorded as seen, in Unix seconds.
    var seenAt: Int64

    init(_ device: Device, seenAt: Int64) { (self.device, self.seenAt) = (device, seenAt) }
}

/// A press as it was read from a request. The same head and content mean the same press until a
/// device or a preset changes: only the time, and the id if none is named, are those of its own
/// request. So the last one of a head is kept, for speed alone (`Benchmarks/README.md`).
final class ReadPress {
    let press: Press
    let reading: PressReading
    /// The revision of the presets.
    let presets: UInt64
    let content: [UInt8]

    /// The longest content that is remembered, in bytes: it bounds the memory.
    static let maxBytes = 1_024

    init(_ press: Press, _ reading: PressReading, _ presets: UInt64, _ content: [UInt8]) {
        (self.press, self.reading) = (press, reading)
        (self.presets, self.content) = (presets, content)
    }
}

/// The last heads of the connections, by their slots.
struct KnownHeads {
    private struct Known {
        let head: Head
        let routed: RoutedHead
        /// The revision of the devices.
        let devices: UInt64
    }

    private var heads: [Known?] = []

    /// The number of connections whose heads are remembered: bounds their memory.
    private static let maxHeads = 1_024

    /// The route and the sender of a request whose head is known, unless a device has changed
    /// since.
    ///
    /// - Parameter devices: the revision of the devices.
    func head(of call: Call, devices: UInt64) -> RoutedHead? {
        let slot = call.id.slot
        guard slot < heads.count, let known = heads[slot], known.devices == devices,
            known.head === call.request.head
        else { return nil }
        return known.routed
    }

    /// Remembers the route and the sender of a request that is let in, if its token stands in a
    /// field where nothing else decides, and is none of a reminder, which ends.
    mutating func remember(_ routed: RoutedHead, of call: Call, devices: UInt64) {
        let slot = call.id.slot
        guard slot < KnownHeads.maxHeads, !call.request.head.isLong,
            Credentials.isBearer(in: call.request), call.bearer.name != .button,
            // With a coding it depends on the content whether a request is let in.
            call.request.fields.bytes(of: .contentEncoding) == nil
        else { return }
        while heads.count <= slot { heads.append(nil) }
        routed.isKnown = true
        heads[slot] = Known(head: call.request.head, routed: routed, devices: devices)
    }
}
