/// The final state of an event, as recorded.
package enum Settlement: Sendable, Equatable {
    case delivered(Delivered, datapoint: String?)
    case refused(status: Int, why: String)
    /// The user has undone it.
    case undone
    /// Its preset's guard rejected it as one press too many.
    case guarded
    /// The event is part of that event's datapoint.
    case merged(into: SequenceNumber)
}

/// The contents of a journal, read from its bytes alone.
package struct Recovered: Sendable {
    /// An event and its state.
    package struct Entry: Sendable, Equatable {
        package var number: SequenceNumber
        package var event: Event
        package var recorded: RecordedState
        /// The recorded attempts that failed; nil without any.
        var tried: Attempts?
        /// The record that states the event whole: the accepting one, or the last that carried it.
        var statedAt: SequenceNumber

        /// The final state; nil while pending.
        package var settlement: Settlement? { recorded.settlement }
    }

    /// The minimum number of failed attempts, and why the last one failed.
    struct Attempts: Sendable, Equatable {
        var count: Int
        var why: String
    }

    /// A segment that is read.
    struct Segment: Sendable, Equatable {
        let number: Int
        /// The number of its first record.
        var first: SequenceNumber
        /// Up to the end of its last line.
        var bytes = 0
        var records = 0
    }

    /// A range of a segment's file.
    struct SegmentRange: Sendable, Equatable {
        var segment: Int
        var range: Range<Int>
    }

    /// All known events, in the order of acceptance.
    package internal(set) var entries: [Entry] = []
    /// The folder's user; nil before Beeminder had named one.
    package internal(set) var user: FolderUser?
    /// The record that names the user.
    var userStatedAt: SequenceNumber?
    /// The findings of recovery.
    package var recoveryReport = RecoveryReport()
    /// The number of the next record.
    package internal(set) var next = SequenceNumber(1)
    /// The store's name; nil when there was no store yet.
    var store: String?
    /// The segments that were read, in order.
    var segments: [Segment] = []
    /// The contents of the last one's first line; nil if they cannot be read.
    var opening: Opening?
    /// Older segments, which are retired.
    var retired: [Int] = []
    /// Retired segments that cannot be read.
    var unreadable: [Int] = []
    /// Segments of other stores, whose bytes are among those for the quarantine.
    var foreign: [Int] = []
    /// Folders, pipes and the like with the name of a file.
    var specialFiles: [StoredFile] = []
    /// The greatest number of a segment of this store, here or in the history.
    var lastSegment = 0
    /// Ranges of bytes that are not records, in order.
    var quarantine: [SegmentRange] = []

    /// The number of settled events that stay known, the newest, so that a repeated press is
    /// recognized. Refused ones are not limited: they stay until the user retries or undoes them.
    static let rememberedEvents = 100_000
    /// The maximum size of their lines in bytes, so that long comments do not fill the memory.
    static let rememberedBytes = 48 << 20
}

extension Recovered {
    /// Whether a journal can go on in the last segment. If not, everything is stated again in a new
    /// one, so that what was found is said once, and no later start reads the damage.
    var canContinue: Bool {
        !recoveryReport.isDamage && recoveryReport.repeated == 0 && foreign.isEmpty
            && segments.last?.number == lastSegment && opening != nil
            && lastSegment < SegmentScan.endOfNumbers
    }

    /// The bytes of the known events' lines, about.
    var bytes: Int { entries.reduce(0) { $0 + $1.event.lineBytes } }

    /// The same, if a journal can go on from here.
    ///
    /// - Throws: `JournalOpenError.forgedNumber`: records written behind it could not be read.
    func checked() throws(JournalOpenError) -> Recovered {
        guard next <= SequenceNumber.greatest else { throw .forgedNumber(next) }
        return self
    }
}
