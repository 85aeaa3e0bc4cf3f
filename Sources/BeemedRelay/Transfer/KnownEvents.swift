import BeemedDomain
import RelayTrunk

/// Every event that is known, each once: those of the core, and then those that are only in the
/// files; the newest first. It is read a page at a time, with other requests in between. Events
/// move from the core to the files meanwhile: in this order none of them is missed.
final class KnownEvents {
    /// The events of the core with a smaller number; nil begins with the newest.
    private var before: SequenceNumber?
    private var isInFiles = false
    /// The files that are left; nil before they are listed.
    private var files: PastReader?
    /// The rest of the last file.
    private var entries: ArraySlice<Recovered.Entry> = []
    /// The events that were returned: an event may leave the core meanwhile, and would come twice.
    private var told: Set<Int> = []

    /// Events of one page, at most.
    private static let maxEvents = 50

    /// The next page, which may be empty; nil at the end.
    func next(in relay: isolated Relay) async throws(DiskError) -> [EventView]? {
        await Task.yield()
        if !isInFiles {
            let page = relay.engine.core.view.events(
                EventFilter(), before: before, limit: KnownEvents.maxEvents)
            before = page.next
            isInFiles = page.next == nil
            return page.events.filter { isNew($0.number, $0.event.key) }
        }
        if entries.isEmpty {
            let (reader, folder) = (files, relay.settings.data)
            let remoteLines = relay.engine.remoteLines
            let read = try await relay.transfers.work.run { () throws(DiskError) in
                var files = reader
                if files == nil {
                    let history = History(try SystemDisk(dataFolder: folder))
                    files = try history.reader(behind: remoteLines?() ?? [])
                }
                let entries = try files?.next()
                return (files: files, entries: entries)
            }
            guard let found = read.entries else { return nil }
            (files, entries) = (read.files, found[...])
        }
        defer { entries = entries.dropFirst(KnownEvents.maxEvents) }
        return entries.prefix(KnownEvents.maxEvents).filter { isNew($0.number, $0.event.key) }
            .map { EventView(past: $0) }
    }

    private func isNew(_ number: SequenceNumber, _ key: EventKey) -> Bool {
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(key)
        return told.insert(hasher.finalize()).inserted
    }
}
