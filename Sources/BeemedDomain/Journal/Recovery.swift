/// Reads a journal's segments in order and determines the known events, the lines to keep and the
/// damage. It changes nothing on the disk, and keeps only the positions of lines.
struct Recovery {
    let disk: any Disk
    private let window: Int
    private let remembered: Retention.Limits
    var result = Recovered()
    var indices: [SequenceNumber: Int] = [:]
    /// Records that were read before their event: lines may have changed places.
    private var early: [SequenceNumber: [SequenceNumber: Record]] = [:]
    var kept: [LiveLineLocation] = []
    /// The last lines of some kinds of each event.
    var newest = NewestLines()
    /// Lines of `kept` that a later line replaces.
    var superseded: Set<Int> = []
    /// The expected number of the next record; nil while unknown.
    var expected: SequenceNumber?
    /// Whether the first segment's snapshot is undamaged and has its declared number of lines; nil
    /// before its end.
    private var isBaseComplete: Bool?
    /// The segments that cannot be read.
    var unreadable: [Int: DiskError] = [:]
    /// The end of the previous segment, if it was damaged and neither sealed nor closed.
    private var openTail: Recovered.Place?
    /// The mark of this store, if there is one.
    var mark: HighWaterMark?

    /// A torn tail is at most a batch and the preallocated space, in bytes; more is damage.
    static let tornBytes = (1 << 20) + (1 << 19)

    /// Reads all segments.
    ///
    /// - Parameters:
    ///   - window: how many bytes to read at once.
    ///   - remembered: how many settled events stay known.
    ///   - isUsed: whether a relay has used this folder, so that a journal must exist.
    ///   - store: the store's name from a source other than the segments; nil when unknown.
    /// - Throws: `JournalOpenError` when the disk cannot be read or a later version wrote the
    ///   journal.
    static func read(
        _ disk: any Disk, window: Int = 1 << 20,
        remembered: Retention.Limits = Retention.Limits(), isUsed: Bool = false,
        store: String? = nil
    ) throws(JournalOpenError) -> Recovered {
        var recovery = Recovery(disk: disk, window: window, remembered: remembered)
        try recovery.look(store)
        // Begins with the newest segment that has a complete snapshot; older ones are superseded.
        // Completeness is known only after reading, and is nearly always given.
        for segment in recovery.result.segments.reversed() where try recovery.mayBegin(segment) {
            let attempt = try recovery.reading(from: segment)
            if attempt.isBaseComplete == true { return try attempt.finish().checked() }
        }
        guard let first = recovery.result.segments.first else {
            if isUsed {
                recovery.addAnomaly("the folder has been used, and no segment is left in it")
            }
            recovery.reachMark()
            return recovery.finish()
        }
        recovery.addAnomaly("no complete snapshot was found")
        return try recovery.reading(from: first).finish().checked()
    }

    init(disk: any Disk, window: Int, remembered: Retention.Limits) {
        self.disk = disk
        self.window = window
        self.remembered = remembered
    }

    // MARK: Where to begin

    /// Whether a segment declares that it begins with a snapshot.
    private func mayBegin(_ segment: Int) throws(JournalOpenError) -> Bool {
        guard let opening = try opening(of: segment) else { return false }
        return opening.hasBase && opening.segment == segment
    }

    /// The contents of a segment's first line; nil when it is another line or damaged.
    func opening(of segment: Int) throws(JournalOpenError) -> Opening? {
        if let error = unreadable[segment] { throw JournalOpenError(error, of: segment) }
        var reader = SegmentReader(disk, segment: segment, window: min(window, Line.longest))
        let piece: SegmentReader.Piece?
        do throws(DiskError) { piece = try reader.next() } catch { throw .disk(error) }
        guard case .line(let json, _)? = piece else { return nil }
        return try opening(json, of: segment)
    }

    /// A recovery that has read everything from that segment on.
    private func reading(from segment: Int) throws(JournalOpenError) -> Recovery {
        var recovery = self
        do throws(DiskError) {
            try recovery.readSegments(from: segment)
        } catch { throw .disk(error) }
        return recovery
    }

    private func opening(
        _ json: ArraySlice<UInt8>, of segment: Int
    ) throws(JournalOpenError) -> Opening? {
        do throws(LineFault) {
            guard case .open(let opening) = try Line(json: json) else { return nil }
            return opening
        } catch {
            guard case .laterVersion(let version) = error else { return nil }
            throw .laterVersion(segment: segment, version: version)
        }
    }

    // MARK: One segment

    private mutating func readSegments(from start: Int) throws(DiskError) {
        result.superseded = result.segments.filter { $0 < start }
        result.segments.removeAll { $0 < start }
        reportUnreadable()
        var previous: Int?
        for segment in result.segments {
            // A file without a valid line proves nothing about the segments before it.
            guard try read(segment) > 0 else { continue }
            if let previous { checkGap(after: previous, before: segment) }
            previous = segment
        }
        // All durable records are there, so a torn tail can only have come after them.
        let isWhole = mark.map { $0.next <= expected ?? SequenceNumber(1) } ?? true
        classifyOpenTail(isTorn: isWhole, atMost: Recovery.tornBytes)
        reachMark()
    }

