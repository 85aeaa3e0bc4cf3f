/// All known events: pending, settled, or not durable yet.
final class Ledger {
    /// An object: an event is read in many places of a turn, and to copy one counts a dozen
    /// references. Only the ledger changes what its counts follow.
    final class Entry {
        let number: SequenceNumber
        let event: Event
        fileprivate(set) var recorded: RecordedState
        fileprivate var isDurable = false
        /// The number of times the event was sent, in this process.
        fileprivate(set) var attempts = 0
        /// When the event was last sent; nil when that was not in this process.
        fileprivate(set) var lastAttempt: UnixTime?
        /// Why the last attempt failed.
        var lastError: String?
        /// Whether Beeminder may have received it, in this process or an earlier one.
        var mayBeThere = false
        /// Whether a request got no clear answer, or an earlier process may have sent one.
        var isDoubtful = false
        /// Whether its time was compared with the confirmed one, in this process.
        var isTimeChecked = false
        /// Whether no guard keeps it from being sent, by a decision that is not durable yet.
        var isAdmitted = false
        /// Knowledge of this process that is in no record; nil for none.
        private(set) var observed: Boxed<Observations>?
        /// The other presses of its datapoint that were not undone, in order. Some may not be
        /// durable yet.
        private(set) var parts: [SequenceNumber] = []
        /// The last record that removed a press from its datapoint; 0 for none.
        var lastRemoval = SequenceNumber(0)
        /// The goal in whose queue it was put last, by the name of the queue; nil while it is in none.
        var queue: GoalSlug?
        /// The event before it in its bucket.
        fileprivate var earlier: Entry?
        /// The record that states it whole.
        fileprivate(set) var statedAt: SequenceNumber

        fileprivate init(_ event: Event, _ number: SequenceNumber) {
            self.number = number
            self.event = event
            statedAt = number
            recorded = RecordedState(event.part)
        }

        /// The same, empty for none.
        var observations: Observations {
            get { observed?.value ?? Observations() }
            set { observed = newValue == Observations() ? nil : Boxed(newValue) }
        }

        /// Its current goal.
        var goal: GoalSlug { recorded.goal ?? event.goal }
        /// Its value: the newest, if it is revised.
        var value: Double { recorded.value ?? event.value }
        /// Its time, as it is sent to Beeminder.
        var at: UnixTime { recorded.at ?? event.at }
        /// Whether its time must be repaired before it is sent.
        var awaitsTime: Bool { event.arrival.isClockUnset && recorded.at == nil }
        /// Whether its time must be checked once the time is confirmed.
        var awaitsTimeCheck: Bool {
            event.arrival.isClockUncompared && !isTimeChecked && progress == .pending
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

        /// Changes the list whole: see `RelayCore`.
        fileprivate func changeParts(_ body: (inout [SequenceNumber]) -> Void) {
            var changed = parts
            parts = []  // Else it is copied.
            body(&changed)
            parts = changed
        }

        /// A request begins.
        ///
        /// - Parameter isDeletion: whether it can only remove the event from a goal.
        func recordAttempt(at now: UnixTime, isDeletion: Bool) {
            attempts += 1
            lastAttempt = now
            if !isDeletion { mayBeThere = true }
        }
    }

    /// How much is known of what is settled.
    struct Limits: Sendable, Equatable {
        /// The number of settled events that stay known, so that a repeated press is recognized.
        /// Refused ones are not limited: they stay until the user retries or undoes them.
        static let events = 100_000

        /// The maximum number of events.
        var events = Limits.events
        /// The maximum bytes of their lines in the journal, so that long comments do not fill the
        /// memory.
        var bytes = 48 << 20
    }

    private var entries = NumberedList<Entry>()
    /// A hash table of the events by their keys: the last event of each bucket; `Entry.earlier` leads
    /// to those before it. A dictionary has four times the size, and the program spent a tenth of its
    /// own time for a press in one, waiting for memory. Devices choose the ids, and a hash has a seed
    /// of the process: nobody can make them collide.
    private var buckets: [Entry?] = Array(repeating: nil, count: 2_048)
    private let hashMask: Int

