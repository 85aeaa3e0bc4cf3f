/// All known events: pending, settled, or not durable yet.
struct Ledger: Sendable {
    /// A command of the user whose record is not durable yet.
    struct PendingCommand: Sendable, Equatable {
        enum Kind: Sendable {
            case undo, retry
        }

        /// The record of the command.
        var record: SequenceNumber
        var kind: Kind
    }

    struct Entry: Sendable {
        let number: SequenceNumber
        let event: Event
        fileprivate(set) var recorded: RecordedState
        fileprivate var isDurable = false
        /// The number of times the event was sent.
        fileprivate(set) var attempts = 0
        /// When the event was last sent; nil when that was not in this process.
        fileprivate(set) var lastAttempt: UnixTime?
        /// Why the last attempt failed.
        fileprivate(set) var lastError: String?
        /// Whether Beeminder may have received it, in this process or an earlier one.
        fileprivate(set) var mayBeThere = false
        /// Whether a request got no clear answer, or an earlier process may have sent one.
        fileprivate(set) var isDoubtful = false
        /// Whether its time was compared with the confirmed one, in this process.
        fileprivate var isTimeChecked = false
        /// Whether no guard keeps it from being sent, by a decision that is not durable yet.
        fileprivate(set) var isAdmitted = false
        /// What this process knows of it besides, if anything.
        fileprivate(set) var observed: Boxed<Observations>?
        /// The user's command for it; nil when there is none, or when it is durable.
        fileprivate(set) var command: PendingCommand?

        fileprivate init(_ event: Event, _ number: SequenceNumber) {
            self.number = number
            self.event = event
            recorded = RecordedState(event.part)
        }

        /// - Returns: whether the event was durable before.
        fileprivate mutating func setDurable() -> Bool {
            defer { isDurable = true }
            return isDurable
        }

        /// Its current goal.
        var goal: GoalSlug { recorded.goal ?? event.goal }
        /// Its value: the newest, if it is revised.
        var value: Double { recorded.value ?? event.value }
        /// Its time, as it is sent to Beeminder.
        var at: UnixTime { recorded.at ?? event.at }
        /// Whether its time must be repaired before it is sent.
        var awaitsTime: Bool { event.isTimeUnsure && recorded.at == nil }
        /// Whether its time must be checked once the time is confirmed.
        var awaitsTimeCheck: Bool {
            event.isClockUncompared && !isTimeChecked && progress == .pending
        }

        /// The press whose datapoint it is part of.
        var leader: SequenceNumber? {
            guard case .merged(let leader) = event.part, !recorded.isOnItsOwn else { return nil }
            return leader
        }

        var progress: EventProgress { isDurable ? recorded.progress : .uncommitted }

        /// The datapoint's id at Beeminder, if known.
        var datapoint: String? { recorded.datapoint }

        /// Whether Beeminder has confirmed that it has the datapoint.
        var hasArrived: Bool { recorded.hasArrived }

        var isRefused: Bool { progress == .refused }

        /// Whether the event is still to be sent or deleted.
        var isOpen: Bool { progress == .pending || progress == .erasing }

        /// Whether the event may be forgotten together with the parts of its datapoint.
        fileprivate var isForgettable: Bool {
            progress.isAtRest && command == nil && leader == nil
                && recorded.leaving.isEmpty
        }
    }

    private var entries = NumberedList<Entry>()
    /// The last event of each key. Devices choose the ids, and a dictionary's hashes have a seed of
    /// the process: nobody can make them collide.
    private var keys: [EventKey: SequenceNumber] = [:]
    private var retention: Retention
    /// The events in the order of the records that state them.
    private(set) var statements = StatementQueue()
    private(set) var pendingCount = 0
    /// The number of events to be sent to each goal, by the goal's name in the events.
    private(set) var pendingByGoal: [GoalSlug: Int] = [:]
    private(set) var refusedCount = 0
    /// The number of datapoints to be deleted.
    private(set) var erasingCount = 0
    /// The journal bytes of all events.
    private(set) var bytes = 0
    /// The journal bytes of unsettled events, by device.
    private(set) var waitingBytes: Shares<DeviceIdentity>
    /// The journal bytes of refused events, by goal: they stay until the user retries or undoes
    /// them.
    private(set) var refusedBytes: Shares<GoalSlug>

