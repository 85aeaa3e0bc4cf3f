/// Forgotten events that the history does not have yet. No command finds them any more; exports
/// and imports read them here until a compaction has written them to the history.
struct Unarchived: Sendable {
    private struct Item: Sendable {
        let entry: Recovered.Entry
        /// The number after the last record when it was forgotten.
        let next: SequenceNumber
    }

    private var items: [SequenceNumber: Item] = [:]
    private var bytes = 0

    /// The maximum number and bytes, where no compaction comes to its end: then the next start
    /// moves the others to the history.
    private static let limits = Retention.Limits()

    var count: Int { items.count }

    subscript(_ number: SequenceNumber) -> Recovered.Entry? { items[number]?.entry }

    /// Adds an event that is forgotten now.
    ///
    /// - Parameter next: the number of the next record.
    mutating func add(_ entry: Recovered.Entry, before next: SequenceNumber) {
        guard items.count < Unarchived.limits.events, bytes < Unarchived.limits.bytes else {
            return
        }
        items[entry.number] = Item(entry: entry, next: next)
        bytes += entry.event.lineBytes
    }

    /// A compaction has moved the events to the history that were forgotten before that record was
    /// written.
    mutating func remove(before next: SequenceNumber) {
        var rest = Unarchived()
        for item in items.values where item.next >= next { rest.add(item.entry, before: item.next) }
        self = rest
    }
}