    /// As many as events stay known; of more a bucket has two or three. To fill new buckets takes a
    /// look at each event, during which a press waits.
    private static let maxBuckets = 131_072
    private let limits: Limits
    /// Every known event is stated in this record or in a later one, as far as that was looked at.
    private(set) var statedFrom = SequenceNumber(1)
    private var carrying = Carrying()
    /// The number of events to be sent to each goal, by the goal's name in the events.
    private(set) var pendingByGoal = ShortDictionary<GoalSlug, Int>()
    private(set) var refusedCount = 0
    /// The number of datapoints to be deleted.
    private(set) var erasingCount = 0
    /// The number of settled events.
    private(set) var settledCount = 0
    /// The journal bytes of settled events, by device.
    private let settledBytes: Shares<DeviceIdentity>
    private var passes = ShortDictionary<DeviceIdentity, Pass>()
    /// The journal bytes of unsettled events, by device.
    let waitingBytes: Shares<DeviceIdentity>
    /// The journal bytes of refused events, by goal: they stay until the user retries or undoes
    /// them.
    let refusedBytes: Shares<GoalSlug>

    /// - Parameter hashMask: the bits of a key's hash that count; 0 lets all keys have the same one.
    init(
        retention: Limits = Limits(), capacity: Int = RelayCore.heldBytes,
        hashMask: Int = ~0
    ) {
        (limits, self.hashMask) = (retention, hashMask)
        waitingBytes = Shares(capacity: capacity)
        refusedBytes = Shares(capacity: capacity / 4)
        settledBytes = Shares(capacity: retention.bytes)
    }

    /// The number of known events.
    var count: Int { entries.count }
    /// The journal bytes of all events.
    var bytes: Int { waitingBytes.total + refusedBytes.total + settledBytes.total }
    /// The number of events that are to be sent.
    var pendingCount: Int { pendingByGoal.values.reduce(0, +) }

    /// The events with a smaller number, the newest first.
    ///
    /// - Parameter end: nil for all events.
    func newestFirst(before end: SequenceNumber? = nil) -> some Sequence<Entry> {
        entries.newestFirst(before: end)
    }

    /// All events, in order.
    var all: some Sequence<Entry> { entries.all }

    subscript(_ number: SequenceNumber) -> Entry? { entries[number] }

    /// The last event with this key.
    subscript(_ key: EventKey) -> Entry? {
        var entry = buckets[bucket(of: key)]
        while let other = entry, other.event.key != key { entry = other.earlier }
        return entry
    }

    private func bucket(of key: EventKey) -> Int { key.hashValue & hashMask & (buckets.count - 1) }

    // MARK: Adding and withdrawing

    /// Adds all events from the journal.
    func restore(_ recovered: Recovered) {
        changeEntries { $0.reserveCapacity(recovered.entries.count) }
        let found = recovered.entries.span
        statedFrom = recovered.next
        for index in found.indices { restore(found[index]) }
    }

    /// Adds an event from the journal.
    func restore(_ found: Recovered.Entry) {
        let entry = Entry(found.event, found.number)
        entry.isDurable = true
        entry.statedAt = found.statedAt
        statedFrom = min(statedFrom, found.statedAt)
        entry.recorded = found.recorded
        entry.mayBeThere =
            !entry.isRefused || found.event.isTotal || found.recorded.isRefusedInDoubt
        entry.isDoubtful = entry.mayBeThere
        add(entry)
        guard let leader = entry.leader else { return }
        if entry.progress == .undone {
            removePart(entry.number, of: leader, by: entry.recorded.last)
        }
        if let record = entries[leader]?.recorded.leftOut { recordRemoval(leader, by: record) }
    }

