/// The files that a start quarantines, and the reserve.
extension SegmentLog {
    /// Unlinks instead of truncating: a name may be a hard link to another file.
    func removeTemporaries() throws(DiskError) {
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
    func setAside(_ specialFiles: [StoredFile]) {
        guard !specialFiles.isEmpty else { return }
        for found in specialFiles {
            let name = "\(found.folder.rawValue)-\(found.name)-\(time.seconds)"
            try? disk.move(found, to: StoredFile(.quarantine, name), "folder.move")
        }
        try? disk.syncFolder(.quarantine, "folder.move.sync")
    }

    // MARK: Quarantine

    /// Keeps bytes that are not records for a person, before their file is removed: one file per
    /// segment, named after the position of the first bytes.
    ///
    /// - Parameter made: receives the files, also on failure.
    func quarantine(
        _ places: [Recovered.SegmentRange], noting made: inout [StoredFile]
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

    func remove(_ copies: [StoredFile]) {
        for copy in copies { try? disk.unlink(copy, "quarantine.unlink") }
    }

    func quarantineName(
        _ place: Recovered.SegmentRange, besides taken: inout Set<String>
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

    func write(
        _ places: ArraySlice<Recovered.SegmentRange>, to copy: FileNumber
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

    static let reserve = StoredFile(.journal, "reserve")

    /// - Returns: whether there is more free space now.
    func giveUpReserve() -> Bool {
        do throws(DiskError) {
            try disk.unlink(SegmentLog.reserve, "reserve.unlink")
            try disk.syncFolder(.journal, "reserve.unlink.sync")
            return true
        } catch { return false }
    }

    /// Creates a missing reserve if there is free space beyond the bytes that must stay free. The
    /// reserve is optional, so a failure is ignored.
    func makeReserve() {
        do throws(DiskError) {
            guard limits.reserveBytes > 0,
                try !disk.list(.journal, "reserve.list").contains(SegmentLog.reserve.name),
                try disk.freeBytes("reserve.free") >= limits.freeBytes + limits.reserveBytes
            else { return }
            let file = try disk.create(SegmentLog.reserve, "reserve.create")
            defer { disk.close(file) }
            var chance = Randomness(seed: 0)
            // Random bytes: a file system that compresses would store nothing for zeros. Btrfs and
            // ZFS compress 128 KiB at a time, so the same ones may follow again.
            let block = (0..<min(128 << 10, limits.reserveBytes)).map { _ in
                UInt8(truncatingIfNeeded: chance.next())
            }
            var bytes: [UInt8] = []
            while bytes.count < limits.reserveBytes {
                bytes += block.prefix(limits.reserveBytes - bytes.count)
            }
            try disk.writeAll(bytes, to: file, "reserve.append")
            try disk.sync(file, "reserve.sync")
        } catch {
            try? disk.unlink(SegmentLog.reserve, "reserve.unlink")
        }
    }
}
