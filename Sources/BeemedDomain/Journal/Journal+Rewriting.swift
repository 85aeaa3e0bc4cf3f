/// Why a new segment could not be made.
enum RewriteFailure: Error, Equatable, Sendable {
    /// It never got its name, so everything is as it was.
    case beforeName(DiskError)
    /// It has its name, in memory at least: what a start would find is unknown.
    case afterName(DiskError)

    /// The system call that failed.
    var cause: DiskError {
        switch self {
        case .beforeName(let error), .afterName(let error): error
        }
    }

    /// Whether one can go on without it: nothing has changed, and there is just no room, or what
    /// has failed may succeed a moment later.
    var isHarmless: Bool {
        guard case .beforeName(let error) = self else { return false }
        return error.isFull || error.isReadOnly || error.isPassing
    }
}

extension Journal {
    /// Quarantines what is no record, hands what is past to the history, writes what is live into
    /// a fresh segment, and only then removes what the old ones had superseded. Where there is no
    /// room, it gives up one thing after the other that is no press in custody.
    ///
    /// - Returns: the segment, and what was written into it.
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

    /// What is given up for a rewrite that has no room, in this order.
    private enum Sacrifice: CaseIterable {
        case reserve, superseded, history, mostDelivered, nearlyAllDelivered, allDelivered
    }

    /// - Returns: whether there may be room now.
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

