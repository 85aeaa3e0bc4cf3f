import BeemedDomain
import RelayHTTP

/// A press as it was read from a request. The same head and content from the same device mean the
/// same press: only its time, and its id if it names none, are those of its own request.
final class ReadPress: Sendable {
    let device: Device
    let press: Press
    let reading: PressReading
    /// The pattern of the request's path.
    let route: StaticString
    /// The request's content.
    fileprivate let body: [UInt8]

    init(
        _ press: Press, _ reading: PressReading, from device: Device, route: StaticString,
        body: [UInt8]
    ) {
        (self.press, self.reading, self.device) = (press, reading, device)
        (self.route, self.body) = (route, body)
    }
}

/// The last press under each of the recent heads. A button or a bridge often sends the same request
/// again on its connection, and to read it again took a third of a press.
struct KnownPresses: Sendable {
    /// What a press depends on besides its request: both count their changes.
    struct Basis: Equatable, Sendable {
        var devices: UInt64
        var presets: UInt64
    }

    /// A head, kept so that no other one gets its identity, and its last press.
    private struct Known: Sendable {
        let head: Head
        let press: ReadPress
    }

    private var known: [ObjectIdentifier: Known] = [:]
    /// What the known presses depend on.
    private var basis: Basis?

    /// The number of remembered presses, and the longest content of one, in bytes: they bound the
    /// memory.
    private static let (most, bodyBytes) = (256, 1_024)

    /// The press that a request is, if the request before it with this head was the same.
    func press(of request: Request, on basis: Basis) -> ReadPress? {
        guard self.basis == basis, let press = known[ObjectIdentifier(request.head)]?.press,
            press.body == request.body
        else { return nil }
        return press
    }

    /// Remembers a press. Its sender must depend on nothing but the head and the devices.
    mutating func note(_ press: ReadPress, of head: Head, on basis: Basis) {
        guard press.body.count <= KnownPresses.bodyBytes else { return }
        if self.basis != basis || known.count >= KnownPresses.most {
            known.removeAll(keepingCapacity: true)
            self.basis = basis
        }
        known[ObjectIdentifier(head)] = Known(head: head, press: press)
    }
}
