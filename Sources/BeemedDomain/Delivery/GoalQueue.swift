/// The queue of one goal: in the order of acceptance, one request at a time.
///
/// Events whose requests have failed, perhaps because of the events themselves, are set aside: what
/// Beeminder answers only with a fault, and datapoints that could not be deleted or changed. They
/// need no order towards others, and hold up none: they are tried again, one by one, when nothing
/// else waits.
final class GoalQueue {
    /// Events to be sent or deleted: the ones under way, the others by number, and those that were
    /// set aside, in the order in which they are tried.
    private(set) var waiting = Queue<SequenceNumber>()
    /// How many of them are under way.
    private(set) var underWay = 0
    /// Refused events whose records are not durable yet. The next events wait for these records, or
    /// a crash could let them overtake.
    private(set) var settling: [SequenceNumber] = []
    /// How many of the waiting ones are set aside, without the one that is being tried.
    private(set) var asideCount = 0
    /// The one of them that is being tried.
    private(set) var tried: SequenceNumber?
    /// The time before which none of them is tried.
    private var asideUntil: Monotonic?
    /// Consecutive attempts that settled none of them, those within one delay counted once.
    private var asideFailures = 0
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
        underWay == 0 && settling.isEmpty && !waiting.isEmpty
    }
    var isEmpty: Bool { waiting.isEmpty && settling.isEmpty }
    /// How many wait in order, and those under way.
    var ordered: Int { waiting.count - asideCount }
    /// Whether something waits besides what is set aside.
    var hasWaiting: Bool { ordered > 0 || !settling.isEmpty }
    /// The number of waiting events, including those under way.
    var count: Int { waiting.count + settling.count }
    var setAside: ArraySlice<SequenceNumber> { waiting.prefix(waiting.count).dropFirst(ordered) }
    /// The number of the oldest event to be sent.
    var oldest: SequenceNumber? { (waiting.prefix(min(1, ordered)) + setAside).min() }

    /// Events that are set aside, once they were tried often enough to tell a person.
    var reportedAside: [SequenceNumber] {
        asideFailures < GoalQueue.reportedFailures ? [] : setAside + (tried.map { [$0] } ?? [])
    }

    /// The first event, once it has failed often enough to tell a person, if no other reason to
    /// wait is told.
    var reportedFirst: [SequenceNumber] {
        let first = suspect ?? (tried == nil && ordered > 0 ? waiting.first : nil)
        guard failures >= GoalQueue.reportedFailures, !isHeld, let first else { return [] }
        return [first]
    }

    /// When the next request may start, by its own delays.
    var dueAt: Monotonic? {
        if triesAnother { return nil }
        guard ordered == 0, let until = asideUntil else { return notBefore }
        return max(until, notBefore ?? until)
    }

    func isUnderWay(_ number: SequenceNumber) -> Bool {
        underWay > 0 && number <= waiting[underWay - 1]
            && waiting.prefix(underWay).contains(number)
    }

    /// Inserts an event by number, behind those under way. A refused event may be added only after
    /// the record of its refusal is durable, if the user retries it.
    func add(_ number: SequenceNumber) {
        if isUnderWay(number) || settling.contains(number) { return }
        if asideCount > 0, setAside.contains(number) { return }
        var index = ordered
        while index > underWay, waiting[index - 1] > number { index -= 1 }
        if index > 0, waiting[index - 1] == number { return }
        waiting.insert(number, at: index)
        if ordered == 2, !isBusy, trouble != .missing { doubtFirst() }
    }

    /// Whether another event than the first is tried next.
    private var triesAnother: Bool {
        wantsAnother && ordered > 0 && waiting.count > 1
    }

    /// Removes an event.
    ///
    /// - Returns: false when the event is missing, or under way.
    @discardableResult
    func withdraw(_ number: SequenceNumber) -> Bool {
        guard let index = index(of: number) else { return false }
        if index >= ordered { asideCount -= 1 }
        if asideCount == 0, tried == nil { asideFailures = 0 }
        waiting.remove(at: index)
        return true
    }

    /// The position in `waiting` of an event that is not under way.
    private func index(of number: SequenceNumber) -> Int? {
        let index = (underWay..<ordered).partitioningIndex { waiting[$0] >= number }
        if index < ordered, waiting[index] == number { return index }
        return (ordered..<waiting.count).first { waiting[$0] == number }
    }

    /// The events of the next request; they count as under way from here on.
    ///
    /// - Parameter weigh: an event's bytes in a request, or nil if it must be sent alone.
    func start(
        batchThreshold: Int, weigh: (SequenceNumber) -> Int?
    ) -> [SequenceNumber] {
        guard let first = waiting.first else { return [] }
        if ordered == 0 { (tried, asideCount) = (first, asideCount - 1) }
        underWay = 1
        if let another = takeAnother() {
            suspect = first
            waiting.prepend([another])
            return [another]
        }
        guard singly == 0, ordered >= batchThreshold, var bytes = weigh(first) else {
            singly = max(0, singly - 1)
            return [first]
        }
        for number in waiting.prefix(min(ordered, DatapointBatch.maxCount)).dropFirst() {
            guard let more = weigh(number), bytes + more <= GoalQueue.maxBytes else { break }
            bytes += more
            underWay += 1
        }
        return Array(waiting.prefix(underWay))
    }

    /// Takes another event than the first, if it is time to try one: each has its turn, also those
    /// that were set aside, and the newest one every other time. Many like the first may be next to
    /// it, such as those of one device.
    private func takeAnother() -> SequenceNumber? {
        defer { wantsAnother = false }
        guard triesAnother else { return nil }
        defer { tries += 1 }
        let last = ordered - 1
        let others = waiting.count - 2
        if last > 0, tries % 2 == 0 || others == 0 { return waiting.remove(at: last) }
        let index = 1 + tries / 2 % max(1, others)
        if index < last { return waiting.remove(at: index) }
        guard asideCount > 0 else { return nil }
        tried = waiting.remove(at: ordered)
        asideCount -= 1
        return tried
    }

    /// The first event has failed alone, or another one has come behind it.
    func doubtFirst() {
        wantsAnother = failures >= GoalQueue.manyFailures
    }

    /// The number of failures in succession from which on the first event may be the cause.
    private static let manyFailures = 2

    /// The number after which a person is told: such attempts take some minutes.
    static let reportedFailures = 6

    /// The maximum size of the events of one request, in bytes.
    private static let maxBytes = 128 << 10

    /// The request under way was answered.
    ///
    /// - Parameters:
    ///   - gone: events that leave the queue now.
    ///   - refused: events that leave it when the record of the refusal is durable.
    ///   - aside: events that are set aside.
    func finish(
        gone: Set<SequenceNumber>, refused: Set<SequenceNumber>, aside: Set<SequenceNumber> = []
    ) {
        let sent = takeSent()
        settling += sent.filter(refused.contains)
        let hasFailedAgain = tried != nil && !aside.isEmpty
        if tried != nil, !gone.isEmpty || !refused.isEmpty { asideFailures = 0 }
        tried = nil
        putAside(sent.filter(aside.contains))
        let left = sent.filter {
            !gone.contains($0) && !refused.contains($0) && !aside.contains($0)
        }
        putBack(left)
        if let suspect, left.isEmpty, !hasFailedAgain, withdraw(suspect) {
            putAside([suspect])
        }
        suspect = nil
        if sent.count > 1 { singly = left.count }
    }

    private func putAside(_ numbers: [SequenceNumber]) {
        for number in numbers { waiting.append(number) }
        asideCount += numbers.count
    }

    /// Events that are set aside wait as after a failure.
    func restAside(
        at now: Monotonic, left: Int64?, _ randomness: inout some RandomNumberGenerator
    ) {
        if let asideUntil, asideUntil > now { return }
        asideFailures += 1
        let seconds = Backoff.seconds(after: asideFailures, &randomness)
        asideUntil = now.adding(seconds: Backoff.wait(seconds, left: left))
    }

    private func takeSent() -> [SequenceNumber] {
        defer { underWay = 0 }
        return (0..<underWay).compactMap { _ in waiting.popFirst() }
    }

    /// The request that was to begin does not, and these of its events leave the queue.
    func drop(_ numbers: Set<SequenceNumber>) {
        let sent = takeSent()
        tried = nil
        suspect = nil
        putBack(sent.filter { !numbers.contains($0) })
    }

    /// Events that were under way wait again. Older events that arrived meanwhile are behind them
    /// and must be sorted before or between them.
    private func putBack(_ left: [SequenceNumber]) {
        guard let last = left.last else { return }
        var first = left
        while ordered > 0, let next = waiting.first, next < last {
            first.append(next)
            waiting.popFirst()
        }
        waiting.prepend(first.sorted())
    }

    /// The record of an event's refusal is durable.
    func release(_ number: SequenceNumber) {
        settling.removeAll { $0 == number }
    }

    /// Beeminder has settled an event of this goal, so the goal works.
    func succeed() {
        failures = 0
        wantsAnother = false
        isSilent = false
        isBusy = false
        notBefore = nil
        trouble = nil
    }

    /// Ends its delays.
    func hasten() {
        notBefore = nil
        asideUntil = nil
    }
}
