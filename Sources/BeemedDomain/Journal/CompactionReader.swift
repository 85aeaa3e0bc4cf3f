/// Reads the segments of this process, a slice at a time, and sorts their lines: those that stay in
/// the journal, and those of forgotten events, which leave for the history.
///
/// An event leaves only if the relay has forgotten it and the segments show that it is settled. So
/// an event that memory has lost by mistake stays in the journal, and the next start finds it.
struct CompactionReader: Sendable {
    /// What the segments contain.
    struct Contents: Sendable {
        /// The lines that stay.
        var kept = LineRanges()
        /// Those that leave, one group per history file.
        var past: [LineRanges] = []
        /// Lines that stay, unless later ones replace them.
        fileprivate var newest = ReplaceableLines()
    }

    private let disk: any Disk
    private let store: String
    private let window: Int
    private let known: KnownEvents
    /// The number after the last record of the segments.
    private let next: SequenceNumber
    private var segments: ArraySlice<Int>
    private var reader: SegmentReader?
    /// Whether the segment that is read has begun with its first line.
    private var hasBegun = false
    /// The lines of the snapshot so far; nil after it.
    private var baseLines: Int? = 0
    private var expected = SequenceNumber(0)
    private var contents = Contents()
    /// The lines of events that the relay has forgotten.
    private var forgotten: [LiveLineLocation] = []
    /// Those of them that the segments do not show as settled.
    private var open: Set<SequenceNumber> = []
    private var archive = ArchiveBuilder()
    /// How many of the forgotten lines are sorted; nil while segments are read.
    private var sorted: Int?

    /// The contents of the segments are not what this process has written. Only a start can tell
    /// what has happened, so nothing may be changed.
    struct Unfit: Error {}

    /// - Parameters:
    ///   - segments: in order; the first begins with a snapshot.
    ///   - next: the number after their last record.
    ///   - known: the events that stay.
    init(
        _ disk: any Disk, store: String, segments: [Int], next: SequenceNumber,
        known: KnownEvents, window: Int
    ) {
        self.disk = disk
        self.store = store
        self.segments = segments[...]
        self.next = next
        self.known = known
        self.window = window
    }

    /// Reads or sorts one slice.
    ///
    /// - Returns: the contents when all is read; nil while it is not.
    /// - Throws: `Unfit`, also when the disk cannot be read.
    mutating func step(of bytes: Int) throws(Unfit) -> Contents? {
        if let sorted { return sort(from: sorted, atMost: bytes / 8) }
        guard let segment = segments.first else {
            guard expected == next, baseLines == nil else { throw Unfit() }
            contents.kept = contents.kept.merged(with: contents.newest.places)
            sorted = 0
            return nil
        }
        var reader = reader ?? SegmentReader(disk, segment: segment, window: window)
        self.reader = nil
        var count = 0
        while count < bytes {
            let piece: SegmentReader.Piece?
            do throws(DiskError) { piece = try reader.next() } catch { throw Unfit() }
            guard case .line(let json, let range)? = piece else {
                guard piece == nil, hasBegun else { throw Unfit() }
                segments = segments.dropFirst()
                hasBegun = false
                return nil
            }
            count += range.count
            try read(json, Recovered.Place(segment: segment, range: range))
        }
        self.reader = reader
        return nil
    }

    // MARK: Lines

    private mutating func read(_ json: ArraySlice<UInt8>, _ place: Recovered.Place) throws(Unfit) {
        guard let line = try? Line(json: json) else { throw Unfit() }
        switch line {
        case .open(let opening): try begin(opening, place)
        case .baseEnd(let next, let count):
            guard baseLines == count else { throw Unfit() }
            baseLines = nil
            expected = next
        case .seal(let next, _):
            guard next == expected else { throw Unfit() }
        case .close: throw Unfit()
        case .record(let record):
            try count(record.number)
            sort(record, place)
        case .unknown:
            // Only a snapshot has lines of a later version.
            guard baseLines != nil else { throw Unfit() }
            baseLines? += 1
            contents.kept.add(place)
        }
    }

