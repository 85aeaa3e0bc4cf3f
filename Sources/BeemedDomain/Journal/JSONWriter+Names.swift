// The names of events, written without a string for each.
extension JSONWriter {
    /// Appends an event's request id, as `EventKey.requestID` spells it; the next value begins a
    /// new JSON text.
    package mutating func append(requestIDOf key: EventKey) {
        append(raw: key.device.description)
        if let generation = key.generation {
            append(0x2D)
            append(generation.letters.span)
        }
        append(0x2E)
        append(raw: key.id.description)
    }
}
