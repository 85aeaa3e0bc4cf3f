/// What became of an event, as the journal has it.
package enum Settlement: Sendable, Equatable {
    case delivered(Delivered, datapoint: String?)
    case refused(status: Int, why: String)
    /// A person has undone it.
    case undone
    /// Its preset's guard took it for one too many.
    case guarded
    /// It is a part of that event's datapoint.
    case merged(into: SequenceNumber)
}

/// What a journal holds, read from its bytes alone.
package struct Recovered: Sendable {
    /// An event and what has become of it.
    package struct Entry: Sendable {
        package var number: SequenceNumber
        package var event: Event
        package var recorded: RecordedState
        /// How often it was sent in vain, as the journal knows it; nil for never.
        var tried: Attempts?

        /// How it ended; nil while it is pending.
        package var settlement: Settlement? { recorded.settlement }
    }

    /// How often an event was sent in vain, at least, and why the last attempt failed.
    struct Attempts: Sendable, Equatable {
        var count: Int
        var why: String
    }

    /// A stretch of a segment's file.
    struct Place: Sendable, Equatable {
        var segment: Int
        var range: Range<Int>
        /// Whether it ends with a line that has lost its LF.
        var lacksLineFeed = false
    }

    /// All events that are still known, in the order they were accepted.
    package internal(set) var entries: [Entry] = []
    /// Whose each connection is, as far as Beeminder had said.
    var users: [ConnectionName: ConnectionOwner] = [:]
    /// What was found on the way.
    package var recoveryReport = RecoveryReport()
    /// The number that the next record gets.
    package internal(set) var next = SequenceNumber(1)
    /// The store's name; nil when there was no store yet.
    var store: String?
    /// The lines that must be kept.
    var kept = LineRanges()
    /// Lines of events that are known no longer, for the history: one group for each file.
    var past: [LineRanges] = []
    /// How many events those are.
    var pastEvents = 0
    /// The segments that were read, by number, in order.
    var segments: [Int] = []
    /// Older segments, which the first of those supersedes.
    var superseded: [Int] = []
    /// Segments of other stores, whose bytes are among those for the quarantine.
    var foreign: [Int] = []
    /// Folders that stand in the place of files.
    var folders: [StoredFile] = []
    /// The greatest number that a segment of this store has, as far as it can be believed.
    var lastSegment: Int?
    /// Bytes that are no record, by where they are: in order.
    var quarantine: [Place] = []

    /// Settled events that stay known, so that a device that sends one again is told so; at least
    /// so many, the newest. Refused ones stay until a person has dealt with them.
    package static let rememberedEvents = 100_000
    /// So many bytes of their lines at most, so that long comments do not fill the memory.
    package static let rememberedBytes = 48 << 20
}