    /// Removes what the rewritten segments had superseded, and what is no segment of this store.
    /// Those that were rewritten stay until the next time. What could not be removed is left over;
    /// the next start tries again.
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
                setAside(found.folders)
                try removeTemporaries()
                try quarantine(found.quarantine, noting: &copies)
                number = try numberNext(after: found.lastSegment)
                try keepPast(found, with: number)
            } catch { throw .beforeName(error) }
            return try publish(number) { (draft) throws(DiskError) in
                let opening = Opening(
                    store: store, segment: number, firstNumber: found.next, hasBase: true)
                try draft.writeSnapshot(of: found.kept, found.next, by: limits.windowBytes) {
                    $0.writeOpen(opening)
                }
            }
        } catch {
            // What was copied is still in the journal. On a full disk every record that waits
            // tries again: it must not be filled with copies.
            if case .beforeName = error { remove(copies) }
            throw error
        }
    }

    /// Writes a whole segment and makes it the newest one.
    func publish(
        _ number: Int, _ body: (inout AtomicFileWriter) throws(DiskError) -> Void
    ) throws(RewriteFailure) -> Segment {
        let name = StoredFile(.journal, SegmentName.live(number))
        guard SegmentName.number(name.name) == number else {
            throw .beforeName(DiskError("publish.number", code: DiskError.tooGreat))
        }
        let temporary = StoredFile(.journal, SegmentName.temporary(number))
        let draft: AtomicFileWriter
        do throws(DiskError) {
            draft = try AtomicFileWriter.write(temporary, on: disk, .publish, body)
        } catch { throw .beforeName(error) }
        do throws(DiskError) {
            // Read back before it gets its name: to open it may fail for want of a descriptor, and
            // then nothing has happened yet.
            try draft.verify(temporary, by: limits.windowBytes)
        } catch {
            disk.close(draft.file)
            try? disk.unlink(temporary, "publish.unlink")
            throw .beforeName(error)
        }
        do throws(DiskError) {
            try disk.rename(temporary, to: name.name, "publish.rename")
            try disk.syncFolder(.journal, "publish.folder")
            guard try disk.size(of: draft.file, named: name, "publish.name") == draft.size else {
                throw DiskError("publish.name", code: DiskError.inputOutput)
            }
        } catch {
            disk.close(draft.file)
            throw .afterName(error)
        }
        return Segment(
            number: number, name: name, file: draft.file, size: draft.size, baseSize: draft.size)
    }

    /// Unlinked and not cut off: a name may be a hard link to something else.
    private func removeTemporaries() throws(DiskError) {
        for name in try disk.list(.journal, "open.list") where SegmentName.isTemporary(name) {
            do throws(DiskError) {
                try disk.unlink(StoredFile(.journal, name), "open.unlink")
            } catch {
                // A folder that could not be set aside is in the way of nothing but its own name.
                if !error.isFolder { throw error }
            }
        }
    }

    /// Moves folders that stand in the place of files to the quarantine, with all that is in them.
    /// Where that fails they stay, and their names are passed over.
    private func setAside(_ folders: [StoredFile]) {
        guard !folders.isEmpty else { return }
        for folder in folders {
            let name = "\(folder.folder.rawValue)-\(folder.name)-\(time.seconds)"
            try? disk.move(folder, to: StoredFile(.quarantine, name), "folder.move")
        }
        try? disk.syncFolder(.quarantine, "folder.move.sync")
    }

    /// Can anything be written?
    func probe() throws(DiskError) {
        let file = StoredFile(.journal, SegmentName.temporary(0))
        try removeTemporaries()
        disk.close(try disk.create(file, "probe.create"))
        try disk.unlink(file, "probe.unlink")
    }

    // MARK: Quarantine

    /// Bytes that are no record are kept for a person, before the file they were in goes: one file
    /// for each segment, named after the first of them.
    ///
    /// - Parameter made: gets the files, also when it fails.
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

    /// - Returns: whether there is more room now.
    private func giveUpReserve() -> Bool {
        do throws(DiskError) {
            try disk.unlink(Journal.reserve, "reserve.unlink")
            try disk.syncFolder(.journal, "reserve.unlink.sync")
            return true
        } catch { return false }
    }

    /// Makes the reserve if it is not there, and there is room beyond what must stay free. It is a
    /// convenience, so a failure is none.
    private func makeReserve() {
        do throws(DiskError) {
            guard limits.reserveBytes > 0,
                try !disk.list(.journal, "reserve.list").contains(Journal.reserve.name),
                try disk.freeBytes("reserve.free") >= limits.freeBytes + limits.reserveBytes
            else { return }
            let file = try disk.create(Journal.reserve, "reserve.create")
            defer { disk.close(file) }
            var chance = Randomness(seed: 0)
            // Bytes without a pattern: a file system that packs would keep nothing for zeros.
            let bytes = (0..<limits.reserveBytes).map { _ in
                UInt8(truncatingIfNeeded: chance.next())
            }
            try disk.writeAll(bytes, to: file, "reserve.append")
            try disk.sync(file, "reserve.sync")
        } catch {
            try? disk.unlink(Journal.reserve, "reserve.unlink")
        }
    }
}

extension Disk {
    /// What is in the quarantine folder, in bytes, as far as it can be seen.
    var quarantinedBytes: Int {
        let names = (try? list(.quarantine, "quarantine.count")) ?? []
        return names.reduce(0) { bytes, name in
            bytes + ((try? size(of: StoredFile(.quarantine, name), "quarantine.count")) ?? 0)
        }
    }

    /// Appends all of the bytes.
    func writeAll(
        _ bytes: [UInt8], to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) {
        var written = 0
        while written < bytes.count {
            written += try writeSome(bytes, from: written, to: file, operation)
        }
    }

    /// Appends at least one of the bytes from `start` on, and says how many.
    func writeSome(
        _ bytes: [UInt8], from start: Int, to file: FileNumber, _ operation: StaticString
    ) throws(DiskError) -> Int {
        let count = try append(bytes, from: start, to: file, operation)
        // Zero is no error to write(2), but for ever after it would be one to us.
        guard count > 0 else { throw DiskError(operation, code: DiskError.noSpace) }
        return count
    }
}

extension Journal.Limits {
    /// So many bytes must be free to accept a press, where so many are live: there must be room to
    /// rewrite them.
    func freeBytesNeeded(besides live: Int) -> Int { max(freeBytes, 2 * live) }
}
