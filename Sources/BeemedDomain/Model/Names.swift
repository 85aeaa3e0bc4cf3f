extension Sequence where Element: CustomStringConvertible {
    /// The names in the order of their texts.
    var sortedByName: [Element] { sorted { $0.description < $1.description } }
}

/// A goal's name in its Beeminder URL: letters, digits, `-` and `_`. New names have at most 20
/// characters, old ones may be longer (Beeminder API reference, "Goal resource").
package struct GoalSlug: Hashable, Sendable, CustomStringConvertible {
    /// The name itself.
    package let description: String

    /// Parses 1 to 64 characters; nil for anything else.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 64, besides: "-_") else { return nil }
        description = text
    }
}

/// A device's name; its token identifies the device.
package struct DeviceName: RawRepresentable, Hashable, Codable, Sendable,
    CustomStringConvertible
{
    /// The name itself.
    package let description: String

    /// Parses 1 to 32 letters, digits, `-` and `_`; nil for anything else. No dot, because a dot
    /// separates the device from the event id in a request id.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 32, besides: "-_") else { return nil }
        description = text
    }

    /// A name of the relay itself.
    package init(known text: StaticString) { description = "\(text)" }

    package init?(rawValue text: String) { self.init(text) }

    package var rawValue: String { description }
}

/// A device's id for one of its events to a goal. The same id means the same event.
///
/// Beeminder's request ids count within a goal, and so do these: when a device uses an id for a
/// second goal, that event's id is the same with the goal behind it, as in `17~water`.
package struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// The name itself.
    package let description: String

    /// Parses what a device may send: 1 to 64 letters, digits and `.`, `_`, `:`, `-`; nil for
    /// anything else.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 64, besides: "._:-") else { return nil }
        description = text
    }

    /// Separates a device's id from the goal. No device can send it in an id, so that no move to
    /// another goal brings two presses of one request id together.
    private static let goalMark: Character = "~"

    /// Parses an id of a known event, with or without a goal behind it; nil for anything else.
    package init?(recorded text: String) {
        guard let mark = text.utf8.firstIndex(of: 0x7E) else {
            self.init(text)
            return
        }
        let goal = String(text[text.utf8.index(after: mark)...])
        guard EventID(String(text[..<mark])) != nil, GoalSlug(goal) != nil else { return nil }
        self.init(unchecked: text)
    }

    /// The same id of a device, for an event to this goal when the plain one is in use.
    func within(_ goal: GoalSlug) -> EventID {
        EventID(unchecked: "\(description)\(EventID.goalMark)\(goal)")
    }

    /// Whether there is a goal behind the device's id.
    var hasGoal: Bool { description.utf8.contains(0x7E) }

    private init(unchecked text: String) { description = text }

    /// An id for a press without one: 70 random bits, so that no device gets the same id twice, in
    /// 15 letters, which a string stores without an allocation.
    package init(random: UInt64, _ more: UInt16) {
        description = unsafe String(unsafeUninitializedCapacity: 15) { letters in
            unsafe letters[0] = UInt8(ascii: "r")
            for index in 0..<14 {
                let bits = index < 12 ? random >> (5 * index) : UInt64(more) >> (5 * (index - 12))
                unsafe letters[index + 1] = NameText.letter(UInt8(truncatingIfNeeded: bits))
            }
            return 15
        }
    }
}

/// A preset's name, which a device may use instead of a goal.
package struct PresetName: Hashable, Sendable, CustomStringConvertible {
    /// The name itself.
    package let description: String

    /// Parses 1 to 32 letters, digits, `-` and `_`; nil for anything else.
    package init?(_ text: String) {
        guard NameText.isName(text, atMost: 32, besides: "-_") else { return nil }
        description = text
    }
}

/// Identifies an event: a device and its id for the event.
package struct EventKey: Hashable, Sendable {
    /// The device of the event.
    package let identity: DeviceIdentity
    package let id: EventID

    /// Creates the key of an event of this device.
    package init(_ identity: DeviceIdentity, _ id: EventID) {
        (self.identity, self.id) = (identity, id)
    }

    package var device: DeviceName { identity.name }
    package var generation: DeviceGeneration? { identity.generation }

    /// Beeminder's request id of the event: `kitchen-x7k2p1.17`, or `kitchen.17` without a
    /// generation. It depends on the key alone, so that a relay that has forgotten the event sends
    /// the same id again. The first dot ends the device's identity, so two events of one device
    /// never share an id; `DeviceBook` ensures that two devices never do.
    package var requestID: String { "\(identity).\(id)" }

    /// The keys that have this request id: the name of a device without a generation may end like
    /// one, so there are two in some cases, that with a generation first. None if it is no request
    /// id of a relay.
    package static func all(of requestID: String) -> [EventKey] {
        guard let dot = requestID.firstIndex(of: "."),
            let id = EventID(recorded: String(requestID[requestID.index(after: dot)...]))
        else { return [] }
        let device = requestID[..<dot]
        let identities = [
            DeviceIdentity(withGeneration: device),
            DeviceName(String(device)).map { DeviceIdentity(name: $0, generation: nil) },
        ]
        return identities.compactMap { $0 }.map { EventKey($0, id) }
    }
}

/// The characters of names and random texts.
package enum NameText {
    /// 32 letters and digits, without similar-looking ones.
    private static let letters: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"

    /// The lower five bits as one of the letters.
    package static func letter(_ bits: UInt8) -> UInt8 { unsafe letters.utf8Start[Int(bits & 31)] }

    /// Whether the byte is one of the letters.
    package static func isLetter(_ byte: UInt8) -> Bool {
        (0..<32).contains { letter($0) == byte }
    }

    /// So many of the letters at random, of five bits each.
    package static func random(
        _ count: Int, using generator: inout some RandomNumberGenerator
    ) -> String {
        String(decoding: (0..<count).map { _ in letter(generator.next()) }, as: UTF8.self)
    }

    /// Whether a text has only ASCII letters, digits and these characters, and is short enough.
    package static func isName(_ text: String, atMost count: Int, besides others: StaticString)
        -> Bool
    {
        let bytes = text.utf8.span
        guard !bytes.isEmpty, bytes.count <= count else { return false }
        for index in bytes.indices {
            switch bytes[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
            case let byte:
                guard others.withUTF8Buffer({ unsafe $0.contains(byte) }) else { return false }
            }
        }
        return true
    }
}

extension UInt8 {
    /// Whether the byte is a blank or a line end of ASCII: space, HT, LF, VT, FF or CR.
    package var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension String {
    /// Without the blanks and line ends of ASCII at both ends.
    package var trimmed: String {
        var rest = utf8.drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest = rest.dropLast() }
        return String(Substring(rest))
    }
}
