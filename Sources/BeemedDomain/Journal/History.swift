/// Events that are known no longer: delivered long ago, and beyond the newest ones that the
/// journal holds. They stand in files beside it that nobody reads but who looks one up or exports
/// them all: neither a start nor a press ever does, so a million of them cost nothing.
///
/// Reading takes a while; it is not for the loop's thread. A relay may work on the folder
/// meanwhile.
package struct History: Sendable {
    private let disk: any Disk
    private let window: Int

    /// The history beside the journal on that disk.
    package init(_ disk: any Disk, window: Int = 1 << 18) {
        self.disk = disk
        self.window = window
    }

    /// Hands over every event, those first that left the journal last, and of those that left it
    /// together the newest first. A few megabytes of them are in memory at once.
    ///
    /// - Parameter take: is given an event, and says whether it wants more.
    /// - Throws: `DiskError` when a file cannot be read. Damaged lines are passed over.
    package func newestFirst(_ take: (Recovered.Entry) -> Bool) throws(DiskError) {
        for name in try files().reversed() {
            for entry in try present(name)?.entries.reversed() ?? [] where !take(entry) { return }
        }
    }

    /// The event of that name; the newest, should there be several.
    package func event(_ key: EventKey) throws(DiskError) -> Recovered.Entry? {
        let mark = Array("\"id\":\"\(key.id)\"".utf8)
        for name in try files().reversed() {
            // Hardly any file has it, and to look for the bytes is quicker than to read the lines.
            guard try holds(mark, name), let found = try present(name) else { continue }
            if let entry = found.entries.last(where: { $0.event.key == key }) { return entry }
        }
        return nil
    }

    /// The files that count, in order.
    func files() throws(DiskError) -> [ArchiveFileName] {
        let names = try disk.list(.history, "history.list").compactMap(ArchiveFileName.init)
            .sorted()
        let newest = try disk.list(.journal, "history.list").compactMap(SegmentName.number).max()
        // A file whose segment has not come: its events are in the journal.
        return names.filter { $0.segment <= newest ?? 0 }
    }

    /// What is in a file, and what is wrong with it.
    func read(_ name: ArchiveFileName) throws(DiskError) -> Recovered {
        try Recovery.read(
            disk, StoredFile(.history, name.live), segment: name.segment, window: window)
    }

    /// What is in a file, unless a relay has just removed it.
    private func present(_ name: ArchiveFileName) throws(DiskError) -> Recovered? {
        do throws(DiskError) {
            return try read(name)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// When a file was written; nil when it does not say so.
    static func time(of file: StoredFile, on disk: any Disk) -> UnixTime? {
        var reader = SegmentReader(disk, file, window: 4_096)
        guard let piece = try? reader.next(), case .line(let json, _) = piece else { return nil }
        var time: UnixTime?
        var fields = JSONReader(json)
        try? fields.object { (name, value) throws(JSONReader.Fault) in
            if name == "at" { time = UnixTime(try value.integer()) } else { try value.skip() }
        }
        return time
    }

    /// Whether those bytes are anywhere in the file.
    private func holds(_ mark: [UInt8], _ name: ArchiveFileName) throws(DiskError) -> Bool {
        let file = StoredFile(.history, name.live)
        var offset = 0
        while true {
            let part: [UInt8]
            do throws(DiskError) {
                part = try disk.read(file, from: offset, count: window, "history.read")
            } catch {
                if error.isMissing { return false }
                throw error
            }
            if part.span.contains(mark.span) { return true }
            guard part.count == window else { return false }
            offset += part.count - mark.count
        }
    }
}

extension Span<UInt8> {
    /// Whether those bytes stand in it, one after another.
    fileprivate func contains(_ mark: borrowing Span<UInt8>) -> Bool {
        guard count >= mark.count else { return false }
        // The last byte but one is an id's own, and so rarer than the first.
        let rare = mark.count - 2
        for start in 0...(count - mark.count) where self[start + rare] == mark[rare] {
            var length = 0
            while length < mark.count, self[start + length] == mark[length] { length += 1 }
            if length == mark.count { return true }
        }
        return false
    }
}
