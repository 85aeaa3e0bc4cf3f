/// Reads a journal's segments in order and determines the known events and the damage. It changes
/// nothing on the disk.
struct Recovery {
    var result = Recovered()
    var indices: [SequenceNumber: Int] = [:]
    /// Records that were read before their event: lines may have changed their order.
    private var early: [SequenceNumber: [SequenceNumber: Record]] = [:]
    /// The expected number of the next record; nil while unknown.
    var expected: SequenceNumber?
    /// Records before this one are in retired segments.
    private var begin = SequenceNumber(0)
    /// The mark of this store, if there is one.
    var mark: StorePosition?

    /// A torn tail is at most a batch and the preallocated space, in bytes; more is damage.
    static let tornBytes = (1 << 20) + (1 << 19)

    /// Replays all segments.
    ///
    /// - Parameters:
    ///   - isUsed: whether a relay has used this folder, so that a journal must exist.
    ///   - store: the store's name from a source other than the segments; nil when unknown.
    static func replay(
        _ disk: any Disk, isUsed: Bool = false, store: String? = nil
    ) throws(JournalOpenError) -> Recovered {
        let mark = StorePosition(markOn: disk)
        let scan = try SegmentScan(disk, store: store, mark: mark)
        // Nothing else may be changed then.
        if let (segment, version) = scan.otherVersions.min(by: { $0.key < $1.key }) {
            throw .otherVersion(segment: segment, version: version)
        }
        var recovery = Recovery(scan)
        if mark?.store == scan.store { recovery.mark = mark }
        try recovery.reportFiles(on: disk)
        try recovery.leaveOutRetired()
        if recovery.result.segments.isEmpty, isUsed {
            recovery.addAnomaly("the folder has been used, and no segment is left in it")
        }
        do throws(DiskError) {
            try recovery.readSegments(of: disk)
        } catch { throw .disk(error) }
        // Every record below the mark was durable.
        if let mark = recovery.mark {
            recovery.expected = recovery.expected ?? SequenceNumber(1)
            recovery.reach(mark.next)
        }
        return recovery.finish()
    }

    /// Replays the lines of a store without segments.
    ///
    /// - Parameter begin: the number of the first record.
    static func replay(
        _ lines: [UInt8], from begin: SequenceNumber, of store: String
    ) throws(DiskError) -> Recovered {
        var recovery = Recovery()
        recovery.result.store = store
        recovery.result.segments = [Ring.Part(number: 1, first: begin)]
        (recovery.expected, recovery.begin) = (begin, begin)
        var reading = Reading(segment: 1)
        (reading.hasBegun, reading.first) = (true, begin)
        try recovery.replay(SegmentReader(lines), reading, 0)
        return recovery.finish()
    }

    private init(_ scan: SegmentScan = SegmentScan()) {
        result.scan = scan
        result.store = scan.store
    }

    var scan: SegmentScan { result.scan }

    // MARK: Where to begin

    /// A start reads from the segment on that the newest first line names. Older ones are retired:
    /// what is known is stated behind them.
    private mutating func leaveOutRetired() throws(JournalOpenError) {
        let segments = scan.segments
        let own = scan.openings.filter { $0.value.segment == $0.key }
        let oldest = own.values.lazy.map(\.oldest).max() ?? 0
        try reportUnreadable(before: oldest)
        result.retired = segments.filter { $0 < oldest && scan.unreadable[$0] == nil }
        result.segments = segments.filter { $0 >= oldest }.map {
            Ring.Part(number: $0, first: SequenceNumber(0))
        }
        if oldest > 0 {
            miss(between: oldest - 1, and: result.segments.first?.number ?? oldest + 1)
        }
        // The lines of retired segments that were put here under another name are not read.
        if let first = own[oldest]?.firstNumber { expected = first }
        begin = expected ?? SequenceNumber(0)
        // Numbers of segments have eight digits; a longer one was never ours.
        let last = segments.last { own[$0] != nil || $0 < SegmentScan.endOfNumbers } ?? 0
        result.lastSegment = max(scan.lastPast, last)
    }

    // MARK: Segments

    private mutating func readSegments(of disk: any Disk) throws(DiskError) {
        for index in result.segments.indices {
            let number = result.segments[index].number
            if index > 0 { miss(between: result.segments[index - 1].number, and: number) }
            try replay(SegmentReader(disk, .segment(number)), Reading(segment: number), index)
        }
    }