    /// - Returns: the number of its valid lines.
    private mutating func read(_ segment: Int) throws(DiskError) -> Int {
        let reading = Reading(segment: segment, isLast: segment == result.segments.last)
        return try read(SegmentReader(disk, segment: segment, window: window), reading)
    }

    @discardableResult
    mutating func read(
        _ reader: consuming SegmentReader, _ reading: consuming Reading
    ) throws(DiskError) -> Int {
        let segment = reading.segment
        while let piece = try reader.next() {
            switch piece {
            case .damaged(let range):
                reading.isDamaged = true
                reading.tail = range.joined(to: reading.tail)
            case .line(let json, let range):
                reading.goodLines += 1
                let place = Recovered.Place(
                    segment: segment, range: range,
                    lacksLineFeed: range.count == json.count + Line.checkBytes)
                if let line = try? Line(json: json), apply(line, place, &reading) {
                    damage(&reading)
                } else {
                    reading.tail = range.joined(to: reading.tail)
                }
            }
        }
        finish(&reading)
        return reading.goodLines
    }

    /// - Returns: whether the line is consistent here; if not it is damage.
    private mutating func apply(
        _ line: Line, _ place: Recovered.Place, _ reading: inout Reading
    ) -> Bool {
        if reading.isForeign { return false }
        if case .open(let opening) = line { return open(opening, &reading) }
        if reading.isEnded {
            addAnomaly("segment \(reading.segment) goes on after its end")
        }
        switch line {
        case .open: return false
        case .baseEnd(let next, let count):
            endBase(next, count, &reading)
            return true
        case .seal(let next, let count):
            end(next, count, &reading)
            return true
        case .close(let next, let count):
            end(next, count, &reading)
            reading.isClosed = true
            return true
        case .record(let record):
            reading.lines += 1
            reading.recordsAfterBase += 1
            return apply(record, place)
        case .unknown(let number):
            reading.lines += 1
            reading.recordsAfterBase += 1
            if let number { count(number) }
            kept.append(LiveLineLocation(place: place, of: nil))
            return true
        }
    }

    private mutating func endBase(_ next: SequenceNumber, _ count: Int, _ reading: inout Reading) {
        if count != reading.lines {
            addAnomaly(
                "the snapshot in segment \(reading.segment) has \(reading.lines) of \(count) lines")
        }
        if isBaseComplete == nil {
            // The count excludes the opening and this line.
            isBaseComplete = !reading.isDamaged && count == reading.goodLines - 2
        }
        reading.recordsAfterBase = 0
        reading.baseNext = nil
        expected = max(expected ?? next, next)
    }

    private mutating func open(_ opening: Opening, _ reading: inout Reading) -> Bool {
        guard !reading.hasBegun, reading.lines == 0 else { return false }
        if let store = result.store, store != opening.store {
            addAnomaly("segment \(reading.segment) belongs to another store")
            reading.isForeign = true
            return false
        }
        reading.hasBegun = true
        result.store = opening.store
        if opening.segment != reading.segment {
            addAnomaly(
                "\(SegmentName.live(reading.segment)) says that it is segment \(opening.segment)")
            return true
        }
        result.lastSegment = max(result.lastSegment ?? 0, reading.segment)
        if opening.hasBase {
            reading.baseNext = opening.firstNumber
            classifyOpenTail(isTorn: false, atMost: 0)
            expected = max(expected ?? opening.firstNumber, opening.firstNumber)
        } else {
            // All earlier records are there, so the torn line can only have been the seal.
            let isWhole = expected.map { $0 >= opening.firstNumber } ?? false
            classifyOpenTail(isTorn: isWhole, atMost: Line.longest)
            reach(opening.firstNumber)
        }
        return true
    }

    private mutating func end(_ next: SequenceNumber, _ count: Int, _ reading: inout Reading) {
        if count != reading.recordsAfterBase {
            addAnomaly(
                "segment \(reading.segment) has \(reading.recordsAfterBase) of \(count) records")
        }
        reading.isEnded = true
        reach(next)
    }

    private mutating func finish(_ reading: inout Reading) {
        if !reading.hasBegun {
            addAnomaly("segment \(reading.segment) has no beginning")
            // Segment numbers have eight digits; a longer one was never ours.
            if reading.goodLines > 0 || reading.segment < 100_000_000 {
                result.lastSegment = max(result.lastSegment ?? 0, reading.segment)
            }
        }
        if let next = reading.baseNext {
            addAnomaly(
                "the snapshot in segment \(reading.segment) is cut off: events before record "
                    + "\(next.value) may be missing")
        }
        classifyOpenTail(isTorn: false, atMost: 0)
        // A segment gets its name after its first lines are durable, so these cannot be torn.
        let isBegun = reading.hasBegun && isBaseComplete != nil
        if reading.isEnded || reading.isForeign || !isBegun {
            damage(&reading)
        } else if let tail = reading.tail {
            openTail = Recovered.Place(segment: reading.segment, range: tail)
        }
        guard reading.isLast else { return }
        result.recoveryReport.wasClosed = reading.isClosed
        if reading.isEnded, !reading.isClosed {
            result.recoveryReport.missingSegments.append(reading.segment + 1)
        }
    }