    /// - Parameters:
    ///   - retention: how many settled events stay known.
    ///   - capacity: the journal bytes that undelivered events may use.
    init(
        retention: Retention.Limits = Retention.Limits(), capacity: Int = RelayCore.heldBytes
    ) {
        self.retention = Retention(retention)
        waitingBytes = Shares(capacity: capacity)
        refusedBytes = Shares(capacity: capacity / 4)
    }

    /// The number of known events.
    var count: Int { entries.count }
    /// The number of those that are settled.
    var settledCount: Int { count - pendingCount - refusedCount - erasingCount }

    /// The events with a smaller number, the newest first.
    ///
    /// - Parameter end: nil for all events.
    func newestFirst(before end: SequenceNumber? = nil) -> some Sequence<Entry> {
        entries.newestFirst(before: end)
    }

    /// All events, in order.
    var all: some Sequence<Entry> { entries.all }

    subscript(_ number: SequenceNumber) -> Entry? { entries[number] }

    subscript(_ key: EventKey) -> Entry? { keys[key].flatMap { entries[$0] } }

    // MARK: Adding and withdrawing

    /// Adds all events from the journal.
    mutating func restore(_ recovered: Recovered) {
        entries.reserveCapacity(recovered.entries.count)
        keys.reserveCapacity(recovered.entries.count)
        let found = recovered.entries.span
        for index in found.indices { restore(found[index]) }
        statements.restore(recovered)
    }

    /// Adds an event from the journal.
    mutating func restore(_ found: Recovered.Entry) {
        var entry = Entry(found.event, found.number)
        entry.isDurable = true
        entry.recorded = found.recorded
        entry.mayBeThere =
            !entry.isRefused || found.event.isTotal || found.recorded.isRefusedInDoubt
        entry.isDoubtful = entry.mayBeThere
        entry.attempts = found.tried?.count ?? 0
        entry.lastError = found.recorded.isAtRest ? nil : found.tried?.why
        add(entry)
        let (progress, identity) = (entry.progress, found.event.key.identity)
        count(found.event, progress, at: entry.goal, 1)
        if progress.isWaiting { waitingBytes.change(found.event.lineBytes, of: identity) }
        if progress.isAtRest { offer(entry) }
    }

    mutating func add(_ event: Event, _ number: SequenceNumber) {
        add(Entry(event, number))
        waitingBytes.change(event.lineBytes, of: event.key.identity)
    }

    private mutating func add(_ entry: Entry) {
        let (event, number) = (entry.event, entry.number)
        entries.append(entry, number)
        keys[event.key] = number
        bytes += event.lineBytes
    }

    /// A new event is durable.
    ///
    /// - Returns: the event; nil when unknown.
    @discardableResult
    mutating func commit(_ number: SequenceNumber) -> Entry? {
        let wasDurable = entries[number]?.setDurable()
        guard let entry = entries[number] else { return nil }
        if wasDurable == false {
            statements.add(number, at: number)
            recount(entry, since: .uncommitted, at: entry.goal)
        }
        return entry
    }