    private mutating func begin(_ opening: Opening, _ place: Recovered.Place) throws(Unfit) {
        let isFirst = expected.value == 0
        guard !hasBegun, opening.store == store, opening.segment == place.segment,
            opening.hasBase == isFirst, isFirst || opening.firstNumber == expected
        else { throw Unfit() }
        hasBegun = true
        if isFirst { expected = opening.firstNumber }
    }

    /// Numbers in a snapshot have gaps; after it they are contiguous.
    private mutating func count(_ number: SequenceNumber) throws(Unfit) {
        guard hasBegun else { throw Unfit() }
        if let lines = baseLines {
            guard number < expected else { throw Unfit() }
            baseLines = lines + 1
        } else {
            guard number == expected else { throw Unfit() }
            expected = number.next
        }
    }

    private mutating func sort(_ record: Record, _ place: Recovered.Place) {
        if case .mark = record.fact { return }
        guard let event = record.event, !known.contains(event) else {
            return keep(record, place)
        }
        forgotten.append(LiveLineLocation(place: place, of: event))
        switch record.fact {
        case .put(let press):
            // The leader of a merged press is forgotten with it, and shows its state.
            if press.part == .whole { open.insert(event) }
        case .done, .undone: open.remove(event)
        case .evaluated(_, let isGuarded, _): if isGuarded { open.remove(event) }
        case .refused, .undo, .retry, .revise: open.insert(event)
        case .leftOut, .cleared, .timed, .tried, .user, .reminded, .mark: break
        }
    }

    /// Keeps a line. Of the revisions and deliveries of a day's total, and of the marks of a
    /// reminder, only the newest are kept.
    private mutating func keep(_ record: Record, _ place: Recovered.Place) {
        if !contents.newest.replace(record, place) { contents.kept.add(place) }
    }

    // MARK: Sorting

    /// Distributes the next lines of forgotten events: first the groups are laid out in the order
    /// of events, then each line goes to its event's group.
    private mutating func sort(from start: Int, atMost count: Int) -> Contents? {
        let end = min(start + count, 2 * forgotten.count)
        for index in start..<end {
            let line = forgotten[index % forgotten.count]
            guard let event = line.of, !open.contains(event) else {
                if index < forgotten.count { contents.kept.add(line.place) }
                continue
            }
            if index < forgotten.count {
                archive.expect(event, bytes: line.place.range.count)
            } else {
                archive.keep(line.place, of: event)
            }
        }
        sorted = end
        guard end == 2 * forgotten.count else { return nil }
        contents.past = archive.files
        return contents
    }
}

/// The last lines of days' totals that tell their values and their deliveries, and of reminders.
private struct ReplaceableLines: Sendable {
    private var totals: Set<SequenceNumber> = []
    private var newest: [TotalLine: Recovered.Place] = [:]
    private var reminders: [ReminderMark.Key: Recovered.Place] = [:]

    /// - Returns: whether the line is of that kind; then it replaces an earlier one.
    mutating func replace(_ record: Record, _ place: Recovered.Place) -> Bool {
        if case .reminded(let mark) = record.fact {
            reminders[mark.key] = place
            return true
        }
        if case .put(let press) = record.fact, press.rule != nil { totals.insert(record.number) }
        guard let line = TotalLine(record), let of = record.of, totals.contains(of) else {
            return false
        }
        newest[line] = place
        return true
    }

    /// The lines that stay, in the order of the files.
    var places: [Recovered.Place] {
        (Array(newest.values) + Array(reminders.values)).sorted { $0.isBefore($1) }
    }
}

extension Record {
    /// The event that it is about, or that it is; nil for a record about none.
    var event: SequenceNumber? {
        if case .put = fact { number } else { of }
    }
}
