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
    struct PendingCommand: Sendable, Equatable {
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
        fileprivate(set) var recorded: RecordedState
        fileprivate var isDurable = false
        /// How often it was sent.
        fileprivate(set) var attempts = 0
        /// Why the last attempt failed.
        fileprivate(set) var lastError: String?
        /// Whether Beeminder may have heard of it: in this process or in one before.
        fileprivate(set) var mayBeThere = false
        /// It leads a datapoint of which Beeminder has not been told everything, so it must not be
        /// forgotten.
        fileprivate var isHeld = false

        /// The goal that it is for now.
        var goal: GoalSlug { recorded.goal ?? event.goal }
        /// When it happened, as Beeminder is told.
        var at: UnixTime { recorded.at ?? event.at }
        /// Its time must be repaired before it is sent.
        var awaitsTime: Bool { event.isTimeUnsure && recorded.at == nil }

        /// The press whose datapoint it is a part of.
        var leader: SequenceNumber? {
            guard case .merged(let leader) = event.part, !recorded.isOnItsOwn else { return nil }
            return leader
        }

        /// The record since which it counts as a part of its leader's datapoint: its own, or that
        /// of its last retry.
        var memberSince: SequenceNumber { max(number, recorded.last) }

        var progress: Progress {
            guard isDurable else { return .uncommitted }
            if recorded.isUnwanted { return .erasing }
            guard let settlement = recorded.settlement else { return .pending }
            return .settled(settlement)
        }

        /// What Beeminder calls it, if it has said so.
        var datapoint: String? {
            guard case .delivered(_, let datapoint)? = recorded.settlement else { return nil }
            return datapoint
        }

        /// Whether Beeminder has said that it has it.
        var hasArrived: Bool { recorded.hasArrived }

        var isRefused: Bool {
            if case .settled(.refused) = progress { true } else { false }
        }

        /// Whether it is still to be sent or deleted.
        var isOpen: Bool { progress == .pending || progress == .erasing }

        /// Whether it may be forgotten, and with it the parts of its datapoint.
        fileprivate var isForgettable: Bool { progress.isAtRest && !isHeld && leader == nil }

        fileprivate mutating func change(_ body: (inout Entry) -> Void) {
            body(&self)
        }

        fileprivate var standing: Standing {
            Standing(progress: progress, goal: goal, event: event)
        }
    }

    /// Where an event is counted.
    fileprivate struct Standing {
        let progress: Progress
        let goal: GoalSlug
        let event: Event
    }

    private var entries = PagedTable<Entry>()
    /// Where in `entries` the last event of each name stands.
    private var keys = HashIndex()
    /// Every device that an event was known of since the start: a few, unlike the events.
    private(set) var identities: Set<DeviceIdentity> = []
    private var commands: [SequenceNumber: PendingCommand] = [:]
    private var retention: Retention
    private(set) var pendingCount = 0
    /// How many are to be sent to each goal, by the name that the events have for it.
    private(set) var pendingByGoal: [GoalSlug: Int] = [:]
    private(set) var refusedCount = 0
    /// Datapoints that are to be deleted.
    private(set) var erasingCount = 0
    /// What the journal needs for all events, in bytes.
    private(set) var bytes = 0
    /// What it needs for those that are not settled, by the device that sent them.
    private(set) var waiting: Shares<DeviceIdentity>
    /// What it needs for those that Beeminder refused, by goal: they stay until a person deals
    /// with them.
    private(set) var refused: Shares<GoalSlug>

    /// - Parameters:
    ///   - retention: how many settled events stay known.
    ///   - capacity: what may wait for Beeminder, in bytes of the journal.
    init(
        retention: Retention.Limits = Retention.Limits(), capacity: Int = RelayCore.heldBytes
    ) {
        self.retention = Retention(retention)
        waiting = Shares(capacity: capacity)
        refused = Shares(capacity: capacity / 4)
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
            entry.recorded = found.recorded
            entry.mayBeThere = true
            entry.attempts = found.tried?.count ?? 0
            entry.lastError = found.recorded.isAtRest ? nil : found.tried?.why
        }
    }

    mutating func add(_ event: Event, _ number: SequenceNumber) {
        identities.insert(event.key.identity)
        entries[number] = Entry(number: number, event: event, recorded: RecordedState(event.part))
        if let place = entries.place(of: number) {
            let hash = event.key.shortHash
            if let known = self.place(of: event.key, hash) { keys.remove(hash, known) }
            keys.insert(hash, place)
        }
        bytes += event.lineBytes
        waiting.add(event.lineBytes, of: event.key.identity)
    }

    mutating func commit(_ number: SequenceNumber) {
        step(number) { $0.isDurable = true }
    }

    /// Forgets an event that did not reach the disk.
    mutating func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        waiting.remove(entry.event.lineBytes, of: entry.event.key.identity)
        remove(entry)
    }

    // MARK: What becomes of them

    mutating func noteAttempt(_ number: SequenceNumber) {
        step(number) { entry in
            entry.attempts += 1
            entry.mayBeThere = true
        }
    }

    /// Beeminder will not have it, so it is not there, whatever was sent before.
    mutating func noteRefusal(_ number: SequenceNumber) {
        entries[number]?.mayBeThere = false
    }

    /// Notes that an attempt has settled nothing.
    ///
    /// - Returns: the event's attempts if they are to be written down, else nil. They are when they
    ///   have doubled, and of the first ones when the reason has changed: a journal holds a bounded
    ///   number of them for each event, however long an outage lasts.
    mutating func noteFailure(_ number: SequenceNumber, _ reason: String) -> Int? {
        guard let entry = entries[number] else { return nil }
        entries[number]?.lastError = reason
        let hasDoubled = entry.attempts.nonzeroBitCount == 1
        let isNew = entry.attempts < 16 && entry.lastError != reason
        return hasDoubled || isNew ? entry.attempts : nil
    }

    /// What a person wants of an event; nil when nothing, or when that is on the disk.
    func command(_ number: SequenceNumber) -> PendingCommand? { commands[number] }

    /// What a person wants of it, from when it is asked for until it is on the disk; nil then.
    mutating func note(_ command: PendingCommand?, of number: SequenceNumber) {
        commands[number] = command
    }

    /// Beeminder has it; the record of that is on its way to the disk.
    mutating func anticipate(_ number: SequenceNumber, _ how: Delivered, _ datapoint: String?) {
        step(number) { if $0.isDurable { $0.recorded.anticipate(how, datapoint) } }
    }

    /// Takes a record about an event into account.
    mutating func apply(_ record: Record) {
        guard let number = record.of else { return }
        step(number) { if $0.isDurable { $0.recorded.apply(record.fact, record.number) } }
    }

    /// A part of a merged datapoint fares as its leader does.
    mutating func follow(_ number: SequenceNumber, _ settlement: Settlement?, to goal: GoalSlug?) {
        step(number) { $0.recorded.follow(settlement, to: goal) }
    }

    /// Whether an event must stay known although it is settled: it leads a datapoint that has to
    /// be sent again.
    mutating func hold(_ number: SequenceNumber, _ isHeld: Bool) {
        guard let entry = entries[number], entry.isHeld != isHeld else { return }
        entries[number]?.isHeld = isHeld
        if !isHeld, entry.progress.isAtRest {
            retention.offer(number, of: entry.event.key.identity)
        }
    }

    /// Changes an event, and counts it where it is now and no longer where it was.
    private mutating func step(_ number: SequenceNumber, _ body: (inout Entry) -> Void) {
        guard let before = entries[number]?.standing else { return }
        entries[number]?.change(body)
        guard let after = entries[number]?.standing,
            after.progress != before.progress || after.goal != before.goal
        else { return }
        count(before, -1)
        count(after, 1)
        if after.progress.isAtRest, !before.progress.isAtRest,
            entries[number]?.isForgettable == true
        {
            retention.offer(number, of: after.event.key.identity)
        }
    }

    private mutating func count(_ standing: Standing, _ step: Int) {
        let (event, goal) = (standing.event, standing.goal)
        switch standing.progress {
        case .uncommitted, .erasing, .pending:
            waiting.change(step * event.lineBytes, of: event.key.identity)
            if standing.progress == .erasing { erasingCount += step }
            if standing.progress == .pending { countPending(goal, step) }
        case .settled(.refused):
            refusedCount += step
            refused.change(step * event.lineBytes, of: goal)
        case .settled:
            if step > 0 { retention.add(event) } else { retention.remove(event) }
        }
    }

    private mutating func countPending(_ goal: GoalSlug, _ step: Int) {
        pendingCount += step
        let count = (pendingByGoal[goal] ?? 0) + step
        pendingByGoal[goal] = count == 0 ? nil : count
    }

    // MARK: Forgetting

    /// Whether more settled events are known than should be.
    var hasSurplus: Bool { retention.isOver }

    /// Forgets the settled event that is to go first. The parts of its datapoint must be forgotten
    /// with it: without them its sum could not be told any more.
    ///
    /// - Returns: which one it was; nil when none may go.
    mutating func forgetOne() -> SequenceNumber? {
        while let number = retention.next() {
            // It may have been undone since, and be open or offered again.
            guard let entry = entries[number], entry.isForgettable else { continue }
            forget(number)
            return number
        }
        return nil
    }

    /// Forgets a settled event.
    mutating func forget(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress.isAtRest else { return }
        retention.remove(entry.event)
        remove(entry)
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