    func add(_ event: Event, _ number: SequenceNumber) { add(Entry(event, number)) }

    /// Changes the list whole: see `RelayCore`.
    private func changeEntries(_ body: (inout NumberedList<Entry>) -> Void) {
        var changed = entries
        entries = NumberedList()  // Else it is copied.
        body(&changed)
        entries = changed
    }

    private func add(_ entry: Entry) {
        if let leader = entry.leader { entries[leader]?.changeParts { $0.append(entry.number) } }
        if entries.count >= buckets.count, buckets.count < Ledger.maxBuckets {
            buckets = Array(repeating: nil, count: 8 * buckets.count)
            for entry in all { putIntoBucket(entry) }
        }
        putIntoBucket(entry)
        count(entry.event, entry.progress, entry.goal, 1)
        changeEntries { $0.append(entry, entry.number) }
    }

    private func putIntoBucket(_ entry: Entry) {
        // Moved: to count references to an old event takes as long as all else here.
        var other: Entry? = entry
        swap(&other, &buckets[bucket(of: entry.event.key)])
        entry.earlier = consume other
    }

    /// A new event is durable.
    @discardableResult
    func markDurable(_ number: SequenceNumber) -> Entry? {
        guard let entry = entries[number] else { return nil }
        change(entry) { $0.isDurable = true }
        return entry
    }

    /// Removes an event that did not become durable.
    func withdraw(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress == .uncommitted else { return }
        if let leader = entry.leader { removePart(number, of: leader) }
        remove(entry)
    }

    // MARK: Outcomes

    /// Beeminder has the event; the record of that is not durable yet.
    func anticipate(
        _ number: SequenceNumber, _ how: Delivered, _ datapoint: String?,
        through: SequenceNumber?
    ) {
        record(number) { $0.anticipate(how, datapoint, through: through) }
    }

    /// Applies a record about an event.
    func apply(_ record: Record) {
        guard let number = record.of, let entry = entries[number] else { return }
        let (goal, wasElsewhere) = (entry.goal, !entry.recorded.leaving.isEmpty)
        self.record(number) { $0.apply(record.fact, record.number) }
        switch record.fact {
        case .retry:
            entry.lastError = nil
            (entry.observations.listing, entry.observations.restEnd) = (nil, nil)
            // A new goal has no datapoint of it, unless it was there before.
            if entry.goal != goal {
                (entry.mayBeThere, entry.isDoubtful) = (wasElsewhere, wasElsewhere)
            }
        case .evaluated: entry.isAdmitted = false
        case .revise: entry.observations.listing = nil
        default: break
        }
    }

    /// A press counts in the datapoint of another one no more.
    ///
    /// - Parameter record: the record that says so; nil if the press was not durable.
    func removePart(
        _ part: SequenceNumber, of leader: SequenceNumber, by record: SequenceNumber? = nil
    ) {
        guard let entry = entries[leader], let index = entry.parts.position(of: part) else {
            return
        }
        entry.changeParts { $0.remove(at: index) }
        if let record { recordRemoval(leader, by: record) }
    }

    /// A record has removed a press from the datapoint.
    func recordRemoval(_ leader: SequenceNumber, by record: SequenceNumber) {
        if let entry = entries[leader] { entry.lastRemoval = max(entry.lastRemoval, record) }
    }

    /// Gives a part of a merged datapoint the same outcome as its leader.
    func follow(_ number: SequenceNumber, _ settlement: Settlement?, to goal: GoalSlug?) {
        record(number) { $0.follow(settlement, to: goal) }
    }

    /// Changes the recorded state of a durable event.
    private func record(_ number: SequenceNumber, _ body: (inout RecordedState) -> Void) {
        guard let entry = entries[number], entry.isDurable else { return }
        change(entry) { entry in
            var recorded = entry.recorded
            body(&recorded)
            entry.recorded = recorded
        }
    }

