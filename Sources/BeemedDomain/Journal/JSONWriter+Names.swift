// The names of events, written without a string for each.
extension JSONWriter {
    /// Writes a member with the request id of an event.
    package mutating func add(_ name: StaticString, requestID key: EventKey) {
        beginText(name)
        append(key)
        endText()
    }

    /// Writes a member with a device's generation.
    mutating func add(_ name: StaticString, _ generation: DeviceGeneration) {
        beginText(name)
        append(generation)
        endText()
    }

    /// Appends the request id of an event unchanged, as `EventKey.requestID` spells it; the next
    /// value begins a new JSON text.
    package mutating func append(_ key: EventKey) {
        append(raw: key.device.description)
        if let generation = key.generation {
            append(0x2D)
            append(generation)
        }
        append(0x2E)
        append(raw: key.id.description)
    }

    private mutating func append(_ generation: DeviceGeneration) {
        for place in 0..<DeviceGeneration.length { append(generation.letter(place)) }
    }
}
