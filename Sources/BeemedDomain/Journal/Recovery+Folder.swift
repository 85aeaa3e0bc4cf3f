/// Checks of the folder as a whole: files of other stores, missing segments, the mark.
extension Recovery {
    /// Reports the files that are no segments of this store.
    mutating func reportFiles(on disk: any Disk) throws(JournalOpenError) {
        for (file, isFolder) in scan.specialFiles {
            addAnomaly(
                isFolder
                    ? "\(file) is a folder where a file should be; it is set aside"
                    : "\(file) is not a file but a pipe, socket or device; it is set aside")
        }
        if scan.isGuess, let store = scan.store {
            addAnomaly(
                "segments of several stores are here; those of \(store) are taken for this one's")
        }
        for segment in scan.foreign {
            addAnomaly("segment \(segment) belongs to another store; it is set aside in quarantine")
            let size: Int
            do throws(DiskError) {
                size = try disk.size(of: .segment(segment), "recover.size")
            } catch { throw .disk(error) }
            guard size > 0 else { continue }
            result.recoveryReport.damagedBytes += size
            result.quarantine.append(Recovered.SegmentRange(segment: segment, range: 0..<size))
        }
    }

    /// Reports segments before the oldest needed one that cannot be read: a disk that has damaged
    /// them may damage others. A needed one is an error.
    mutating func reportUnreadable(before oldest: Int) throws(JournalOpenError) {
        for (segment, error) in scan.unreadable.sorted(by: { $0.key < $1.key }) {
            guard segment < oldest else { throw JournalOpenError(error, of: segment) }
            addAnomaly(
                "\(StoredFile.segment(segment)) cannot be read, and is not "
                    + "needed, since a newer one replaces it; check the disk (\(error))")
        }
    }

    /// Reports the segments that are missing between two, as a range if there are very many.
    mutating func miss(between previous: Int, and segment: Int) {
        guard segment > previous + 1 else { return }
        let (first, last) = (previous + 1, segment - 1)
        if last - first < 1_000 {
            result.recoveryReport.missingSegments += first...last
        } else {
            addAnomaly("\(SegmentName.live(first)) to \(SegmentName.live(last)) are missing")
        }
    }

    /// The state of reading one segment.
    struct Reading {
        let segment: Int
        var hasBegun = false
        /// The number of its first record, as its first line says.
        var first: SequenceNumber?
        var records = 0
        var isClosed = false
        /// Damage that no valid line has followed yet.
        var tail: Range<Int>?

        /// These bytes are damage, too.
        mutating func extendTail(by range: Range<Int>) {
            tail = (tail?.lowerBound ?? range.lowerBound)..<range.upperBound
        }
    }

    /// Applies the user of the folder. Only the newest counts.
    mutating func apply(_ user: FolderUser, _ number: SequenceNumber) {
        guard result.userStatedAt.map({ $0 < number }) ?? true else { return }
        (result.user, result.userStatedAt) = (user, number)
    }

    /// Leaves out a former user's events: none may ever be sent to the present user.
    mutating func leaveOutFormerUser() {
        guard let since = result.user?.since, since.value > 0 else { return }
        let open = result.entries.count { $0.number < since && $0.recorded.settlement == nil }
        if open > 0 {
            addAnomaly("\(open) events of the folder's former user are in the history, not settled")
        }
        result.entries.removeAll { $0.number < since }
    }
}
