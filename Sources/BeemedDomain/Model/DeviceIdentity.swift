/// Distinguishes a device from all others that ever have its name. It is drawn at random when the
/// device is added, so that a replaced button, or a second relay with a device of the same name,
/// never sends under the request ids of the first.
///
/// Six of the letters of `NameText`: 30 random bits.
package struct DeviceGeneration: RawRepresentable, Hashable, Codable, Sendable,
    CustomStringConvertible
{
    /// The letters.
    package let rawValue: String

    /// The number of letters.
    package static let length = 6

    /// Draws a generation at random.
    package static func random(
        using generator: inout some RandomNumberGenerator
    ) -> DeviceGeneration {
        DeviceGeneration(unchecked: NameText.random(length, using: &generator))
    }

    private init(unchecked text: String) { rawValue = text }

    /// A generation of the relay itself.
    package init(known text: StaticString) { rawValue = "\(text)" }

    /// Parses exactly six letters and digits without `i`, `l`, `o` and `u`; nil for anything else.
    package init?(rawValue text: String) {
        guard text.utf8.count == DeviceGeneration.length, text.utf8.allSatisfy(NameText.isLetter)
        else { return nil }
        rawValue = text
    }

    package var description: String { rawValue }
}

/// Exactly one device, even when another one has its name later or elsewhere.
package struct DeviceIdentity: Hashable, Sendable, CustomStringConvertible {
    package let name: DeviceName
    /// Nil for the totals of health data.
    package let generation: DeviceGeneration?

    /// Creates the identity of a device.
    package init(name: DeviceName, generation: DeviceGeneration?) {
        self.name = name
        self.generation = generation
    }

    /// A generation says as much as both.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(generation?.rawValue ?? name.description)
    }

    /// The beginning of its request ids: `kitchen-x7k2p1`, or `kitchen` without a generation.
    package var description: String {
        guard let generation else { return name.description }
        return "\(name)-\(generation)"
    }

    /// Parses the description of an identity with a generation; nil for anything else.
    package init?(withGeneration text: Substring) {
        // By bytes: to go backwards over characters, which may be long, takes quadratic time.
        guard let hyphen = text.utf8.lastIndex(of: UInt8(ascii: "-")),
            let name = DeviceName(String(text[..<hyphen])),
            let generation = DeviceGeneration(rawValue: String(text[text.index(after: hyphen)...]))
        else { return nil }
        self.init(name: name, generation: generation)
    }
}
