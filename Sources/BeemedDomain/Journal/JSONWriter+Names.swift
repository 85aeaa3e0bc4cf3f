// The names of events, written without a string for each.
extension JSONWriter {
    /// Writes a member with a device's generation.
    mutating func add(_ name: StaticString, _ generation: DeviceGeneration) {
        beginText(name)
        append(generation.letters.span)
        endText()
    }

    /// Appends the part of an event's request id that all events of its device share, with the dot,
    /// as `EventKey.requestID` spells it; the next value begins a new JSON text.
    package mutating func append(senderOf event: Event) {
        append(event.key.device.description.utf8.span)
        if let generation = event.key.generation {
            append(0x2D)
            append(generation.letters.span)
        }
        append(0x2E)
    }

    /// Appends the rest of the request id, which is the event's own.
    package mutating func append(idOf event: Event) {
        append(event.key.id.description.utf8.span)
    }
}
