// The names of events, written without a string for each.
extension JSONWriter {
    /// Writes a member with a device's generation.
    mutating func add(_ name: StaticString, _ generation: DeviceGeneration) {
        beginText(name)
        append(generation.letters.span)
        endText()
    }

    /// Appends the request id of an event unchanged, as `EventKey.requestID` spells it; the next
    /// value begins a new JSON text.
    package mutating func append(requestIDOf event: Event) {
        append(senderOf: event)
        append(idOf: event)
    }

    /// Appends the part of the request id that all events of a device share, with the dot.
    package mutating func append(senderOf event: Event) {
        append(event.key.device.description.utf8.span)
        if let generation = event.key.generation {
            append(0x2D)
            append(generation.letters.span)
        }
        append(0x2E)
    }

    /// Appends the part of the request id behind the dot.
    package mutating func append(idOf event: Event) {
        append(event.key.id.description.utf8.span)
    }
}
