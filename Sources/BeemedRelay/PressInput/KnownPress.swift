import BeemedDomain
import RelayHTTP

/// A press as it was read from a request. The same head and content from the same device mean the
/// same press: only its time, and its id if it names none, are those of its own request.
final class ReadPress: Sendable {
    let device: Device
    let press: Press
    let reading: PressReading

    init(_ press: Press, _ reading: PressReading, from device: Device) {
        (self.press, self.reading, self.device) = (press, reading, device)
    }
}

/// The press of a head, if the same content has come twice. A button or a bridge often sends the
/// same request again on its connection, and to read it again takes a third of a press.
struct KnownPress: Sendable {
    /// What a press depends on besides its request: both count their changes.
    struct Basis: Equatable, Sendable {
        var devices: UInt64
        var presets: UInt64
    }

    /// The content of the last request; nil before one, and if it was too long.
    private var content: [UInt8]?
    /// Whether the request before it had the same.
    private var isRepeated = false
    /// The press that this content is, and what that depends on.
    private var read: (press: ReadPress, basis: Basis)?

    /// The longest content that is remembered, in bytes: it bounds the memory.
    private static let mostBytes = 1_024

    /// The press of a request with this content, if it is known.
    mutating func press(of content: [UInt8], on basis: Basis) -> ReadPress? {
        guard let last = self.content, content.span.equals(last.span) else {
            self.content = content.count <= KnownPress.mostBytes ? content : nil
            (isRepeated, read) = (false, nil)
            return nil
        }
        isRepeated = true
        guard let read, read.basis == basis else { return nil }
        return read.press
    }

    /// Remembers the press that the last request was, if its content has come twice: a device that
    /// sends another press each time need not pay for it.
    ///
    /// - Parameter make: makes the press. Its sender must depend on nothing but the head and the
    ///   devices.
    mutating func note(on basis: Basis, _ make: () -> ReadPress) {
        if isRepeated { read = (make(), basis) }
    }
}