    /// Removes an event that did not become durable.
    mutating func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        waitingBytes.change(-entry.event.lineBytes, of: entry.event.key.identity)
        remove(entry)
    }

    // MARK: Outcomes

    /// A request begins.
    ///
    /// - Parameter isDeletion: whether the request can only remove the event from a goal.
    mutating func recordAttempt(_ number: SequenceNumber, at now: UnixTime, isDeletion: Bool) {
        step(number) { entry in
            entry.attempts += 1
            entry.lastAttempt = now
            if !isDeletion { entry.mayBeThere = true }
        }
    }

    /// The time of an event was checked.
    mutating func recordTimeCheck(_ number: SequenceNumber) {
        entries[number]?.isTimeChecked = true
    }

    /// Changes what this process knows of an event besides its records.
    mutating func observe(_ number: SequenceNumber, _ change: (inout Observations) -> Void) {
        var observations = entries[number]?.observed?.value ?? Observations()
        change(&observations)
        entries[number]?.observed = observations == Observations() ? nil : Boxed(observations)
    }

    /// No guard keeps an event from being sent; the record of that is not durable yet.
    mutating func admit(_ number: SequenceNumber) { entries[number]?.isAdmitted = true }

    /// Beeminder refused it, and has nothing of what was sent before.
    mutating func recordRefusal(_ number: SequenceNumber) {
        entries[number]?.mayBeThere = false
        entries[number]?.isDoubtful = false
    }

    /// A request about an event was not answered, or not clearly.
    mutating func recordDoubt(_ number: SequenceNumber) { entries[number]?.isDoubtful = true }

    /// Counts an attempt that did not settle the event.
    ///
    /// - Returns: the number of attempts if it must be recorded, else nil. The number is recorded
    ///   when it has doubled, and at the first attempts when the reason has changed: this bounds
    ///   the records of each event, however long an outage lasts.
    mutating func recordFailure(_ number: SequenceNumber, _ reason: String) -> Int? {
        guard let entry = entries[number] else { return nil }
        entries[number]?.lastError = reason
        let isNew = entry.attempts < 16 && entry.lastError != reason
        return entry.attempts.nonzeroBitCount == 1 || isNew ? entry.attempts : nil
    }

    /// Sets the command for a requested event; nil removes one that was not written.
    mutating func set(_ command: PendingCommand?, of number: SequenceNumber) {
        entries[number]?.command = command
        if command == nil, let entry = entries[number] { offer(entry) }
    }

    /// Beeminder has the event; the record of that is not durable yet.
    mutating func anticipate(
        _ number: SequenceNumber, _ how: Delivered, _ datapoint: String?,
        through: SequenceNumber?
    ) {
        step(number) {
            if $0.isDurable { $0.recorded.anticipate(how, datapoint, through: through) }
        }
    }

    /// Applies a record about an event.
    mutating func apply(_ record: Record) {
        guard let number = record.of else { return }
        let before = entries[number]
        step(number) { if $0.isDurable { $0.recorded.apply(record.fact, record.number) } }
        switch record.fact {
        case .retry:
            set(nil, of: number)
            retry(number, before)
        case .undo, .undone, .leftOut: set(nil, of: number)
        case .evaluated: entries[number]?.isAdmitted = false
        case .revise: observe(number) { $0.listing = nil }
        case .cleared: if let entry = entries[number] { offer(entry) }
        default: break
        }
    }

    /// Sends an event again. A new goal has no datapoint of it, unless it was there before.
    private mutating func retry(_ number: SequenceNumber, _ before: Entry?) {
        entries[number]?.lastError = nil
        observe(number) { ($0.listing, $0.restEnd) = (nil, nil) }
        guard let before, let goal = entries[number]?.goal, goal != before.goal else { return }
        let wasThere = !before.recorded.leaving.isEmpty
        entries[number]?.mayBeThere = wasThere
        entries[number]?.isDoubtful = wasThere
    }

    /// Offers a settled event to be forgotten.
    private mutating func offer(_ entry: Entry) {
        if entry.isForgettable { retention.offer(entry.number, of: entry.event.key.identity) }
    }

    /// Gives a part of a merged datapoint the same outcome as its leader.
    mutating func follow(_ number: SequenceNumber, _ settlement: Settlement?, to goal: GoalSlug?) {
        step(number) { $0.recorded.follow(settlement, to: goal) }
    }

    /// Changes an event and updates the counters.
    private mutating func step(_ number: SequenceNumber, _ body: (inout Entry) -> Void) {
        guard let before = entries[number] else { return }
        var entry = before
        body(&entry)
        entries[number] = entry
        recount(entry, since: before.progress, at: before.goal)
    }

    /// Updates the counters after an event has changed.
    ///
    /// - Parameters:
    ///   - before: its progress before.
    ///   - goal: its goal before.
    private mutating func recount(_ entry: Entry, since before: EventProgress, at goal: GoalSlug) {
        let (progress, event) = (entry.progress, entry.event)
        guard progress != before || entry.goal != goal else { return }
        count(event, before, at: goal, -1)
        count(event, progress, at: entry.goal, 1)
        if progress.isWaiting != before.isWaiting {
            let bytes = progress.isWaiting ? event.lineBytes : -event.lineBytes
            waitingBytes.change(bytes, of: event.key.identity)
        }
        if progress.isAtRest, !before.isAtRest { offer(entry) }
    }

    private mutating func count(
        _ event: Event, _ progress: EventProgress, at goal: GoalSlug, _ step: Int
    ) {
        switch progress {
        case .uncommitted: break
        case .erasing: erasingCount += step
        case .pending: countPending(goal, step)
        case .refused:
            refusedCount += step
            refusedBytes.change(step * event.lineBytes, of: goal)
        case .delivered, .undone, .guarded, .merged: retention.count(event, step)
        }
    }

    private mutating func countPending(_ goal: GoalSlug, _ step: Int) {
        pendingCount += step
        pendingByGoal[goal, default: 0] += step
        if step < 0, pendingByGoal[goal] == 0 { pendingByGoal[goal] = nil }
    }

    // MARK: Forgetting

    /// Whether more settled events are known than the limit allows.
    var hasSurplus: Bool { retention.isOver }

    /// Forgets the settled event that is next to go, together with the parts of its datapoint:
    /// without them its sum could not be computed.
    ///
    /// - Parameter changes: whether a datapoint has changes that are not sent: it stays known.
    /// - Returns: its number; nil when none may be forgotten now.
    mutating func forgetOne(unless changes: (Entry) -> Bool) -> SequenceNumber? {
        // The event may have been undone since it was offered, and be open or offered again.
        while let number = retention.next() {
            if forgetLeader(number, unless: changes) { return number }
            guard let entry = entries[number], entry.isForgettable else { continue }
            // Another one is next to go, in the next turn.
            offer(entry)
            return nil
        }
        return nil
    }

    /// Forgets a settled event, unless it is part of another one's datapoint.
    ///
    /// - Returns: whether the event is forgotten.
    mutating func forgetLeader(_ number: SequenceNumber, unless changes: (Entry) -> Bool) -> Bool {
        guard let entry = entries[number], entry.isForgettable, !changes(entry) else {
            return false
        }
        forget(number)
        return true
    }

    /// Forgets a settled event.
    mutating func forget(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress.isAtRest else { return }
        retention.count(entry.event, -1)
        remove(entry)
    }

    /// Forgets all events, of which none is to be sent.
    mutating func forgetAll() {
        for number in entries.all.map(\.number) { forget(number) }
    }

    // MARK: Statements

    /// An event as a carried line states it; nil when unknown.
    func statement(of number: SequenceNumber) -> Recovered.Entry? {
        guard let entry = entries[number] else { return nil }
        return Recovered.Entry(
            number: number, event: entry.event, recorded: entry.recorded,
            tried: entry.lastError.map { Recovered.Attempts(count: entry.attempts, why: $0) },
            statedAt: number)
    }

    /// The next event that is stated before that record, and is to be stated again.
    ///
    /// - Parameter changing: the events about which a record is not durable yet.
    mutating func nextToState(
        before end: SequenceNumber, changing: Set<SequenceNumber>
    ) -> SequenceNumber? {
        let known = entries
        return statements.next(before: end, changing: changing) { known[$0] != nil }
    }

    /// Changes what is known of the statements.
    mutating func changeStatements(_ body: (inout StatementQueue) -> Void) { body(&statements) }

    private mutating func remove(_ entry: Entry) {
        let key = entry.event.key
        // A later event may have used its id again.
        if keys[key] == entry.number { keys[key] = nil }
        entries.remove(entry.number)
        bytes -= entry.event.lineBytes
    }
}
