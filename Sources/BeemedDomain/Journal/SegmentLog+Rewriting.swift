/// Why a new segment could not be written.
enum RewriteFailure: Error, Equatable, Sendable {
    /// It did not get its name, so nothing has changed.
    case beforeName(DiskError)
    /// It has its name, at least in memory: which segment a start would find is unknown.
    case afterName(DiskError)

    /// The failed system call.
    var cause: DiskError {
        switch self {
        case .beforeName(let error), .afterName(let error): error
        }
    }

    /// Whether the journal can continue without it: nothing has changed, and there is only no free
    /// space, or the failed call may succeed a moment later.
    var isHarmless: Bool {
        guard case .beforeName(let error) = self else { return false }
        return error.isFull || error.isReadOnly || error.isPassing
    }
}

extension SegmentLog {
    /// Quarantines bytes that are not records, moves forgotten events to the history, writes live
    /// lines into a new segment, and only then removes superseded files. Without free space, it
    /// gives up one thing after another, but never an accepted press that is not delivered.
    ///
    /// - Returns: the segment, and the contents written into it.
    func rewrite(_ found: Recovered) throws(RewriteFailure) -> (Segment, Recovered) {
        var contents = found
        var sacrifices = Sacrifice.allCases[...]
        while true {
            do throws(RewriteFailure) {
                let segment = try publishLive(contents)
                try removeOld(contents, since: segment)
                return (segment, contents)
            } catch {
                guard error.isHarmless, error.cause.isFull else { throw error }
                var isRelieved = false
                while !isRelieved {
                    guard let next = sacrifices.popFirst() else { throw error }
                    isRelieved = give(up: next, of: found, &contents)
                }
            }
        }
    }

    /// What a rewrite without free space gives up, in this order.
    private enum Sacrifice: CaseIterable {
        case reserve, superseded, history, mostDelivered, nearlyAllDelivered, allDelivered
    }

    /// - Returns: whether there may be free space now.
    private func give(
        up sacrifice: Sacrifice, of found: Recovered, _ contents: inout Recovered
    ) -> Bool {
        let share: Int
        switch sacrifice {
        case .reserve: return giveUpReserve()
        case .superseded: return remove(found.superseded)
        case .history:
            let before = pastBytes
            return shortenHistory(toFree: found.kept.bytes + Line.longest) && pastBytes < before
        case .mostDelivered: share = 4
        case .nearlyAllDelivered: share = 16
        case .allDelivered: share = .max
        }
        guard let fewer = shortened(found, to: share) else { return false }
        contents = fewer
        return true
    }

    /// Removes segments that the rewritten ones had superseded, and files that are not segments of
    /// this store. The rewritten segments stay until the next rewrite. Files that cannot be removed
    /// are left for the next start.
    private func removeOld(
        _ found: Recovered, since segment: Segment
    ) throws(RewriteFailure) {
        let old = found.superseded + found.foreign + found.segments.filter { $0 > segment.number }
        if !old.isEmpty {
            for number in old {
                let name = SegmentName.live(number)
                try? disk.unlink(StoredFile(.journal, name), "rewrite.unlink")
            }
            do throws(DiskError) {
                try disk.syncFolder(.journal, "rewrite.unlink.sync")
            } catch {
                if !error.isFull { throw .afterName(error) }
            }
        }
        makeReserve()
    }

    private func publishLive(_ found: Recovered) throws(RewriteFailure) -> Segment {
        let number: Int
        var copies: [StoredFile] = []
        do throws(RewriteFailure) {
            do throws(DiskError) {
                setAside(found.specialFiles)
                try removeTemporaries()
                try quarantine(found.quarantine, noting: &copies)
                number = try numberNext(after: found.lastSegment, unfinished: found.unfinished)
                try keepPast(found, with: number)
            } catch { throw .beforeName(error) }
            return try publishSnapshot(of: found.kept, found.next, as: number)
        } catch {
            // The copied bytes are still in the journal. On a full disk every waiting record tries
            // again: the copies must not fill it.
            if case .beforeName = error { remove(copies) }
            throw error
        }
    }

    /// Unlinks instead of truncating: a name may be a hard link to another file.
    private func removeTemporaries() throws(DiskError) {
        for name in try disk.list(.journal, "open.list") where SegmentName.isTemporary(name) {
            do throws(DiskError) {
                try disk.unlink(StoredFile(.journal, name), "open.unlink")
            } catch {
                // A folder that could not be set aside blocks only its own name.
                if !error.isFolder { throw error }
            }
        }
    }

    /// Moves folders, pipes and the like with the name of a file to the quarantine, with their
    /// contents. If that fails they stay, and their names are skipped.
    private func setAside(_ specialFiles: [StoredFile]) {
        guard !specialFiles.isEmpty else { return }
        for found in specialFiles {
            let name = "\(found.folder.rawValue)-\(found.name)-\(time.seconds)"
            try? disk.move(found, to: StoredFile(.quarantine, name), "folder.move")
        }
        try? disk.syncFolder(.quarantine, "folder.move.sync")
    }

