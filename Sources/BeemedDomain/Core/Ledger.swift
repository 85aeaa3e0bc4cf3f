/// Every event that is known: pending, settled, or still on its way to the disk.
struct Ledger: Sendable {
    /// How far an event has come.
    enum Progress: Sendable, Equatable {
        /// Not durable yet. Nobody may be told, nothing may be sent.
        case uncommitted
        case pending
        case settled(Settlement)
    }

    struct Entry: Sendable {
        let number: SequenceNumber
        let event: Event
        var progress: Progress
        /// How often it was sent.
        var attempts = 0
        /// Why the last attempt failed.
        var lastError: String?
    }

    private var entries: [SequenceNumber: Entry] = [:]
    private var numbers: [EventKey: SequenceNumber] = [:]
    private var delivered = Queue<SequenceNumber>()
    private(set) var pendingCount = 0
    private(set) var refusedCount = 0

    /// How many events are known.
    var count: Int { entries.count }

    subscript(_ number: SequenceNumber) -> Entry? { entries[number] }

    subscript(_ key: EventKey) -> Entry? { numbers[key].flatMap { entries[$0] } }

    /// Takes over what the journal held.
    mutating func restore(_ entry: Recovered.Entry) {
        add(entry.event, entry.number)
        commit(entry.number)
        if let settlement = entry.settlement { settle(entry.number, settlement) }
    }

    mutating func add(_ event: Event, _ number: SequenceNumber) {
        entries[number] = Entry(number: number, event: event, progress: .uncommitted)
        numbers[event.key] = number
    }

    mutating func commit(_ number: SequenceNumber) {
        guard entries[number]?.progress == .uncommitted else { return }
        entries[number]?.progress = .pending
        pendingCount += 1
    }

    /// Forgets an event that did not reach the disk.
    mutating func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        entries[number] = nil
        numbers[entry.event.key] = nil
    }

    mutating func noteAttempt(_ number: SequenceNumber) {
        entries[number]?.attempts += 1
    }

    mutating func noteFailure(_ number: SequenceNumber, _ reason: String) {
        entries[number]?.lastError = reason
    }

    mutating func settle(_ number: SequenceNumber, _ settlement: Settlement) {
        guard entries[number]?.progress == .pending else { return }
        entries[number]?.progress = .settled(settlement)
        pendingCount -= 1
        switch settlement {
        case .refused: refusedCount += 1
        case .delivered:
            delivered.append(number)
            forgetOldest()
        }
    }

    /// Delivered events stay known so that one sent again is told so, but not for ever.
    private mutating func forgetOldest() {
        while delivered.count > Recovered.rememberedEvents, let oldest = delivered.popFirst() {
            guard let entry = entries.removeValue(forKey: oldest) else { continue }
            if numbers[entry.event.key] == oldest { numbers[entry.event.key] = nil }
        }
    }
}
