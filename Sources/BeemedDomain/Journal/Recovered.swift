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

/// How far an event has come.
package enum EventProgress: Sendable {
    /// Not durable yet. It must be neither confirmed nor sent.
    case uncommitted
    /// To be sent to Beeminder.
    case pending
    /// To be deleted at Beeminder, which may have it.
    case erasing
    /// As in `Settlement`.
    case delivered, refused, undone, guarded, merged

    /// Whether the bytes of the event count as waiting.
    var isWaiting: Bool { !isAtRest && self != .refused }

    /// Whether no further progress is expected, and no person must act.
    var isAtRest: Bool {
        switch self {
        case .delivered, .undone, .guarded, .merged: true
        case .uncommitted, .pending, .erasing, .refused: false
        }
    }
}

/// The contents of a journal, read from its bytes alone.
package struct Recovered: Sendable {
    /// An event and its state.
    package struct Entry: Sendable, Equatable {
        package var number: SequenceNumber
        package var event: Event
        package var recorded: RecordedState
        /// The record that states the event whole: the accepting one, or the last that carried it.
        var statedAt: SequenceNumber

        /// The final state; nil while pending.
        package var settlement: Settlement? { recorded.settlement }

        var isRefused: Bool { if case .refused? = settlement { true } else { false } }

        /// Applies a record about the event.
        mutating func apply(_ record: Record) { recorded.apply(record.fact, record.number) }
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
    /// The files that were found. The bytes of other stores' segments are among those for the
    /// quarantine.
    var scan = SegmentScan()
    /// The segments that were read, in order, each up to the end of its last line.
    var segments: [Ring.Part] = []
    /// The number of the last one's records.
    var lastRecords = 0
    /// Older segments, which are retired.
    var retired: [Int] = []
    /// The greatest number of a segment of this store, here or in the history.
    var lastSegment = 0
    /// Ranges of bytes that are not records, in order.
    var quarantine: [SegmentRange] = []

    /// Whether a journal can go on in the last segment. If not, everything is stated again in a new
    /// one, so that what was found is said once, and no later start reads the damage.
    var canContinue: Bool {
        !recoveryReport.isDamage && recoveryReport.repeated == 0 && scan.foreign.isEmpty
            && segments.last?.number == lastSegment && opening != nil
            && lastSegment < SegmentScan.endOfNumbers
    }

    /// The contents of the last segment's first line; nil if they cannot be read.
    var opening: Opening? { segments.last.flatMap { scan.openings[$0.number] } }

    /// The bytes of the known events' lines, about.
    var bytes: Int { entries.reduce(0) { $0 + $1.event.lineBytes } }
}

/// The findings of a start about the journal, for the log, for health and for `journal verify`.
package struct RecoveryReport: Sendable, Equatable {
    /// Bytes at the very end that a crash left incomplete. Their records were never confirmed.
    package internal(set) var tornTailBytes = 0
    /// Bytes that were complete once and are damaged now; they are in the quarantine folder.
    package internal(set) var damagedBytes = 0
    /// All bytes in the quarantine folder, of this start and earlier ones.
    package internal(set) var quarantinedBytes = 0
    /// Numbers of records that must have existed and are missing.
    package internal(set) var missing: [ClosedRange<UInt64>] = []
    /// Numbers of segments that must have existed and are missing.
    var missingSegments: [Int] = []
    /// Records behind later ones, as where lines are there twice. A second one was ignored.
    package internal(set) var repeated = 0
    /// Other inconsistencies, such as a segment without a beginning.
    var anomalies: [String] = []
    /// Whether the last shutdown was clean.
    package internal(set) var wasClosed = false
    /// Why no press is accepted for now: the disk is full, nearly full or read-only. Known events
    /// are delivered meanwhile.
    package internal(set) var obstacle: DiskError?

    /// A recovery that has found nothing.
    package init() {}

    /// Whether to alert a person.
    package var isAlarm: Bool { isDamage || obstacle != nil }

    /// Whether something was changed or lost since the last shutdown.
    package var isDamage: Bool {
        damagedBytes > 0 || !missing.isEmpty || !missingSegments.isEmpty || !anomalies.isEmpty
    }

    /// Adds a finding from outside of the journal about which a person must be told.
    package mutating func add(_ sentence: String) {
        anomalies.append(sentence)
    }

    /// The findings, one sentence each; empty without any.
    package var sentences: [String] {
        var all: [String] = []
        if tornTailBytes > 0 {
            all.append("\(tornTailBytes) bytes at the end were half written and never acknowledged")
        }
        if damagedBytes > 0 { all.append("\(damagedBytes) damaged bytes are put in quarantine") }
        for range in missing.prefix(RecoveryReport.maxNamed) {
            all.append(
                range.count == 1
                    ? "record \(range.lowerBound) is missing"
                    : "records \(range.lowerBound) to \(range.upperBound) are missing")
        }
        if missing.count > RecoveryReport.maxNamed {
            all.append(
                "records are missing in \(missing.count - RecoveryReport.maxNamed) more places")
        }
        if !missingSegments.isEmpty {
            let names = missingSegments.prefix(RecoveryReport.maxNamed).map(SegmentName.live)
            all.append(
                "\(missingSegments.count) segments are missing: \(names.joined(separator: ", "))")
        }
        if repeated > 0 { all.append("\(repeated) records came twice or too late") }
        all += anomalies
        if let obstacle {
            all.append("nothing is accepted for now: \(obstacle)")
        }
        return all
    }

    /// The maximum number of items that are named; the others are counted.
    private static let maxNamed = 10
}

/// The events that a start finds.
extension [Recovered.Entry] {
    /// Gives the parts of merged datapoints the outcome of their leaders. A part without a leader is
    /// settled: its leader is in the history, or was damaged, which raises its own alarm.
    mutating func settleParts() {
        for index in indices {
            guard case .merged(let leader) = self[index].event.part,
                self[index].recorded.settlement == nil, !self[index].recorded.isOnItsOwn
            else { continue }
            guard let lead = entry(leader) else {
                self[index].recorded.follow(.merged(into: leader), to: nil)
                continue
            }
            self[index].recorded.follow(
                self[index].settlement(under: lead), to: lead.recorded.goal)
        }
    }

    /// The event of that number. The entries are sorted by number.
    func entry(_ number: SequenceNumber) -> Recovered.Entry? {
        let index = partitioningIndex { $0.number >= number }
        return index < endIndex && self[index].number == number ? self[index] : nil
    }
}

extension Recovered.Entry {
    /// The final state that a leader gives to a part without a record of its own.
    fileprivate func settlement(under leader: Recovered.Entry) -> Settlement? {
        switch leader.settlement {
        case .delivered: .merged(into: leader.number)
        case .refused: leader.settlement
        case .undone, .guarded, .merged, nil: nil
        }
    }
}
