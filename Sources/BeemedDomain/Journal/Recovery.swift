/// Reads a journal's segments in order and makes sense of them: which events are known, which
/// lines must be kept, what is damaged. It changes nothing on the disk.
struct Recovery {
    private struct Put {
        var event: Event
        var line: ArraySlice<UInt8>
    }

    private var result = Recovered()
    private var puts: [SequenceNumber: Put] = [:]
    private var order: [SequenceNumber] = []
    private var settled: [SequenceNumber: (settlement: Settlement, line: ArraySlice<UInt8>)] = [:]
    private var unknown: [ArraySlice<UInt8>] = []
    /// The number that the next record should have; nil inside a snapshot.
    private var expected: SequenceNumber?

    /// A torn tail is at most what one batch wrote: more is damage.
    static let batchBytes = 1 << 20

    /// Reads everything.
    ///
    /// - Throws: `JournalOpenError` when the disk cannot be read or a later version wrote this.
    static func read(_ disk: any Disk) throws(JournalOpenError) -> Recovered {
        var recovery = Recovery()
        let names = try call { () throws(DiskError) in try disk.list(.journal, "recover.list") }
        recovery.result.segments = names.compactMap(SegmentName.number).sorted()
        let start = try recovery.firstSegment(disk)
        var previous: Int?
        for segment in recovery.result.segments where segment >= start ?? 0 {
            if let previous, segment > previous + 1 {
                recovery.result.findings.missingSegments += (previous + 1)..<segment
            }
            let bytes = try Recovery.load(segment, disk)
            let isLast = segment == recovery.result.segments.last
            recovery.take(SegmentScan(bytes), bytes, segment: segment, isLast: isLast)
            previous = segment
        }
        return recovery.finish()
    }

    /// The newest segment with a complete snapshot; what is older is only left over. Without one,
    /// the oldest there is.
    private func firstSegment(_ disk: any Disk) throws(JournalOpenError) -> Int? {
        for segment in result.segments.reversed() {
            let scan = SegmentScan(try Recovery.load(segment, disk))
            try Recovery.checkVersion(scan, segment)
            if Recovery.hasCompleteBase(scan) { return segment }
        }
        return result.segments.first
    }

    private static func checkVersion(
        _ scan: SegmentScan, _ segment: Int
    ) throws(JournalOpenError) {
        if case .damaged(.laterVersion(let version))? = scan.pieces.first?.content {
            throw .laterVersion(segment: segment, version: version)
        }
    }

    private static func hasCompleteBase(_ scan: SegmentScan) -> Bool {
        guard case .line(.open(let opening))? = scan.pieces.first?.content, opening.hasBase else {
            return false
        }
        for (index, piece) in scan.pieces.enumerated() {
            switch piece.content {
            case .line(.baseEnd(_, let count)): return count == index - 1
            case .line: continue
            case .damaged: return false
            }
        }
        return false
    }

    private static func load(
        _ segment: Int, _ disk: any Disk
    ) throws(JournalOpenError) -> [UInt8] {
        let file = StoredFile(.journal, SegmentName.live(segment))
        var bytes: [UInt8] = []
        while true {
            let more = try call { () throws(DiskError) in
                try disk.read(file, from: bytes.count, count: 1 << 22, "recover.read")
            }
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    // MARK: One segment

    private mutating func take(
        _ scan: SegmentScan, _ bytes: [UInt8], segment: Int, isLast: Bool
    ) {
        var linesOfBase = 0
        var isEnded = false
        result.findings.wasClosed = false
        for (index, piece) in scan.pieces.enumerated() {
            let slice = bytes[piece.range]
            switch piece.content {
            case .damaged:
                let isTail = index == scan.pieces.count - 1 && isLast && !isEnded
                damage(slice, segment: segment, isTail: isTail)
            case .line(.open(let opening)):
                result.store = result.store ?? opening.store
                if opening.hasBase { expected = nil } else if expected == nil {
                    expected = opening.firstNumber
                }
            case .line(.baseEnd(let next, let count)):
                if count != linesOfBase {
                    result.findings.miscounted.append(
                        "the snapshot in segment \(segment) has \(linesOfBase) of \(count) lines")
                }
                expected = next
            case .line(.seal(let next, _)), .line(.close(let next)):
                isEnded = true
                reach(next)
                if case .line(.close) = piece.content { result.findings.wasClosed = isLast }
            case .line(.record(let record)):
                linesOfBase += 1
                take(record, slice)
            case .line(.unknown(let number)):
                linesOfBase += 1
                if let number { count(number) }
                unknown.append(slice)
            }
        }
    }

    private mutating func damage(_ bytes: ArraySlice<UInt8>, segment: Int, isTail: Bool) {
        result.quarantine.append((segment, bytes.startIndex, bytes))
        if isTail, bytes.count <= Recovery.batchBytes {
            result.findings.tornTailBytes += bytes.count
        } else {
            result.findings.damagedBytes += bytes.count
        }
    }

    /// Records and structure agree that everything below this number has been written.
    private mutating func reach(_ next: SequenceNumber) {
        if let expected, expected < next {
            result.findings.lose(expected.value...(next.value - 1))
        }
        expected = max(expected ?? next, next)
    }

    private mutating func count(_ number: SequenceNumber) {
        guard let expected else { return }  // A snapshot's numbers have gaps by nature.
        if number < expected { return result.findings.find(number.value) }
        reach(number)
        self.expected = number.next
    }

    private mutating func take(_ record: Record, _ line: ArraySlice<UInt8>) {
        count(record.number)
        switch record.fact {
        case .put(let event):
            guard puts.updateValue(Put(event: event, line: line), forKey: record.number) == nil
            else { return result.findings.repeated += 1 }
            order.append(record.number)
        case .done(let of, let how, let datapoint):
            settled[of] = (.delivered(how, datapoint: datapoint), line)
        case .refused(let of, let status, let why):
            settled[of] = (.refused(status: status, why: why), line)
        }
    }

    // MARK: All segments

    private consuming func finish() -> Recovered {
        result.next = expected ?? SequenceNumber((order.max()?.value ?? 0) + 1)
        let numbers = order.sorted()
        var forgotten = settled.count - Recovered.rememberedEvents
        for number in numbers {
            guard let put = puts[number] else { continue }
            let end = settled[number]
            if case .delivered? = end?.settlement, forgotten > 0 {
                forgotten -= 1
                continue
            }
            result.entries.append(
                Recovered.Entry(number: number, event: put.event, settlement: end?.settlement))
            result.keptLines.append(put.line)
            if let end { result.keptLines.append(end.line) }
        }
        result.keptLines += unknown
        return result
    }

    private static func call<Value>(
        _ body: () throws(DiskError) -> Value
    ) throws(JournalOpenError) -> Value {
        do throws(DiskError) { return try body() } catch { throw .disk(error) }
    }
}
