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

    private var entries = NumberedTable<Entry>()
    private var numbers: [EventKey: SequenceNumber] = [:]
    private var delivered = Queue<SequenceNumber>()
    private let remembered: Int
    private(set) var pendingCount = 0
    private(set) var refusedCount = 0
    /// What the journal needs for all events, in bytes.
    private(set) var bytes = 0
    /// What it needs for those that may not be forgotten, in bytes.
    private(set) var heldBytes = 0

    /// - Parameter remembered: how many delivered events stay known.
    init(remembered: Int = Recovered.rememberedEvents) {
        self.remembered = remembered
    }

    /// How many events are known.
    var count: Int { entries.count }

    subscript(_ number: SequenceNumber) -> Entry? { entries[number] }

    subscript(_ key: EventKey) -> Entry? { numbers[key].flatMap { entries[$0] } }

    /// Makes room for so many events, so that taking them over does not double it again and again.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        numbers.reserveCapacity(count)
    }

    /// Takes over what the journal held.
    mutating func restore(_ entry: Recovered.Entry) {
        add(entry.event, entry.number)
        commit(entry.number)
        if let settlement = entry.settlement { settle(entry.number, settlement) }
    }

    mutating func add(_ event: Event, _ number: SequenceNumber) {
        entries[number] = Entry(number: number, event: event, progress: .uncommitted)
        numbers[event.key] = number
        bytes += event.lineBytes
        heldBytes += event.lineBytes
    }

    mutating func commit(_ number: SequenceNumber) {
        guard entries[number]?.progress == .uncommitted else { return }
        entries[number]?.progress = .pending
        pendingCount += 1
    }

    /// Forgets an event that did not reach the disk.
    mutating func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        heldBytes -= entry.event.lineBytes
        remove(entry)
    }

    mutating func noteAttempt(_ number: SequenceNumber) {
        entries[number]?.attempts += 1
    }

    mutating func noteFailure(_ number: SequenceNumber, _ reason: String) {
        entries[number]?.lastError = reason
    }

    mutating func settle(_ number: SequenceNumber, _ settlement: Settlement) {
        guard let entry = entries[number], entry.progress == .pending else { return }
        entries[number]?.progress = .settled(settlement)
        pendingCount -= 1
        switch settlement {
        case .refused: refusedCount += 1
        case .delivered:
            heldBytes -= entry.event.lineBytes
            delivered.append(number)
            forgetOldest()
        }
    }

    /// Delivered events stay known so that one sent again is told so, but not for ever.
    private mutating func forgetOldest() {
        while delivered.count > remembered, let oldest = delivered.popFirst() {
            if let entry = entries[oldest] { remove(entry) }
        }
    }

    private mutating func remove(_ entry: Entry) {
        entries[entry.number] = nil
        // Its name may have been used again since it was forgotten on the disk.
        if numbers[entry.event.key] == entry.number { numbers[entry.event.key] = nil }
        bytes -= entry.event.lineBytes
    }
}
