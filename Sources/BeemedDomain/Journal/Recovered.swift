/// The final state of an event, as recorded.
package enum Settlement: Sendable, Equatable {
    case delivered(Delivered, datapoint: String?)
    case refused(status: Int, why: String)
    /// The user has undone it.
    case undone
    /// Its preset's guard rejected it as one press too many.
    case guarded
    /// It is part of that event's datapoint.
    case merged(into: SequenceNumber)
}

/// The contents of a journal, read from its bytes alone.
package struct Recovered: Sendable {
    /// An event and its state.
    package struct Entry: Sendable {
        package var number: SequenceNumber
        package var event: Event
        package var recorded: RecordedState
        /// The recorded attempts that failed; nil without any.
        var tried: Attempts?

        /// The final state; nil while it is pending.
        package var settlement: Settlement? { recorded.settlement }
    }

    /// The minimum number of failed attempts, and why the last one failed.
    struct Attempts: Sendable, Equatable {
        var count: Int
        var why: String
    }

    /// What is recorded about no event.
    struct Facts: Sendable {
        /// Whose folder it is; nil before Beeminder had named a user.
        var user: FolderUser?
        /// The reminders that services have.
        var reminders: [ReminderMark.Key: ReminderMark] = [:]
    }

    /// A range of a segment's file.
    struct Place: Sendable, Equatable {
        var segment: Int
        var range: Range<Int>
        /// Whether the LF of its last line is missing.
        var lacksLineFeed = false

        /// Whether it is read before the other one.
        func isBefore(_ other: Place) -> Bool {
            (segment, range.lowerBound) < (other.segment, other.range.lowerBound)
        }
    }

    /// All known events, in the order of acceptance.
    package internal(set) var entries: [Entry] = []
    /// What is recorded about no event.
    var facts = Facts()
    /// The findings of recovery.
    package var recoveryReport = RecoveryReport()
    /// The number of the next record.
    package internal(set) var next = SequenceNumber(1)
    /// The store's name; nil when there was no store yet.
    var store: String?
    /// The lines to keep.
    var kept = LineRanges()
    /// Lines of forgotten events, for the history: one group per file.
    var past: [LineRanges] = []
    /// These events, while neither the history nor the core has them.
    var forgotten: [Entry] = []
    /// The segments that were read, by number, in order.
    var segments: [Int] = []
    /// The numbers of compactions whose snapshot did not get its name. What they moved to the
    /// history is still in the segments.
    var unfinished: [Int] = []
    /// Older segments, superseded by the first of those.
    var superseded: [Int] = []
    /// Segments of other stores, whose bytes are among those for the quarantine.
    var foreign: [Int] = []
    /// Folders, pipes and the like with the name of a file.
    var specialFiles: [StoredFile] = []
    /// The greatest credible number of a segment of this store.
    var lastSegment: Int?
    /// Ranges of bytes that are not records, in order.
    var quarantine: [Place] = []

    /// The number of settled events that stay known, the newest, so that a repeated press is
    /// recognized. Refused ones are not limited: they stay until the user retries or undoes them.
    static let rememberedEvents = 100_000
    /// The maximum size of their lines in bytes, so that long comments do not fill the memory.
    static let rememberedBytes = 48 << 20
}

extension Recovered {
    /// Whose folder it is; nil before Beeminder had named a user.
    package var user: FolderUser? { facts.user }

    /// The same, if a journal can go on from it.
    ///
    /// - Throws: `JournalOpenError.forgedNumber`: what was written behind it could not be read.
    func checked() throws(JournalOpenError) -> Recovered {
        guard next <= SequenceNumber.greatest else { throw .forgedNumber(next) }
        return self
    }
}
