import BeemedDomain
import RelayHTTP

/// A press as it was read from a request. The same head and content from the same device mean the
/// same press: only its time, and its id if it names none, are those of its own request.
struct ReadPress: Sendable {
    let device: Device
    var press: Press
    var reading: PressReading

    init(_ press: Press, _ reading: PressReading, from device: Device) {
        (self.press, self.reading, self.device) = (press, reading, device)
    }
}

/// The last press of a head that was kept. A button or a bridge often sends the same request again
/// on its connection, or one with another value, comment or id only; to read all of it again takes
/// a third of a press.
struct KnownPress: Sendable {
    /// What a press depends on besides its request: both count their changes.
    struct Basis: Equatable, Sendable {
        var devices: UInt64
        var presets: UInt64
    }

    /// A press, and the content that it is.
    private final class Known: Sendable {
        let content: [UInt8]
        let press: ReadPress
        let basis: Basis
        /// Which other contents can be read like this one; nil if none can.
        let form: PressForm?

        init(_ content: [UInt8], _ press: ReadPress, on basis: Basis, _ form: PressForm?) {
            (self.content, self.press, self.basis, self.form) = (content, press, basis, form)
        }

        func press(of other: [UInt8]) -> ReadPress? {
            let content = content
            if content.span.equals(other.span) { return press }
            return form?.press(of: other, like: press)
        }
    }

    private var known: Known?
    /// How many contents in succession could not be read by what is known.
    private var misses: UInt32 = 0

    /// The longest content that is remembered, in bytes: it bounds the memory.
    private static let mostBytes = 1_024

    /// The press of a request with this content, if that follows from the known one.
    mutating func press(of content: [UInt8], on basis: Basis) -> ReadPress? {
        guard let known, known.basis == basis, let press = known.press(of: content) else {
            misses &+= 1
            return nil
        }
        misses = 0
        return press
    }

    /// Remembers the press that the last request was, if none is known yet or two, four, eight...
    /// requests in succession had to be read: a device that sends something else each time need not
    /// pay for it, and one that sends two things in turns keeps one of them.
    ///
    /// - Parameters:
    ///   - isAll: whether no field of the press stands elsewhere in the request.
    ///   - make: makes the press. Its sender must depend on nothing but the head and the devices.
    mutating func remember(
        _ content: [UInt8], isAll: Bool, on basis: Basis, _ make: () -> ReadPress
    ) {
        let isDue = known == nil ? misses > 0 : misses > 1 && misses.nonzeroBitCount == 1
        guard isDue, content.count <= KnownPress.mostBytes else { return }
        known = Known(content, make(), on: basis, isAll ? PressForm(of: content) : nil)
    }
}
