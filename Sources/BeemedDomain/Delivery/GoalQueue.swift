/// The queue of one goal: in the order of acceptance, one request at a time.
struct GoalQueue: Sendable {
    /// Events to be sent or deleted, the ones under way first.
    private(set) var waiting = Queue<SequenceNumber>()
    /// How many of them are under way.
    private(set) var underWay = 0
    /// Refused events whose records are not durable yet. The next events wait for these records, or
    /// a crash could let them overtake.
    private(set) var settling: [SequenceNumber] = []
    /// Events that have failed, and hold up no others.
    var aside = FailedEvents()
    private(set) var search = CauseSearch()
    private var batches = BatchTrust()
    /// Consecutive attempts that settled nothing.
    var failures = 0
    /// Whether the last attempt got no answer. All such goals share one request, so that they never
    /// take the place of a goal that is answered.
    var isSilent = false
    /// Whether the last answer was a request to wait.
    var isBusy = false
    /// Whether the first event may be the cause of its failures if an answer for the user comes.
    var isDoubted = false
    /// Whether the request under way counts as one of a silent goal.
    var isProbe = false
    /// When the request under way, or the last one, was started.
    var startedAt = Monotonic(milliseconds: .min)
    /// The time before which nothing is sent; for a held queue, the time of the next probe.
    var notBefore: Monotonic?
    /// Why this goal alone must wait for a person; nil when it need not.
    var trouble: Trouble?
    /// The connection under which the request under way was sent.
    var connection = 0

    /// Why one goal's events are held while the account works.
    enum Trouble: Sendable, Equatable {
        /// Beeminder knows no such goal.
        case missing
        /// The token is refused for the goal.
        case unauthorized
        /// A server other than Beeminder answers for the goal.
        case misdirected
    }

    /// Whether the goal waits for a person and is only probed from time to time.
    var isHeld: Bool { trouble != nil }

    var isIdle: Bool {
        underWay == 0 && settling.isEmpty && !(waiting.isEmpty && aside.isEmpty)
    }
    var isEmpty: Bool { waiting.isEmpty && settling.isEmpty && aside.isEmpty }
    /// Whether something waits besides what is set aside.
    var hasWaiting: Bool { !waiting.isEmpty || !settling.isEmpty }
    /// The number of waiting events, including those under way.
    var count: Int { waiting.count + settling.count + aside.count }
    /// The number of the oldest event to be sent.
    var oldest: SequenceNumber? {
        [waiting.first, aside.numbers.min()].compactMap { $0 }.min()
    }

    /// The first event, once it has failed often enough to tell a person, if no other reason to
    /// wait is told.
    var reportedFirst: [SequenceNumber] {
        let first = search.suspect ?? (aside.tried == nil ? waiting.first : nil)
        guard failures >= FailedEvents.manyFailures, !isHeld, let first else { return [] }
        return [first]
    }

    /// Events to be sent, those set aside first, this many at most.
    func prefix(_ most: Int) -> [SequenceNumber] {
        let failed = Array(aside.numbers.prefix(most))
        return failed + waiting.prefix(most - failed.count)
    }

    /// When the next request may start, by its own delays.
    var dueAt: Monotonic? {
        if isSearchDue { return nil }
        guard waiting.isEmpty, let until = aside.until else { return notBefore }
        return max(until, notBefore ?? until)
    }

    func isUnderWay(_ number: SequenceNumber) -> Bool {
        underWay > 0 && number <= waiting[underWay - 1]
            && waiting.prefix(underWay).contains(number)
    }

    /// Inserts an event by number, behind those under way. A refused event may be added only after
    /// the record of its refusal is durable, if the user retries it.
    mutating func add(_ number: SequenceNumber) {
        if isUnderWay(number) || settling.contains(number) || aside.contains(number) { return }
        var index = waiting.count
        while index > underWay, waiting[index - 1] > number { index -= 1 }
        if index > 0, waiting[index - 1] == number { return }
        if index == waiting.count {
            waiting.append(number)
        } else {
            waiting.insert(number, at: index)
        }
        if waiting.count == 2, !isBusy, trouble != .missing { doubtFirst() }
    }

    /// Whether another event than the first is tried next.
    private var isSearchDue: Bool {
        search.isDue && waiting.count + (waiting.isEmpty ? 0 : aside.count) > 1
    }

