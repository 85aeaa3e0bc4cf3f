/// Checks of the folder as a whole: files of other stores, missing segments, the mark.
extension Recovery {
    /// Sorts the files and reports those of other stores.
    mutating func look(_ store: String?) throws(JournalOpenError) {
        let mark = HighWaterMark(on: disk)
        let survey = try Survey(disk, store: store, mark: mark)
        result.store = survey.store
        result.segments = survey.segments
        result.specialFiles = survey.specialFiles.map(\.name)
        unreadable = survey.unreadable
        if mark?.store == survey.store { self.mark = mark }
        for found in survey.specialFiles {
            addAnomaly(
                found.isFolder
                    ? "\(found.name) is a folder where a file should be; it is set aside"
                    : "\(found.name) is no file, but a pipe, socket or device; it is set aside")
        }
        result.recoveryReport.remarks = survey.misnamed.map {
            "\($0) has no name of a segment, which has eight digits, and is not read: move it away "
                + "or, if a segment was renamed, give it back the number in its first line"
        }
        if survey.isGuess, let store = survey.store {
            addAnomaly(
                "segments of several stores are here; those of \(store) are taken for this one's")
        }
        result.foreign = survey.foreign
        for segment in survey.foreign {
            addAnomaly("segment \(segment) belongs to another store; it is set aside in quarantine")
            let file = StoredFile(.journal, SegmentName.live(segment))
            let size: Int
            do throws(DiskError) {
                size = try disk.size(of: file, "recover.size")
            } catch { throw .disk(error) }
            guard size > 0 else { continue }
            result.recoveryReport.damagedBytes += size
            result.quarantine.append(Recovered.Place(segment: segment, range: 0..<size))
        }
    }

    /// Reports superseded segments that cannot be read. Nothing in them is needed, but a disk that
    /// has damaged them may damage others.
    mutating func reportUnreadable() {
        for segment in result.superseded {
            guard let error = unreadable[segment] else { continue }
            addAnomaly(
                "\(StoredFile(.journal, SegmentName.live(segment))) cannot be read, and is not "
                    + "needed, since a newer one replaces it; check the disk (\(error))")
        }
    }

    /// Reports the segments that are missing between two. The number that a compaction has reserved
    /// is not: it did not end.
    mutating func checkGap(after previous: Int, before segment: Int) {
        guard segment > previous + 1 else { return }
        let opening = try? opening(of: segment)
        let last = opening?.before ?? segment - 1
        if previous < last { miss(previous + 1, through: last) }
        if last == segment - 2 { result.unfinished.append(segment - 1) }
    }

    /// Reports missing segments, as a range if there are very many.
    mutating func miss(_ first: Int, through last: Int) {
        if last - first < 1_000 {
            result.recoveryReport.missingSegments += first...last
        } else {
            addAnomaly("\(SegmentName.live(first)) to \(SegmentName.live(last)) are missing")
        }
    }

    /// Every record below the mark was durable.
    mutating func reachMark() {
        guard let mark else { return }
        if expected == nil { expected = SequenceNumber(1) }
        reach(mark.next)
    }
}

extension JournalOpenError {
    /// That segment cannot be read.
    init(_ error: DiskError, of segment: Int) {
        let file = StoredFile(.journal, SegmentName.live(segment))
        self = error.isLink ? .link(file) : .disk(error)
    }
}

extension Range<Int> {
    /// From the beginning of that range, if there is one, to the end of this.
    func joined(to before: Range<Int>?) -> Range<Int> {
        (before?.lowerBound ?? lowerBound)..<upperBound
    }
}
