/// Keeps for a person what a start finds in the journal's folder and cannot use.
extension Disk {
    /// Moves folders, pipes and the like with the name of a file to the quarantine, with their
    /// contents. If that fails they stay, and their names are skipped.
    func setAside(_ specialFiles: [StoredFile], at time: UnixTime) {
        guard !specialFiles.isEmpty else { return }
        for found in specialFiles {
            let name = "\(found.folder.rawValue)-\(found.name)-\(time.seconds)"
            try? move(found, to: StoredFile(.quarantine, name), "folder.move")
        }
        try? syncFolder(.quarantine, "folder.move.sync")
    }

    /// Copies bytes that are not records, before their file is removed: one file per segment, named
    /// after the position of the first bytes and the checksum of all. So a start that comes to
    /// nothing, and is tried again, replaces its copies.
    func quarantine(_ places: [Recovered.SegmentRange]) throws(CommitFailure) {
        var rest = places[...]
        while let first = rest.first {
            let ofFile = rest.prefix { $0.segment == first.segment }
            let place = "\(SegmentName.digits(first.segment))-\(first.range.lowerBound)"
            let made = try publish(
                first.segment, in: .quarantine,
                named: { "\(place)-\(String($0, radix: 16)).bin" },
                { (draft) throws(DiskError) in
                    for place in ofFile { try copy(place, to: &draft) }
                })
            close(made.file)
            rest = rest[ofFile.endIndex...]
        }
    }

    private func copy(
        _ place: Recovered.SegmentRange, to draft: inout AtomicFileWriter
    ) throws(DiskError) {
        var rest = place.range
        while !rest.isEmpty {
            let part = try read(
                .segment(place.segment), from: rest.lowerBound,
                count: min(SegmentReader.window, rest.count), "quarantine.read")
            guard !part.isEmpty else {
                throw DiskError("quarantine.read", code: DiskError.inputOutput)
            }
            try draft.add { $0.write(part.span) }
            rest = rest.dropFirst(part.count)
        }
    }
}

/// A file that is removed when a start has no free space to copy the last segment. It is optional,
/// so every failure is ignored.
extension Disk {
    private var reserve: StoredFile { StoredFile(.journal, "reserve") }

    /// Returns whether there is more free space now.
    func giveUpReserve() -> Bool {
        do throws(DiskError) {
            try unlink(reserve, "reserve.unlink")
            try syncFolder(.journal, "reserve.unlink.sync")
            return true
        } catch { return false }
    }

    /// Creates a missing reserve if there is free space beyond the bytes that must stay free.
    func makeReserve(_ limits: Journal.Limits) {
        do throws(DiskError) {
            guard limits.reserveBytes > 0,
                try !list(.journal, "reserve.list").contains(reserve.name),
                try freeBytes("reserve.free") >= limits.freeBytes + limits.reserveBytes
            else { return }
            let file = try create(reserve, "reserve.create")
            defer { close(file) }
            var chance = Randomness(seed: 0)
            // Random bytes: a file system that compresses would store nothing for zeros. Btrfs and
            // ZFS compress 128 KiB at a time, so the same ones may follow again.
            let numbers = (0..<min(16 << 10, limits.reserveBytes)).map { _ in chance.next() }
            let block = unsafe numbers.withUnsafeBytes { unsafe Array($0) }
            for position in stride(from: 0, to: limits.reserveBytes, by: block.count) {
                let part = Array(block.prefix(limits.reserveBytes - position))
                try writeAll(part, to: file, at: position, "reserve.append")
            }
            try sync(file, "reserve.sync")
        } catch {
            try? unlink(reserve, "reserve.unlink")
        }
    }
}
