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
    /// The first event, which may be the cause of its failures, while another one is tried in its
    /// place: if that one arrives, it is; if that one fails, too, the goal is at fault, and keeps
    /// the order of its events.
    private(set) var suspect: SequenceNumber?
    /// Whether another event than the first is to be tried next.
    private var wantsAnother = false
    /// How often another event was tried.
    private var tries = 0
    /// The number of requests that carry one event each, since a batch did not settle all of its
    /// events.
    private var singly = 0
    /// Consecutive attempts that settled nothing.
    var failures = 0
    /// Whether the last attempt got no answer. All such goals share one request, so that they never
    /// take the place of a goal that is answered.
    var isSilent = false
    /// Whether the last answer was a request to wait.
    var isBusy = false
    /// When the request under way, or the last one, was started.
    var startedAt = Monotonic(milliseconds: .min)
    /// The time before which nothing is sent; for a held queue, the time of the next probe.
    var notBefore: Monotonic?
    /// Why this goal alone must wait for a person; nil when it need not.
    var trouble: Trouble?

    /// Why one goal's events are held while the account works.
    enum Trouble: Sendable, Equatable {
        /// Beeminder knows no such goal.
        case missing
        /// The token is refused for the goal, or another server answers for it.
        case barred
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
        let first = suspect ?? (aside.tried == nil ? waiting.first : nil)
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
        if triesAnother { return nil }
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
    private var triesAnother: Bool {
        wantsAnother && !waiting.isEmpty && waiting.count + aside.count > 1
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
        if let another = takeAnother() {
            suspect = first
            waiting.prepend([another])
            return [another]
        }
        guard singly == 0, waiting.count >= batchThreshold, var bytes = weigh(first) else {
            singly = max(0, singly - 1)
            return [first]
        }
        for number in waiting.prefix(DatapointBatch.maxCount).dropFirst() {
            guard let more = weigh(number), bytes + more <= GoalQueue.maxBytes else { break }
            bytes += more
            underWay += 1
        }
        return Array(waiting.prefix(underWay))
    }

    /// Takes another event than the first, if it is time to try one: each has its turn, also those
    /// that were set aside, and the newest one every other time. Many like the first may be next to
    /// it, such as those of one device.
    private mutating func takeAnother() -> SequenceNumber? {
        defer { wantsAnother = false }
        guard triesAnother else { return nil }
        defer { tries += 1 }
        let last = waiting.count - 1
        let others = last - 1 + aside.count
        if last > 0, tries % 2 == 0 || others == 0 { return waiting.remove(at: last) }
        let index = 1 + tries / 2 % max(1, others)
        return last > 0 && index < last ? waiting.remove(at: index) : aside.popFirst()
    }

    /// The first event has failed alone, or another one has come behind it.
    mutating func doubtFirst() {
        wantsAnother = failures >= GoalQueue.manyFailures
    }

    /// The number of failures in succession from which on the first event may be the cause.
    private static let manyFailures = 2

    /// The maximum size of the events of one request, in bytes.
    private static let maxBytes = 128 << 10

    /// The request under way was answered.
    ///
    /// - Parameters:
    ///   - gone: events that leave the queue now.
    ///   - refused: events that leave it when the record of the refusal is durable.
    ///   - aside: events that are set aside.
    mutating func finish(
        gone: Set<SequenceNumber>, refused: Set<SequenceNumber>, aside: Set<SequenceNumber> = []
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
        if let suspect, left.isEmpty, !hasFailedAgain, withdraw(suspect) {
            self.aside.add([suspect])
        }
        suspect = nil
        if sent.count > 1 { singly = left.count }
    }

    /// The request that was to begin does not, and these of its events leave the queue.
    mutating func drop(_ numbers: Set<SequenceNumber>) {
        let sent = Array(waiting.prefix(underWay))
        for _ in sent { waiting.popFirst() }
        underWay = 0
        aside.end(isSettled: false)
        suspect = nil
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
        wantsAnother = false
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
}