    // MARK: Damage

    mutating func addAnomaly(_ anomaly: String) {
        if result.recoveryReport.anomalies.last != anomaly {
            result.recoveryReport.anomalies.append(anomaly)
        }
    }

    private mutating func damage(_ reading: inout Reading) {
        guard let range = reading.tail else { return }
        reading.tail = nil
        result.recoveryReport.damagedBytes += range.count
        result.quarantine.append(Recovered.Place(segment: reading.segment, range: range))
    }

    mutating func classifyOpenTail(isTorn: Bool, atMost limit: Int) {
        guard let tail = openTail else { return }
        openTail = nil
        result.quarantine.append(tail)
        if isTorn, tail.range.count <= limit {
            result.recoveryReport.tornTailBytes += tail.range.count
        } else {
            result.recoveryReport.damagedBytes += tail.range.count
        }
    }

    // MARK: Records

    /// Records and structure agree that everything below this number was written.
    mutating func reach(_ next: SequenceNumber) {
        if let expected, expected < next {
            result.recoveryReport.lose(expected.value...(next.value - 1))
        }
        expected = max(expected ?? next, next)
    }

    private mutating func count(_ number: SequenceNumber) {
        // Numbers in a snapshot have gaps, and are all below the expected one.
        if let expected, number < expected { return result.recoveryReport.find(number.value) }
        reach(number)
        expected = number.next
    }

    private mutating func apply(_ record: Record, _ place: Recovered.Place) -> Bool {
        switch record.fact {
        case .put(let event):
            if let index = indices[record.number] {
                guard result.entries[index].event == event else { return false }
                result.recoveryReport.repeated += 1
                return true
            }
            indices[record.number] = result.entries.count
            var recorded = RecordedState(event.part)
            let before = early.removeValue(forKey: record.number) ?? [:]
            for record in before.values.sorted(by: { $0.number < $1.number }) {
                recorded.apply(record.fact, record.number)
            }
            result.entries.append(
                Recovered.Entry(number: record.number, event: event, recorded: recorded))
            kept.append(LiveLineLocation(place: place, of: record.number))
        case .revise, .done: applyNewest(record, place)
        case .refused, .undo, .undone, .leftOut, .retry, .cleared, .timed, .evaluated:
            applyToEvent(record, place)
        case .user(let user): apply(user, record.number, place)
        case .tried: applyAttempt(record, place)
        case .reminded(let mark): apply(mark, record.number, place)
        case .mark: break
        }
        count(record.number)
        return true
    }

    /// Applies a record about an event.
    mutating func applyToEvent(_ record: Record, _ place: Recovered.Place) {
        guard let of = record.of else { return }
        let counts: Bool
        if let index = indices[of] {
            counts = result.entries[index].recorded.apply(record.fact, record.number)
        } else {
            counts = early[of]?[record.number] == nil
            if counts { early[of, default: [:]][record.number] = record }
        }
        if counts {
            kept.append(LiveLineLocation(place: place, of: of))
        } else {
            result.recoveryReport.repeated += 1
        }
    }

    /// Applies a record of failed attempts. Only the last one of each event is kept.
    private mutating func applyAttempt(_ record: Record, _ place: Recovered.Place) {
        guard case .tried(let of, let attempts, let why) = record.fact else { return }
        guard let index = indices[of] else { return applyToEvent(record, place) }
        let lines = kept.count
        applyToEvent(record, place)
        guard kept.count > lines else { return }
        result.entries[index].tried = Recovered.Attempts(count: attempts, why: why)
        if let before = newest.tried.updateValue(lines, forKey: of) { superseded.insert(before) }
    }

    // MARK: All segments

    consuming func finish() -> Recovered {
        let greatest = result.entries.lazy.map(\.number.value).max() ?? 0
        result.next = expected ?? SequenceNumber(greatest + 1)
        result.entries.sort { $0.number < $1.number }
        result.entries.settleParts()
        var past = ArchiveBuilder()
        let surplus = result.entries.surplus(beyond: remembered).union(leaveOutFormerUser())
        result.forgotten = result.entries.filter { surplus.contains($0.number) }
        result.entries.removeAll { surplus.contains($0.number) }
        for entry in result.forgotten {
            indices[entry.number] = nil
            past.expect(entry.number, bytes: entry.event.lineBytes)
        }
        for (index, line) in kept.enumerated() where !superseded.contains(index) {
            if let of = line.of, indices[of] == nil {
                past.keep(line.place, of: of)
            } else {
                result.kept.add(line.place)
            }
        }
        result.past = past.files
        return result
    }
}
