/// Keeps for a person what a start finds in the journal's folder and cannot use.
struct Quarantine: Sendable {
    let disk: any Disk
    /// For the names.
    let time: UnixTime

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

    /// Copies bytes that are not records, before their file is removed: one file per segment, named
    /// after the position of the first bytes.
    ///
    /// - Parameter made: receives the files, also on failure.
    func add(
        _ places: [Recovered.SegmentRange], noting made: inout [StoredFile]
    ) throws(DiskError) {
        guard !places.isEmpty else { return }
        var taken = Set(try disk.list(.quarantine, "quarantine.list"))
        var rest = places[...]
        while let first = rest.first {
            let ofFile = rest.prefix { $0.segment == first.segment }
            let file = StoredFile(.quarantine, name(first, besides: &taken))
            let copy = try disk.create(file, "quarantine.create")
            made.append(file)
            defer { disk.close(copy) }
            try write(ofFile, to: copy)
            let size = ofFile.reduce(0) { $0 + $1.range.count }
            guard try disk.size(of: copy, named: file, "quarantine.size") == size else {
                throw DiskError("quarantine.size", code: DiskError.inputOutput)
            }
            try disk.sync(copy, "quarantine.sync")
            rest = rest[ofFile.endIndex...]
        }
        try disk.syncFolder(.quarantine, "quarantine.folder")
    }

    func remove(_ copies: [StoredFile]) {
        for copy in copies { try? disk.unlink(copy, "quarantine.unlink") }
    }

    private func name(_ place: Recovered.SegmentRange, besides taken: inout Set<String>) -> String {
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
        _ places: ArraySlice<Recovered.SegmentRange>, to copy: FileNumber
    ) throws(DiskError) {
        for place in places {
            let file = StoredFile.segment(place.segment)
            var offset = place.range.lowerBound
            while offset < place.range.upperBound {
                let part = try disk.read(
                    file, from: offset,
                    count: min(SegmentReader.window, place.range.upperBound - offset),
                    "rewrite.read")
                guard !part.isEmpty else {
                    throw DiskError("rewrite.read", code: DiskError.inputOutput)
                }
                try disk.writeAll(part, to: copy, "quarantine.append")
                offset += part.count
            }
        }
    }
}

/// A file that is removed when a start has no free space to copy the last segment. It is optional,
/// so every failure is ignored.
struct Reserve: Sendable {
    let disk: any Disk
    static let file = StoredFile(.journal, "reserve")

    /// - Returns: whether there is more free space now.
    func giveUp() -> Bool {
        do throws(DiskError) {
            try disk.unlink(Reserve.file, "reserve.unlink")
            try disk.syncFolder(.journal, "reserve.unlink.sync")
            return true
        } catch { return false }
    }

    /// Creates a missing reserve if there is free space beyond the bytes that must stay free.
    func make(_ limits: Journal.Limits) {
        do throws(DiskError) {
            guard limits.reserveBytes > 0,
                try !disk.list(.journal, "reserve.list").contains(Reserve.file.name),
                try disk.freeBytes("reserve.free") >= limits.freeBytes + limits.reserveBytes
            else { return }
            let file = try disk.create(Reserve.file, "reserve.create")
            defer { disk.close(file) }
            var chance = Randomness(seed: 0)
            // Random bytes: a file system that compresses would store nothing for zeros. Btrfs and
            // ZFS compress 128 KiB at a time, so the same ones may follow again.
            let numbers = (0..<min(16 << 10, limits.reserveBytes)).map { _ in chance.next() }
            let block = unsafe numbers.withUnsafeBytes { unsafe Array($0) }
            var left = limits.reserveBytes
            while left > 0 {
                try disk.writeAll(Array(block.prefix(left)), to: file, "reserve.append")
                left -= block.count
            }
            try disk.sync(file, "reserve.sync")
        } catch {
            try? disk.unlink(Reserve.file, "reserve.unlink")
        }
    }
}
