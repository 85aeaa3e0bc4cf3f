/// Delivered events that exceed the journal's limit, in separate files. Only exports,
/// imports and `journal verify` read them, never a start or a press, so a million cost nothing.
///
/// Reading is slow, so it must not run on the loop's thread. A relay may use the folder at the same
/// time.
package struct History: Sendable {
    private let disk: any Disk
    private let window: Int

    /// The history beside the journal on that disk.
    package init(_ disk: any Disk, window: Int = 1 << 18) {
        self.disk = disk
        self.window = window
    }

    /// Passes every event: those that left the journal last come first, and among those that left
    /// it together the newest. A few megabytes are in memory at once.
    ///
    /// - Parameter take: receives an event, and returns whether to continue.
    /// - Throws: `DiskError` when a file cannot be read. Damaged lines are skipped.
    package func newestFirst(_ take: (Recovered.Entry) -> Bool) throws(DiskError) {
        for name in try files().reversed() {
            for entry in try present(name)?.entries.reversed() ?? [] where !take(entry) { return }
        }
    }

    /// One file of the history.
    package struct File: Sendable {
        fileprivate let name: ArchiveFileName
    }

    /// The files, those first whose events left the journal last.
    ///
    /// - Throws: `DiskError` when the folder cannot be read.
    package func filesNewestFirst() throws(DiskError) -> [File] {
        try files().reversed().map(File.init)
    }

    /// The events of a file, the newest first: a few megabytes. None when a relay has just removed
    /// the file. Damaged lines are skipped.
    ///
    /// - Throws: `DiskError` when the file cannot be read.
    package func newestFirst(in file: File) throws(DiskError) -> [Recovered.Entry] {
        try present(file.name)?.entries.reversed() ?? []
    }

    /// The valid files, in order.
    func files() throws(DiskError) -> [ArchiveFileName] {
        let names = try disk.list(.history, "history.list").compactMap(ArchiveFileName.init)
            .sorted()
        let segments = Set(try disk.list(.journal, "history.list").compactMap(SegmentName.number))
        // A folder without a segment was emptied, or its journal is in a cluster: all files count.
        guard let newest = segments.max() else { return names }
        // Without its segment a file does not count: its events are in the segments before.
        return names.filter { name in
            name.segment <= newest
                && (segments.contains(name.segment) || !segments.contains(name.segment - 1))
        }
    }

    /// The contents of a file, and its damage.
    func read(_ name: ArchiveFileName) throws(DiskError) -> Recovered {
        try Recovery.read(
            disk, StoredFile(.history, name.live), segment: name.segment, window: window)
    }

    /// The contents of a file, unless a relay has just removed it.
    private func present(_ name: ArchiveFileName) throws(DiskError) -> Recovered? {
        do throws(DiskError) {
            return try read(name)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// When a file was written; nil when the file does not have a time.
    static func time(of file: StoredFile, on disk: any Disk) -> UnixTime? {
        var reader = SegmentReader(disk, file, window: 4_096)
        guard let piece = try? reader.next(), case .line(let json, _) = piece else { return nil }
        var time: UnixTime?
        var fields = JSONReader(json)
        try? fields.object { (name, value) throws(JSONReader.Fault) in
            if name == "at" { time = UnixTime(try value.integer()) } else { try value.skip() }
        }
        // A time that cannot be is none: it must not make a file look expired.
        return time.flatMap { UnixTime.recordable.contains($0) ? $0 : nil }
    }

    /// Removes expired files: at most as many as were added, so that a clock that is years ahead
    /// for a while removes almost nothing.
    ///
    /// - Parameters:
    ///   - segment: only files before that one are removed.
    ///   - seconds: how long a file is kept.
    static func removeExpired(
        on disk: any Disk, atMost count: Int, before segment: Int, after seconds: Int64,
        at now: UnixTime
    ) throws(DiskError) {
        var removed = 0
        let names = try disk.list(.history, "history.list").compactMap(ArchiveFileName.init)
            .sorted()
        for name in names where name.segment < segment && removed < count {
            let file = StoredFile(.history, name.live)
            guard let written = History.time(of: file, on: disk) else { continue }
            guard written.adding(seconds) < now else { return }
            try disk.unlink(file, "history.remove")
            removed += 1
        }
    }
}
