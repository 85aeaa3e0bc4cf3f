/// Distinguishes a device from all others that ever have its name. It is drawn at random when the
/// device is added, so that a replaced button, or a second relay with a device of the same name,
/// never sends under the request ids of the first.
///
/// Six letters of `NameText.letter`, 30 random bits. Packed, because every event has one.
package struct DeviceGeneration: Hashable, Sendable, CustomStringConvertible {
    /// The 30 bits above a bit that is always set; zero means no generation.
    let packed: UInt32

    /// The number of letters.
    package static let length = 6
    private static let mark: UInt32 = 1 << 30

    /// Draws a generation at random.
    package static func random(
        using generator: inout some RandomNumberGenerator
    ) -> DeviceGeneration {
        DeviceGeneration(bits: generator.next())
    }

    private init(bits: UInt32) {
        packed = bits & (DeviceGeneration.mark - 1) | DeviceGeneration.mark
    }

    /// Parses exactly six letters and digits without `i`, `l`, `o` and `u`; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count == DeviceGeneration.length else { return nil }
        var bits: UInt32 = 0
        for letter in text.utf8 {
            guard let value = (0..<32).first(where: { NameText.letter($0) == letter }) else {
                return nil
            }
            bits = bits << 5 | UInt32(value)
        }
        self.init(bits: bits)
    }

    /// Unpacks a generation; nil for zero, which means none.
    init?(packed: UInt32) {
        guard packed != 0 else { return nil }
        self.packed = packed
    }

    package var description: String {
        String(decoding: (0..<DeviceGeneration.length).map(letter), as: UTF8.self)
    }

    /// The six letters.
    var letters: InlineArray<6, UInt8> { InlineArray { letter($0) } }

    /// The letter at that index, from 0 to 5.
    private func letter(_ index: Int) -> UInt8 {
        let bits = packed >> UInt32(5 * (DeviceGeneration.length - 1 - index))
        return NameText.letter(UInt8(truncatingIfNeeded: bits))
    }
}

extension DeviceGeneration: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let generation = DeviceGeneration(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "no generation"))
        }
        self = generation
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Exactly one device, even when another one has its name later or elsewhere.
package struct DeviceIdentity: Hashable, Sendable, CustomStringConvertible {
    package let name: DeviceName
    /// Nil for a device that was added before generations existed.
    package let generation: DeviceGeneration?

    /// Creates the identity of a device.
    package init(name: DeviceName, generation: DeviceGeneration?) {
        self.name = name
        self.generation = generation
    }

    /// A generation says as much as both, and costs less than a name.
    package func hash(into hasher: inout Hasher) {
        if let generation { hasher.combine(generation.packed) } else { hasher.combine(name) }
    }

    /// The same of a lookup by this alone, as for `SequenceNumber`.
    package func _rawHashValue(seed: Int) -> Int {
        generation?.packed._rawHashValue(seed: seed) ?? name._rawHashValue(seed: seed)
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
            let generation = DeviceGeneration(String(text[text.index(after: hyphen)...]))
        else { return nil }
        self.init(name: name, generation: generation)
    }
}
