/// The known events in the order of the records that state them whole: a segment of the journal can
/// be retired when none is stated in it.
struct StatementQueue: Sendable {
    private struct Item: Sendable {
        let number: SequenceNumber
        let statedAt: SequenceNumber
    }

    /// Events that were forgotten since are still among them.
    private var items = Queue<Item>()
    /// The events stated again by records that are not durable yet.
    private var carried = Queue<Item>()
    /// The record of the folder's user; nil without any.
    private(set) var user: SequenceNumber?
    /// The record that states the user again and is not durable yet.
    private var carriedUser: SequenceNumber?

    /// The oldest statement that counts; nil without any.
    var first: SequenceNumber? {
        [carried.first?.statedAt, items.first?.statedAt, user].compactMap { $0 }.min()
    }

    /// Whether records that state something again are not durable yet.
    var isCarrying: Bool { !carried.isEmpty || carriedUser != nil }

    /// Puts what a start has found into an empty queue.
    mutating func restore(_ recovered: Recovered) {
        user = recovered.userStatedAt
        let found = recovered.entries.map { Item(number: $0.number, statedAt: $0.statedAt) }
        items = Queue(found.sorted { $0.statedAt < $1.statedAt })
    }

    /// An event is stated by a record that is durable, behind all others.
    mutating func add(_ number: SequenceNumber, at record: SequenceNumber) {
        items.append(Item(number: number, statedAt: record))
    }

    /// The next event that is stated before that record; nil when there is none. A known event is
    /// about to be stated again; an unknown one is removed.
    ///
    /// - Parameter changing: events that cannot be stated now, nor any behind one of them: their
    ///   newest record would stand before the statement, and could be retired without it.
    mutating func next(
        before end: SequenceNumber, changing: Set<SequenceNumber> = [],
        isKnown: (SequenceNumber) -> Bool
    ) -> SequenceNumber? {
        while let item = items.first, item.statedAt < end, !changing.contains(item.number) {
            items.popFirst()
            guard isKnown(item.number) else { continue }
            carried.append(item)
            return item.number
        }
        return nil
    }

    /// The event that `next` gave last is not stated again.
    mutating func dropLast() {
        if carried.count > 0 { carried.remove(at: carried.count - 1) }
    }

    /// The record is durable that states the event again.
    mutating func markStated(_ number: SequenceNumber, at record: SequenceNumber) {
        carried.popFirst()
        add(number, at: record)
    }

    /// The folder's user is stated again by this record.
    mutating func carryUser(by record: SequenceNumber) { carriedUser = record }

    /// A record of the folder's user is durable.
    mutating func recordUser(at record: SequenceNumber) {
        user = record
        if record == carriedUser { carriedUser = nil }
    }

    /// There was no free space for what was to be stated again.
    mutating func giveUp() {
        items.prepend(carried.removeAll())
        carriedUser = nil
    }
}
