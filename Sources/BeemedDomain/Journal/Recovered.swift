/// What became of an event, as the journal has it.
package enum Settlement: Sendable, Equatable {
    case delivered(Delivered, datapoint: String?)
    case refused(status: Int, why: String)
}

/// What a journal holds, read from its bytes alone.
package struct Recovered: Sendable {
    /// An event and what became of it; nil while it is pending.
    package struct Entry: Sendable {
        package var number: SequenceNumber
        package var event: Event
        package var settlement: Settlement?
    }

    /// All events that are still known, in the order they were accepted.
    package internal(set) var entries: [Entry] = []
    /// What was found on the way.
    package internal(set) var findings = Findings()
    /// The number that the next record gets.
    package internal(set) var next = SequenceNumber(1)
    /// The store's name; nil when there was no store yet.
    var store: String?
    /// The lines to be kept, each with its LF, in order.
    var keptLines: [ArraySlice<UInt8>] = []
    /// All segment files there are, by number, in order.
    var segments: [Int] = []
    /// Bytes that are no record, with where they were.
    var quarantine: [(segment: Int, offset: Int, bytes: ArraySlice<UInt8>)] = []

    /// Settled events that stay known, so that a device that sends one again is told so; at least
    /// so many, the newest. Refused ones stay until a person has dealt with them.
    package static let rememberedEvents = 100_000
}