    /// Removes an event.
    ///
    /// - Returns: false when the event is missing, or under way.
    mutating func withdraw(_ number: SequenceNumber) -> Bool {
        if aside.remove(number) { return true }
        guard let index = index(of: number) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Whether the queue has an event that is not under way.
    func canWithdraw(_ number: SequenceNumber) -> Bool {
        aside.contains(number) || index(of: number) != nil
    }

    /// The position in `waiting` of an event that is not under way.
    private func index(of number: SequenceNumber) -> Int? {
        let index = (underWay..<waiting.count).partitioningIndex { waiting[$0] >= number }
        return index < waiting.count && waiting[index] == number ? index : nil
    }

    /// The events of the next request; they count as under way from here on.
    ///
    /// - Parameter weigh: an event's bytes in a request, or nil if it must be sent alone.
    mutating func start(
        batchThreshold: Int, weigh: (SequenceNumber) -> Int?
    ) -> [SequenceNumber] {
        if waiting.isEmpty, let number = aside.popFirst() { waiting.prepend([number]) }
        guard let first = waiting.first else { return [] }
        underWay = 1
        // An event set aside would never be tried behind events that always fail.
        if isSearchDue, waiting.count == 1 || search.isTurnOfAside,
            let number = aside.popFirst()
        {
            search.begin(besides: first)
            waiting.prepend([number])
            return [number]
        }
        if let another = search.takeAnother(from: &waiting) {
            waiting.prepend([another])
            return [another]
        }
        guard batches.allowsBatch, waiting.count >= batchThreshold, var bytes = weigh(first) else {
            batches.recordSingle()
            return [first]
        }
        for number in waiting.prefix(DatapointBatch.maxCount).dropFirst() {
            guard let more = weigh(number), bytes + more <= GoalQueue.maxBytes else { break }
            bytes += more
            underWay += 1
        }
        return Array(waiting.prefix(underWay))
    }

    /// The first event has failed alone, or another one has come behind it.
    mutating func doubtFirst() {
        search.plan(failures: failures, count: waiting.count + aside.count)
    }

    /// The maximum size of the events of one request, in bytes.
    private static let maxBytes = 128 << 10

    /// The request under way was answered.
    ///
    /// - Parameters:
    ///   - gone: events that leave the queue now.
    ///   - refused: events that leave it when the record of the refusal is durable.
    ///   - aside: events that are set aside.
    ///   - isWhole: whether the whole request had the same outcome.
    mutating func finish(
        gone: Set<SequenceNumber>, refused: Set<SequenceNumber>, aside: Set<SequenceNumber> = [],
        isWhole: Bool
    ) {
        let sent = Array(waiting.prefix(underWay))
        for _ in sent { waiting.popFirst() }
        underWay = 0
        settling += sent.filter(refused.contains)
        let hasFailedAgain = self.aside.tried != nil && !aside.isEmpty
        self.aside.end(isSettled: !gone.isEmpty || !refused.isEmpty)
        self.aside.add(sent.filter(aside.contains))
        let left = sent.filter {
            !gone.contains($0) && !refused.contains($0) && !aside.contains($0)
        }
        putBack(left)
        if let cause = search.end(isSettled: left.isEmpty && !hasFailedAgain), withdraw(cause) {
            self.aside.add([cause])
        }
        batches.note(sent: sent.count, left: left.count, isWhole: isWhole)
    }

    /// The request that was to begin does not, and these of its events leave the queue.
    mutating func drop(_ numbers: Set<SequenceNumber>) {
        let sent = Array(waiting.prefix(underWay))
        for _ in sent { waiting.popFirst() }
        underWay = 0
        aside.end(isSettled: false)
        _ = search.end(isSettled: false)
        putBack(sent.filter { !numbers.contains($0) })
    }

    /// Events that were under way wait again. Older events that arrived meanwhile are behind them
    /// and must be sorted before or between them.
    private mutating func putBack(_ left: [SequenceNumber]) {
        guard let last = left.last else { return }
        var first = left
        while let next = waiting.first, next < last {
            first.append(next)
            waiting.popFirst()
        }
        waiting.prepend(first.sorted())
    }

    /// The record of an event's refusal is durable.
    mutating func release(_ number: SequenceNumber) {
        settling.removeAll { $0 == number }
    }

    /// Beeminder has settled an event of this goal, so the goal works.
    mutating func succeed() {
        failures = 0
        search.cancel()
        isDoubted = false
        isSilent = false
        isBusy = false
        notBefore = nil
        trouble = nil
    }

    /// Ends its delays.
    mutating func hasten() {
        notBefore = nil
        aside.hasten()
    }

    /// Adds all events of another queue that has no request under way.
    mutating func merge(_ other: GoalQueue) {
        precondition(other.underWay == 0)
        settling += other.settling
        aside.add(other.aside.numbers)
        for number in other.waiting.prefix(other.waiting.count) { add(number) }
        trouble = nil
        notBefore = nil
        search.cancel()
        isDoubted = false
    }
}
