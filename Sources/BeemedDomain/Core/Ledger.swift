/// Every event that is known: pending, settled, or still on its way to the disk.
struct Ledger: Sendable {
    /// How far an event has come.
    enum Progress: Sendable, Equatable {
        /// Not durable yet. Nobody may be told, nothing may be sent.
        case uncommitted
        /// To be sent to Beeminder.
        case pending
        /// To be deleted at Beeminder, which may have it.
        case erasing
        case settled(Settlement)
    }

    /// What a person wants, as long as it is not on the disk.
    struct Wish: Sendable, Equatable {
        enum Kind: Sendable {
            case undo, retry
        }

        var kind: Kind
        /// The record that says so.
        var record: SequenceNumber
    }

    struct Entry: Sendable {
        let number: SequenceNumber
        let event: Event
        fileprivate(set) var fate: Fate
        fileprivate var isDurable = false
        /// How often it was sent.
        fileprivate(set) var attempts = 0
        /// Why the last attempt failed.
        fileprivate(set) var lastError: String?
        /// Whether Beeminder may have heard of it: in this process or in one before.
        fileprivate(set) var mayBeThere = false

        /// The goal that it is for now.
        var goal: GoalSlug { fate.goal ?? event.goal }
        /// When it happened, as Beeminder is told.
        var at: UnixTime { fate.at ?? event.at }
        /// Its time must be repaired before it is sent.
        var awaitsTime: Bool { event.isTimeUnsure && fate.at == nil }

        var progress: Progress {
            guard isDurable else { return .uncommitted }
            if fate.isUnwanted { return .erasing }
            guard let settlement = fate.settlement else { return .pending }
            return .settled(settlement)
        }

        /// What Beeminder calls it, if it has said so.
        var datapoint: String? {
            guard case .delivered(_, let datapoint)? = fate.settlement else { return nil }
            return datapoint
        }

        /// Whether Beeminder has said that it has it.
        var hasArrived: Bool {
            if case .delivered? = fate.settlement { true } else { false }
        }

        var isRefused: Bool {
            if case .settled(.refused) = progress { true } else { false }
        }

        /// Whether it is still to be sent or deleted.
        var isOpen: Bool { progress == .pending || progress == .erasing }

        fileprivate mutating func step(_ body: (inout Entry) -> Void) -> Step {
            let before = progress
            body(&self)
            return Step(before: before, after: progress, lineBytes: event.lineBytes)
        }
    }

    /// How an event has got on, and what it takes in the journal.
    fileprivate struct Step {
        let before: Progress
        let after: Progress
        let lineBytes: Int
    }

    private var entries = NumberedTable<Entry>()
    /// Where in `entries` the last event of each name stands.
    private var keys = PlaceIndex()
    /// Every device that an event was known of since the start: a few, unlike the events.
    private(set) var identities: Set<DeviceIdentity> = []
    private var wishes: [SequenceNumber: Wish] = [:]
    private var atRest = Queue<SequenceNumber>()
    private let remembered: Int
    private(set) var pendingCount = 0
    private(set) var refusedCount = 0
    /// Datapoints that are to be deleted.
    private(set) var erasingCount = 0
    /// What the journal needs for all events, in bytes.
    private(set) var bytes = 0
    /// What it needs for those that may not be forgotten, in bytes.
    private(set) var heldBytes = 0

    /// - Parameter remembered: how many events that are at rest stay known.
    init(remembered: Int = Recovered.rememberedEvents) {
        self.remembered = remembered
    }

    /// How many events are known.
    var count: Int { entries.count }

    /// All of them, in no order.
    var all: some Sequence<Entry> { entries.values }

    subscript(_ number: SequenceNumber) -> Entry? { entries[number] }

    subscript(_ key: EventKey) -> Entry? {
        place(of: key, key.shortHash).flatMap(entries.value)
    }

    private func place(of key: EventKey, _ hash: UInt32) -> UInt32? {
        keys.place(hash) { entries.value(at: $0)?.event.key == key }
    }