    /// Changes the progress or the goal of an event.
    private func change(_ entry: Entry, _ body: (Entry) -> Void) {
        let (progress, goal) = (entry.progress, entry.goal)
        body(entry)
        guard entry.progress != progress || entry.goal != goal else { return }
        let stays = progress.isWaiting && entry.progress.isWaiting
        count(entry.event, progress, goal, -1, besidesBytes: stays)
        count(entry.event, entry.progress, entry.goal, 1, besidesBytes: stays)
    }

    private func count(
        _ event: Event, _ progress: EventProgress, _ goal: GoalSlug, _ step: Int,
        besidesBytes: Bool = false
    ) {
        let bytes = besidesBytes ? 0 : step * event.lineBytes
        if progress.isWaiting, bytes != 0 { waitingBytes.change(bytes, of: event.key.identity) }
        switch progress {
        case .uncommitted: break
        case .erasing: erasingCount += step
        case .pending:
            let pending = (pendingByGoal[goal] ?? 0) + step
            pendingByGoal[goal] = pending == 0 ? nil : pending
        case .refused:
            refusedCount += step
            refusedBytes.change(bytes, of: goal)
        case .delivered, .undone, .guarded, .merged:
            settledCount += step
            if bytes != 0 { settledBytes.change(bytes, of: event.key.identity) }
        }
    }

    // MARK: Forgetting

    /// How far the events of a device were looked at for some to forget.
    private struct Pass {
        /// The last event that was looked at.
        var last = SequenceNumber(0)
        var hasForgotten = false
    }

    /// Whether an event may be forgotten together with the parts of its datapoint. A part that was
    /// undone is none of them any more, and goes when its leader is gone.
    private func isForgettable(_ entry: Entry) -> Bool {
        entry.progress.isAtRest && entry.recorded.leaving.isEmpty && !entry.hasUnsentRemoval
            && (entry.leader.map { entries[$0] == nil } ?? true)
    }

    /// Whether settled events must be forgotten.
    var hasSurplus: Bool { settledCount > limits.events || settledBytes.total > limits.bytes }

    /// The events that are looked at in one turn, at most: a press waits for it.
    static let maxLooks = 2_000
    /// To forget an event takes as long as to look at so many.
    private static let looksToForget = 10
    /// The events of one device that are forgotten before another one may have most.
    private static let forgottenAtOnce = 20

    /// Forgets settled events beyond the limits, always whole datapoints: without its parts the sum
    /// of one could not be computed. The device that has most of them loses its oldest ones: one that
    /// logs a lot must not make the relay forget the presses of others.
    ///
    /// - Parameter changing: events that must stay known for what is being recorded of them.
    /// - Returns: whether more events are to be looked at.
    @discardableResult
    func forgetSurplus(besides changing: Set<SequenceNumber>) -> Bool {
        var looks = Ledger.maxLooks
        while hasSurplus, looks > 0 {
            let newest = entries.last?.number ?? SequenceNumber(0)
            let device = settledBytes.greatest { passes[$0].map { $0.last < newest } ?? true }
            guard let device else {
                // Each device's were looked at in vain. Some may have settled meanwhile.
                passes = ShortDictionary()
                return false
            }
            var pass = passes[device] ?? Pass()
            // Some at once: to find the device takes a look at all of them.
            for _ in 0..<Ledger.forgottenAtOnce where hasSurplus {
                guard let number = nextToForget(of: device, besides: changing, &pass, &looks)
                else { break }
                forget(number)
                pass.hasForgotten = true
                looks -= Ledger.looksToForget
            }
            if pass.last >= newest, pass.hasForgotten { pass = Pass() }
            passes[device] = pass
        }
        return hasSurplus
    }

