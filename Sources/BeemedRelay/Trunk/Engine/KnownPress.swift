import BeemedDomain
import RelayHTTP

/// The last press of a head, as it was read from a request. The same head and content from the same
/// device mean the same press until a device or a preset changes: only its time, and its id if it
/// names none, are those of its own request.
///
/// This is for speed alone: to read each request takes 13,000 instructions of the 32,000 of a
/// press, with 64 connections more than a tenth of the relay's time.
final class KnownPress: Sendable {
    /// What a press depends on besides its request: both count their changes.
    struct Basis: Equatable, Sendable {
        var devices: UInt64
        var presets: UInt64
    }

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

    /// Whether its request had this content.
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
        KnownPress.Basis(devices: access.devices.revision, presets: presets.revision)
    }
}
