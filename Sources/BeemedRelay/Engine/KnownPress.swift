import BeemedDomain
import RelayHTTP

/// A press as it was read from a request. The same head and content mean the same press until a
/// device or a preset changes: only its time, and its id if it names none, are those of its own
/// request.
///
/// This is for speed alone: to read each request takes 13,000 instructions of the 32,000 of a
/// press, with 64 connections a third of the relay's time.
final class KnownPress {
    /// What a press depends on besides its request: both count their changes.
    struct Basis: Equatable {
        var devices: UInt64
        var presets: UInt64
    }

    let press: Press
    let reading: PressReading
    let device: Device
    let route: StaticString
    private let request: Request
    private let basis: Basis

    /// The longest request that is remembered, in bytes: it bounds the memory.
    private static let mostBytes = 3_072

    /// - Returns: nil for a press that may depend on anything else: on time, as a reminder's token
    ///   does, on a browser's cookie, or on the names of a device's goals.
    init?(
        _ press: Press, _ reading: PressReading, from device: Device, _ call: Call, on basis: Basis
    ) {
        let request = call.request
        guard request.method == .post, device.goals == nil, Credentials.isBearer(in: request),
            request.headBytes + request.body.count <= KnownPress.mostBytes
        else { return nil }
        (self.press, self.reading, self.device) = (press, reading, device)
        (self.request, self.basis, route) = (request, basis, call.route)
    }

    /// Whether it is the press of this request.
    func isPress(of other: Request, on basis: Basis) -> Bool {
        self.basis == basis && request.hasSameBytes(as: other)
    }
}

extension Relay {
    /// Takes a press whose request is the one before on its connection once more: it need not be
    /// read again.
    ///
    /// - Returns: false for any other request, which is to be routed.
    func acceptKnown(_ call: Call) throws(Problem) -> Bool {
        guard let known = records.lastPresses[call.id.connection],
            known.isPress(of: call.request, on: readingBasis)
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

    /// Remembers the press that a request was, for the next one on its connection.
    func remember(_ press: Press, _ reading: PressReading, from device: Device, _ call: Call) {
        guard call.id.connection < RequestRecords.mostLastPresses else { return }
        records.lastPresses[call.id.connection] =
            KnownPress(press, reading, from: device, call, on: readingBasis)
    }

    private var readingBasis: KnownPress.Basis {
        KnownPress.Basis(devices: access.devices.revision, presets: books.presetRevision)
    }
}