    /// Tests whether the disk can be written.
    func probe() throws(DiskError) {
        let file = StoredFile(.journal, SegmentName.temporary(0))
        try removeTemporaries()
        disk.close(try disk.create(file, "probe.create"))
        try disk.unlink(file, "probe.unlink")
    }

    // MARK: Quarantine

    /// Keeps bytes that are not records for a person, before their file is removed: one file per
    /// segment, named after the position of the first bytes.
    ///
    /// - Parameter made: receives the files, also on failure.
    private func quarantine(
        _ places: [Recovered.Place], noting made: inout [StoredFile]
    ) throws(DiskError) {
        guard !places.isEmpty else { return }
        var taken = Set(try disk.list(.quarantine, "quarantine.list"))
        var index = 0
        while index < places.count {
            let end =
                places[index...].firstIndex { $0.segment != places[index].segment }
                ?? places.count
            let file = StoredFile(.quarantine, quarantineName(places[index], besides: &taken))
            let copy = try disk.create(file, "quarantine.create")
            made.append(file)
            defer { disk.close(copy) }
            try write(places[index..<end], to: copy)
            index = end
        }
        try disk.syncFolder(.quarantine, "quarantine.folder")
    }

    private func remove(_ copies: [StoredFile]) {
        for copy in copies { try? disk.unlink(copy, "quarantine.unlink") }
    }

    private func quarantineName(
        _ place: Recovered.Place, besides taken: inout Set<String>
    ) -> String {
        let stem = "\(SegmentName.digits(place.segment))-\(place.range.lowerBound)-\(time.seconds)"
        var name = "\(stem).bin"
        var copy = 1
        while !taken.insert(name).inserted {
            copy += 1
            name = "\(stem)-\(copy).bin"
        }
        return name
    }

    private func write(
        _ places: ArraySlice<Recovered.Place>, to copy: FileNumber
    ) throws(DiskError) {
        var size = 0
        for place in places {
            try disk.read(place, by: limits.windowBytes) { (part) throws(DiskError) in
                try disk.writeAll(part, to: copy, "quarantine.append")
            }
            size += place.range.count
        }
        guard try disk.size(of: copy, "quarantine.size") == size else {
            throw DiskError("quarantine.size", code: DiskError.inputOutput)
        }
        try disk.sync(copy, "quarantine.sync")
    }

    // MARK: The reserve

    private static let reserve = StoredFile(.journal, "reserve")

    /// - Returns: whether there is more free space now.
    private func giveUpReserve() -> Bool {
        do throws(DiskError) {
            try disk.unlink(SegmentLog.reserve, "reserve.unlink")
            try disk.syncFolder(.journal, "reserve.unlink.sync")
            return true
        } catch { return false }
    }

    /// Creates the reserve if it is missing and there is free space beyond the bytes that must stay
    /// free. It is optional, so a failure is ignored.
    private func makeReserve() {
        do throws(DiskError) {
            guard limits.reserveBytes > 0,
                try !disk.list(.journal, "reserve.list").contains(SegmentLog.reserve.name),
                try disk.freeBytes("reserve.free") >= limits.freeBytes + limits.reserveBytes
            else { return }
            let file = try disk.create(SegmentLog.reserve, "reserve.create")
            defer { disk.close(file) }
            var chance = Randomness(seed: 0)
            // Random bytes: a file system that compresses would store nothing for zeros.
            let bytes = (0..<limits.reserveBytes).map { _ in
                UInt8(truncatingIfNeeded: chance.next())
            }
            try disk.writeAll(bytes, to: file, "reserve.append")
            try disk.sync(file, "reserve.sync")
        } catch {
            try? disk.unlink(SegmentLog.reserve, "reserve.unlink")
        }
    }
}

extension Disk {
    /// The bytes in the quarantine folder, as far as they can be read.
    var quarantinedBytes: Int {
        let names = (try? list(.quarantine, "quarantine.count")) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? size(of: StoredFile(.quarantine, name), "quarantine.count")) ?? 0)
        }
    }

    /// Appends all bytes.
    func writeAll(
        _ bytes: [UInt8], to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            written += try writeSome(bytes.span, from: written, to: file, operation)
        }
    }

    /// Appends at least one of the bytes from `start` on, and returns how many.
    func writeSome(
        _ bytes: borrowing Span<UInt8>, from start: Int, to file: FileNumber,
        _ operation: StaticString
    ) throws(DiskError) -> Int {
        let count = try append(bytes, from: start, to: file, operation)
        // write(2) may return zero without an error; repeating it would loop for ever.
        guard count > 0 else { throw DiskError(operation, code: DiskError.noSpace) }
        return count
    }
}

extension Journal.Limits {
    /// The bytes that must be free to accept a press with this many live bytes: there must be free
    /// space to rewrite them.
    func freeBytesNeeded(besides live: Int) -> Int { max(freeBytes, 2 * live) }
}
