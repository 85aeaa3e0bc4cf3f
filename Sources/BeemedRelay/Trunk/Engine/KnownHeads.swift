import BeemedDomain
import RelayHTTP

/// The head of a request that was let in, with its route, its sender and its press.
///
/// A client sends the same head again and again on its connection, and mostly route and sender
/// depend on nothing else: not on the time, as that of a reminder's token does, nor on content or
/// an origin. So it is kept until a device changes. This is for speed alone: to match the path and
/// look for the token takes a third of a request for the context (`Benchmarks/README.md`).
final class KnownHead {
    fileprivate let head: Head
    /// The revision of the devices.
    fileprivate let devices: UInt64
    let route: Route
    /// The name in its path; nil without one.
    let name: String?
    let sender: Sender
    /// When the sender was last recorded as seen, in Unix seconds.
    var seenAt: Int64
    /// The last press with this head, if another one may be the same, with its content and the
    /// revision of the presets.
    ///
    /// The same head and content mean the same press until a device or a preset changes: only the
    /// time, and the id if none is named, are those of its own request. This is for speed alone,
    /// too.
    private var press: ReadPress?
    private var content: [UInt8] = []
    private var presets: UInt64 = 0

    /// The longest content that is remembered, in bytes: it bounds the memory.
    private static let maxBytes = 1_024

    fileprivate init(_ call: Call, _ route: Route, from sender: Sender, devices: UInt64) {
        (head, seenAt, name) = (call.request.head, call.moment.wall.seconds, call.pathName)
        (self.route, self.sender, self.devices) = (route, sender, devices)
    }

    /// The press of a request with this head that is the one before once more; nil for any other
    /// one, which is to be read.
    ///
    /// - Parameter presets: the revision of the presets.
    func press(of call: Call, presets: UInt64) -> ReadPress? {
        guard presets == self.presets else { return nil }
        let (content, given) = (content, call.shown?.body ?? [])
        return content.span.equals(given.span) ? press : nil
    }

    /// Remembers the press that a request was, for the next one on its connection, if it depends
    /// neither on the names of the device's goals nor on more than its head and content.
    func remember(_ press: ReadPress, of call: Call, presets: UInt64) {
        let content = call.request.body
        guard route.method == .post, sender.device.goals == nil, content.count <= KnownHead.maxBytes
        else { return }
        (self.press, self.content, self.presets) = (press, content, presets)
    }
}

/// The last heads of the connections, by their slots.
struct KnownHeads {
    private var heads: [KnownHead?] = []

    /// The number of connections whose heads are remembered: bounds their memory.
    private static let maxHeads = 1_024

    /// The head of a request, if it is known and no device has changed since.
    ///
    /// - Parameter devices: the revision of the devices.
    func head(of call: Call, devices: UInt64) -> KnownHead? {
        let slot = call.id.slot
        guard slot < heads.count, let known = heads[slot], known.devices == devices,
            known.head === call.shown?.head
        else { return nil }
        return known
    }

    /// Remembers the head of a request that is let in, if its token stands in a field where nothing
    /// else decides, and is none of a reminder, which ends.
    ///
    /// - Returns: nil for a head that is not remembered.
    mutating func remember(_ call: Call, devices: UInt64) -> KnownHead? {
        let slot = call.id.slot
        guard let route = call.route, let sender = call.sender, slot < KnownHeads.maxHeads,
            !call.request.head.isLong,
            Credentials.isBearer(in: call.request), sender.device.name != .button,
            // With a coding it depends on the content whether a request is let in.
            call.request.fields.bytes(of: .contentEncoding) == nil
        else { return nil }
        while heads.count <= slot { heads.append(nil) }
        let known = KnownHead(call, route, from: sender, devices: devices)
        heads[slot] = known
        return known
    }
}