    /// The next event of a device that may be forgotten, or the one whose datapoint it is part of.
    private func nextToForget(
        of device: DeviceIdentity, besides changing: Set<SequenceNumber>, _ pass: inout Pass,
        _ looks: inout Int
    ) -> SequenceNumber? {
        for entry in entries.all(after: pass.last) {
            guard looks > 0 else { return nil }
            looks -= 1
            pass.last = entry.number
            guard entry.event.key.identity == device else { continue }
            let leader = entry.leader.flatMap { entries[$0] } ?? entry
            if isForgettable(leader), !changing.contains(leader.number) { return leader.number }
        }
        return nil
    }

    /// Forgets a settled event, unless it is part of another one's datapoint.
    func forgetLeader(_ number: SequenceNumber) -> Bool {
        guard entries[number].map(isForgettable) == true else { return false }
        forget(number)
        return true
    }

    /// Forgets a settled event with the parts of its datapoint.
    private func forget(_ number: SequenceNumber) {
        guard let entry = entries[number], entry.progress.isAtRest else { return }
        remove(entry)
        for part in entry.parts { forget(part) }
    }

    /// Forgets all events, of which none is to be sent.
    func forgetAll() {
        for number in entries.all.map(\.number) { forget(number) }
    }

    // MARK: Statements

    /// The statement of all events again that are stated before a record, so that the segment of the
    /// journal with their earlier statements can be retired.
    private struct Carrying: Sendable {
        var before = SequenceNumber(0)
        /// All up to this event are stated behind that record, or are about to be.
        var through = SequenceNumber(0)
        /// How many of those statements are not durable yet.
        var open = 0
    }

    /// Whether records that state something again are not durable yet.
    var isCarrying: Bool { carrying.open > 0 }

    /// The next event that is stated before that record, and is to be stated again or forgotten;
    /// nil when there is none now.
    ///
    /// - Parameters:
    ///   - changing: events that cannot be stated now: their newest record would stand before the
    ///     statement, and could be retired without it.
    ///   - looks: how many events may still be looked at.
    func nextToState(
        before end: SequenceNumber, changing: Set<SequenceNumber>, _ looks: inout Int
    ) -> SequenceNumber? {
        if carrying.before != end { carrying = Carrying(before: end) }
        for entry in entries.all(after: carrying.through) {
            if entry.number >= end { break }  // It and all behind it are stated later.
            guard looks > 0 else { return nil }
            looks -= 1
            carrying.through = entry.number
            if entry.statedAt >= end { continue }
            carrying.through = SequenceNumber(entry.number.value - 1)
            return entry.isDurable && !changing.contains(entry.number) ? entry.number : nil
        }
        carrying.through = max(carrying.through, end)
        endCarrying()
        return nil
    }

    /// An event as a carried line states it, which is to be written; nil when unknown.
    func state(_ number: SequenceNumber) -> Recovered.Entry? {
        guard let entry = entries[number] else { return nil }
        carrying.through = number
        carrying.open += 1
        return Recovered.Entry(
            number: number, event: entry.event, recorded: entry.recorded,
            statedAt: number)
    }

    /// The record is durable that states the event again.
    func markStated(_ number: SequenceNumber, at record: SequenceNumber) {
        entries[number]?.statedAt = record
        carrying.open -= 1
        endCarrying()
    }

    private func endCarrying() {
        if carrying.open == 0, carrying.through >= carrying.before {
            statedFrom = max(statedFrom, carrying.before)
        }
    }

    /// There was no free space for what was to be stated again.
    func stopCarrying() { carrying = Carrying() }

    private func remove(_ entry: Entry) {
        removeFromBucket(entry)
        changeEntries { $0.remove(entry.number) }
        count(entry.event, entry.progress, entry.goal, -1)
    }

    private func removeFromBucket(_ entry: Entry) {
        let bucket = bucket(of: entry.event.key)
        var later = buckets[bucket]
        guard later !== entry else {
            buckets[bucket] = entry.earlier
            return
        }
        while let other = later, other.earlier !== entry { later = other.earlier }
        later?.earlier = entry.earlier
    }
}
