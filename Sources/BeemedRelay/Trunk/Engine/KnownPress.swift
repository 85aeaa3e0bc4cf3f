import BeemedDomain
import RelayHTTP

/// A press as it was read from a request. The same head and content on the same connection mean the
/// same press until a device or a preset changes: only the time, and the id if none is named, are
/// those of its own request.
///
/// This is for speed alone: to read each request takes 13,000 instructions of the 32,000 of a
/// press, with 64 connections more than a tenth of the relay's time
/// (`Benchmarks/instructions.py --connections 64`).
final class KnownPress: Sendable {
    /// The revisions of the things that a press depends on besides its request.
    typealias Basis = (devices: UInt64, presets: UInt64)

    let press: Press
    let reading: PressReading
    let device: Device
    let route: StaticString
    private let head: Head
    private let content: [UInt8]
    let basis: Basis

    /// The longest content that is remembered, in bytes: it bounds the memory.
    static let maxBytes = 1_024

    init(
        _ press: Press, _ reading: PressReading, from device: Device, _ call: Call, on basis: Basis
    ) {
        (self.press, self.reading, self.device) = (press, reading, device)
        (self.basis, route) = (basis, call.route)
        (head, content) = (call.request.head, call.request.body)
    }

    /// Whether it is this request once more.
    func isRead(from request: Request) -> Bool {
        let content = content
        return head === request.head && content.span.equals(request.body.span)
    }
}

/// The route of a head and its sender, who depends on nothing but the head and the devices: not on
/// the time, as that of a reminder's token does, nor on content or an origin.
///
/// This is for speed alone: to match the path and look for the token takes 3,500 instructions of the
/// 18,300 of a request for the context (`Benchmarks/instructions.py`).
struct KnownHead {
    let head: Head
    let match: RouteTable.Match
    let route: Route
    let sender: Device
    /// The revision of the devices.
    let devices: UInt64
}

/// The last request of each connection, as far as it was read: a client sends the same head again
/// and again.
struct LastOfConnections<Known> {
    private var known: [Known?] = []

    subscript(connection: Int) -> Known? {
        get { connection < known.count ? known[connection] : nil }
        set {
            guard connection < maxKnownConnections else { return }
            while known.count <= connection { known.append(nil) }
            known[connection] = newValue
        }
    }
}

/// The number of connections whose requests are remembered: bounds their memory.
private let maxKnownConnections = 1_024

extension Relay {
    /// Takes a press whose request is the one before on its connection once more, without
    /// reading it; false for any other request, which is to be routed.
    func acceptKnown(_ call: Call) throws(Problem) -> Bool {
        guard let known = presses[call.id.slot], known.basis == readingBasis,
            known.isRead(from: call.request)
        else { return false }
        call.route = known.route
        call.isPress = true
        call.showsContent = true
        call.device = known.device.name
        access.recordSeen(known.device, call.context)
        try access.permit(known.device, .log, call.context)
        call.reading = known.reading
        engine.submit(known.press, reply: .request(call), at: call.moment)
        return true
    }

    /// Remembers the press that a request was, for the next one on its connection, if it depends
    /// neither on the names of the device's goals nor on more than its head and content: the token
    /// stands in the head, where nothing else decides, and is none of a reminder, which ends.
    func remember(_ press: Press, _ reading: PressReading, from device: Device, _ call: Call) {
        guard call.request.method == .post, device.goals == nil, device.name != Device.button,
            Credentials.isBearer(in: call.request), !call.request.head.isLong,
            call.request.body.count <= KnownPress.maxBytes
        else { return }
        presses[call.id.slot] = KnownPress(
            press, reading, from: device, call, on: readingBasis)
    }

    /// The known facts about the head of a request, unless a device has changed since.
    func knownHead(of call: Call) -> KnownHead? {
        guard let known = heads[call.id.slot], known.head === call.request.head,
            known.devices == access.devices.revision
        else { return nil }
        return known
    }

    /// Remembers the route and the sender of the head of a request.
    func rememberHead(of call: Call, from device: Device) {
        let head = call.request.head
        guard let match = call.match, let route = call.asked, device.name != Device.button,
            !head.isLong, Credentials.isBearer(in: call.request)
        else { return }
        heads[call.id.slot] = KnownHead(
            head: head, match: match, route: route, sender: device,
            devices: access.devices.revision)
    }

    private var readingBasis: KnownPress.Basis {
        (access.devices.revision, presets.revision)
    }
}
