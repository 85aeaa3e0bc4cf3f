import BeemedDomain
import RelayHTTP

/// The known facts about the head of a request. A client sends the same head again and again on its
/// connection, so facts that depend on nothing else are found out once for each connection.
///
/// This is for speed alone: without it and the last press that it keeps, a press takes 45,000
/// instructions and not 31,000 (`Benchmarks/instructions.py --connections 64`).
final class KnownHead {
    let head: Head
    /// The requested route; nil before that was looked up.
    var match: (match: RouteTable.Match, route: Route?)?
    /// The sender, if known.
    var sender: KnownSender?
    /// Its last press, if another one may be the same.
    var press: KnownPress?

    init(_ head: Head) {
        self.head = head
    }
}

/// The last heads of the connections.
struct KnownHeads {
    private var known: [KnownHead?] = []

    /// The number of connections whose heads are remembered: bounds their memory.
    private static let most = 1_024

    /// The known facts about a head that has come on that connection.
    mutating func known(_ head: Head, on connection: Int) -> KnownHead {
        guard connection < KnownHeads.most, !head.isLong else { return KnownHead(head) }
        while known.count <= connection { known.append(nil) }
        if let last = known[connection], last.head === head { return last }
        let new = KnownHead(head)
        known[connection] = new
        return new
    }
}

/// The last press of a head, as read from a request. The same head and content from the same device
/// mean the same press until a device or a preset changes: only the time, and the id if none is
/// named, are those of its own request.
///
/// This is for speed alone: to read each request takes 13,000 instructions of the 32,000 of a
/// press, with 64 connections more than a tenth of the relay's time.
final class KnownPress: Sendable {
    /// The revisions of the things that a press depends on besides its request.
    typealias Basis = (devices: UInt64, presets: UInt64)

    let press: Press
    let reading: PressReading
    let device: Device
    let route: StaticString
    private let content: [UInt8]
    let basis: Basis

    /// The longest content that is remembered, in bytes: it bounds the memory.
    static let maxBytes = 1_024

    init(
        _ press: Press, _ reading: PressReading, from device: Device, _ call: Call, on basis: Basis
    ) {
        (self.press, self.reading, self.device) = (press, reading, device)
        (self.basis, route, content) = (basis, call.route, call.request.body)
    }

    func has(_ other: [UInt8]) -> Bool {
        let content = content
        return content.span.equals(other.span)
    }
}

extension Relay {
    /// Takes a press whose request is the one before on its connection once more: it need not be
    /// read again.
    ///
    /// - Returns: false for any other request, which is to be routed.
    func acceptKnown(_ call: Call) throws(Problem) -> Bool {
        guard let known = call.known.press, known.basis == readingBasis,
            known.has(call.request.body)
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
    /// neither on the names of the device's goals nor on more than its head and content.
    func remember(_ press: Press, _ reading: PressReading, from device: Device, _ call: Call) {
        guard call.request.method == .post, device.goals == nil,
            call.known.sender?.device(in: access.devices) != nil,
            call.request.body.count <= KnownPress.maxBytes
        else { return }
        call.known.press = KnownPress(press, reading, from: device, call, on: readingBasis)
    }

    private var readingBasis: KnownPress.Basis {
        (access.devices.revision, presets.revision)
    }
}