    private mutating func replay(
        _ reader: consuming SegmentReader, _ reading: consuming Reading, _ index: Int
    ) throws(DiskError) {
        let segment = reading.segment
        while let piece = try reader.next() {
            switch piece {
            case .damaged(let range): reading.extendTail(by: range)
            case .line(let json, let range):
                if let line = Line(json: json), apply(line, &reading) {
                    damage(&reading)
                    result.segments[index].bytes = range.upperBound
                } else {
                    reading.extendTail(by: range)
                }
            }
        }
        result.segments[index].first = reading.first ?? expected ?? SequenceNumber(1)
        result.lastRecords = reading.records
        finish(&reading, isLast: index == result.segments.count - 1)
        if !reading.hasBegun { addAnomaly("segment \(segment) has no beginning") }
    }

    /// Returns whether the line is consistent here; if not, it is damage.
    private mutating func apply(_ line: Line, _ reading: inout Reading) -> Bool {
        if case .open(let opening) = line { return open(opening, &reading) }
        if reading.isClosed {
            addAnomaly("segment \(reading.segment) goes on after its end")
        }
        switch line {
        case .open, .otherVersion: return false
        case .close(let next):
            reach(next)
            reading.isClosed = true
            return true
        case .record(let record):
            reading.records += 1
            return apply(record)
        case .unknown(let number):
            reading.records += 1
            if let number { count(number) }
            return true
        }
    }

    private mutating func open(_ opening: Opening, _ reading: inout Reading) -> Bool {
        guard !reading.hasBegun, reading.records == 0, opening.store == result.store else {
            return false
        }
        reading.hasBegun = true
        if opening.segment != reading.segment {
            addAnomaly(
                "\(SegmentName.live(reading.segment)) says that it is segment \(opening.segment)")
            return true
        }
        reading.first = opening.firstNumber
        reach(opening.firstNumber)
        return true
    }

    private mutating func finish(_ reading: inout Reading, isLast: Bool) {
        if isLast { result.recoveryReport.wasClosed = reading.isClosed }
        guard let tail = reading.tail else { return }
        // All durable records are there, so a torn tail can only have come after them. In an
        // earlier segment nothing can be torn: the next one was begun when all of it was durable.
        let isWhole = mark.map { $0.next <= expected ?? SequenceNumber(1) } ?? true
        guard isLast, isWhole, reading.hasBegun, !reading.isClosed,
            tail.count <= Recovery.tornBytes
        else { return damage(&reading) }
        result.quarantine.append(Recovered.SegmentRange(segment: reading.segment, range: tail))
        result.recoveryReport.tornTailBytes += tail.count
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
        result.quarantine.append(Recovered.SegmentRange(segment: reading.segment, range: range))
    }

    // MARK: Records

    /// Records and structure agree that everything below this number was written. Where a power cut
    /// has kept the end of a batch alone, its beginning counts as missing, although no client was
    /// told that it was taken: a sector that was lost later looks the same.
    mutating func reach(_ next: SequenceNumber) {
        if let expected, expected < next {
            result.recoveryReport.missing.append(expected.value...(next.value - 1))
        }
        expected = max(expected ?? next, next)
    }

    private mutating func count(_ number: SequenceNumber) {
        if let expected, number < expected {
            result.recoveryReport.repeated += 1
            return
        }
        reach(number)
        expected = number.next
    }

    private mutating func apply(_ record: Record) -> Bool {
        guard record.number >= begin else {
            result.recoveryReport.repeated += 1
            return true
        }
        if let entry = record.statement {
            guard state(entry) else { return false }
        } else if case .user(let user) = record.fact {
            apply(user, record.number)
        } else if let of = record.of {
            if let index = indices[of] {
                result.entries[index].apply(record)
            } else {
                early[of, default: [:]][record.number] = record
            }
        }
        count(record.number)
        return true
    }

    /// Applies a statement of a whole event. A statement replaces an earlier one, unless it lacks
    /// records about the event that were written just before: the core makes statements from
    /// records that it knows to be durable. Returns whether it is about the same event.
    private mutating func state(_ entry: consuming Recovered.Entry) -> Bool {
        guard let index = indices[entry.number] else {
            indices[entry.number] = result.entries.count
            let before = early.removeValue(forKey: entry.number) ?? [:]
            for record in before.values.sorted(by: { $0.number < $1.number }) {
                entry.apply(record)
            }
            result.entries.append(entry)
            return true
        }
        let known = result.entries[index]
        guard known.event == entry.event else { return false }
        guard known.statedAt < entry.statedAt else { return true }
        if known.recorded.last <= entry.recorded.last { result.entries[index] = entry }
        result.entries[index].statedAt = entry.statedAt
        return true
    }

    // MARK: All segments

    private mutating func finish() -> Recovered {
        result.next = expected ?? SequenceNumber(1)
        result.entries.sort { $0.number < $1.number }
        result.entries.settleParts()
        leaveOutFormerUser()
        return result
    }
}