    /// Makes room for so many events, so that taking them over does not double it again and again.
    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        keys.reserve(count)
    }

    // MARK: Coming and going

    /// Takes over what the journal held.
    mutating func restore(_ found: Recovered.Entry) {
        add(found.event, found.number)
        step(found.number) { entry in
            entry.isDurable = true
            entry.fate = found.fate
            entry.mayBeThere = true
        }
    }

    mutating func add(_ event: Event, _ number: SequenceNumber) {
        identities.insert(event.key.identity)
        entries[number] = Entry(number: number, event: event, fate: Fate(event.part))
        if let place = entries.place(of: number) {
            let hash = event.key.shortHash
            if let known = self.place(of: event.key, hash) { keys.remove(hash, known) }
            keys.insert(hash, place)
        }
        bytes += event.lineBytes
        heldBytes += event.lineBytes
    }

    mutating func commit(_ number: SequenceNumber) {
        step(number) { $0.isDurable = true }
    }

    /// Forgets an event that did not reach the disk.
    mutating func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        heldBytes -= entry.event.lineBytes
        remove(entry)
    }

    // MARK: What becomes of them

    mutating func noteAttempt(_ number: SequenceNumber) {
        step(number) { entry in
            entry.attempts += 1
            entry.mayBeThere = true
        }
    }

    mutating func noteFailure(_ number: SequenceNumber, _ reason: String) {
        entries[number]?.lastError = reason
    }

    /// What a person wants of an event; nil when nothing, or when that is on the disk.
    func wish(_ number: SequenceNumber) -> Wish? { wishes[number] }

    /// What a person wants of it, from when it is asked for until it is on the disk; nil then.
    mutating func note(_ wish: Wish?, of number: SequenceNumber) {
        wishes[number] = wish
    }

    /// Beeminder has it; the record of that is on its way to the disk.
    mutating func anticipate(_ number: SequenceNumber, _ how: Delivered, _ datapoint: String?) {
        step(number) { if $0.isDurable { $0.fate.anticipate(how, datapoint) } }
    }

    /// Takes a record about an event into account.
    mutating func apply(_ record: Record) {
        guard let number = record.of else { return }
        step(number) { if $0.isDurable { $0.fate.apply(record.fact, record.number) } }
    }

    /// Changes an event, and counts it where it is now and no longer where it was.
    private mutating func step(_ number: SequenceNumber, _ body: (inout Entry) -> Void) {
        guard let step = entries[number]?.step(body), step.after != step.before else { return }
        tally(step.before, -1)
        tally(step.after, 1)
        let wasAtRest = step.before.isAtRest
        guard wasAtRest != step.after.isAtRest else { return }
        heldBytes += wasAtRest ? step.lineBytes : -step.lineBytes
        if !wasAtRest {
            atRest.append(number)
            forgetOldest()
        }
    }

    private mutating func tally(_ progress: Progress, _ step: Int) {
        switch progress {
        case .pending: pendingCount += step
        case .erasing: erasingCount += step
        case .settled(.refused): refusedCount += step
        case .uncommitted, .settled: break
        }
    }

    /// Events at rest stay known so that one sent again is told so, but not for ever.
    private mutating func forgetOldest() {
        while atRest.count > remembered, let oldest = atRest.popFirst() {
            // It may have been undone since, and be open or listed again.
            if let entry = entries[oldest], entry.progress.isAtRest { remove(entry) }
        }
    }

    private mutating func remove(_ entry: Entry) {
        // If its name has been used again since it was forgotten on the disk, it is not there.
        if let place = entries.place(of: entry.number) {
            keys.remove(entry.event.key.shortHash, place)
        }
        entries[entry.number] = nil
        bytes -= entry.event.lineBytes
    }
}

extension Ledger.Progress {
    /// Nothing more will come of it.
    var isAtRest: Bool {
        switch self {
        case .settled(.refused), .uncommitted, .pending, .erasing: false
        case .settled: true
        }
    }
}

extension EventKey {
    /// Devices choose the names of events, so it is one that nobody can choose collisions for.
    fileprivate var shortHash: UInt32 { UInt32(truncatingIfNeeded: hashValue) }
}
