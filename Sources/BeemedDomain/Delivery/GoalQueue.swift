/// The queue of one goal: in the order the events were accepted, one request at a time.
struct GoalQueue: Sendable {
    /// What is to be sent or deleted. Those under way are the first ones.
    private(set) var waiting = Queue<SequenceNumber>()
    /// How many of them are under way.
    private(set) var underWay = 0
    /// Beeminder will not have these, and the records of that are on their way to the disk: the
    /// next ones follow when they are there, or a crash could let them overtake.
    private(set) var settling: [SequenceNumber] = []
    /// So many requests must carry one event: together they were not taken, or what came of them
    /// stayed unclear.
    private var singly = 0
    /// How often several together failed as a whole between others that were taken alone: then it
    /// is not Beeminder, but that there are several.
    private var suspicion = 0
    private var wasTakenAlone = false
    /// Attempts in a row that have settled nothing.
    var failures = 0
    /// Whether the last attempt was not answered at all. Such a goal shares one request with all
    /// others like it, so that it never takes the place of one that is answered.
    var isSilent = false
    /// Whether the request under way counts as one of a silent goal.
    var isProbe = false
    /// When the request under way, or the last one, was begun.
    var startedAt = Monotonic(milliseconds: .min)
    /// Not to be tried before; for a queue that is held, the time of the next probe.
    var notBefore: Monotonic?
    /// Why this goal alone must wait for a person; nil when it need not.
    var trouble: Trouble?
    /// Under which connection the request under way was sent.
    var connection = 0

    /// What keeps one goal's events back while the account is all right.
    enum Trouble: Sendable, Equatable {
        /// Beeminder knows no such goal.
        case missing
        /// The token is not taken for it.
        case unauthorized
        /// Something else than Beeminder answers for it.
        case misdirected
    }

    /// Waits for a person, and is looked at now and then.
    var isHeld: Bool { trouble != nil }

    var isIdle: Bool { underWay == 0 && settling.isEmpty && !waiting.isEmpty }
    var isEmpty: Bool { waiting.isEmpty && settling.isEmpty }
    /// How many events wait, those under way among them.
    var count: Int { waiting.count + settling.count }

    func isUnderWay(_ number: SequenceNumber) -> Bool {
        waiting.prefix(underWay).contains(number)
    }

    /// Adds an event in its place, by number; behind what is under way. What Beeminder has refused
    /// is to be added when the record of that is on the disk, if a person wants it again then.
    mutating func add(_ number: SequenceNumber) {
        if isUnderWay(number) || settling.contains(number) { return }
        var place = waiting.count
        while place > underWay, waiting[place - 1] > number { place -= 1 }
        if place > 0, waiting[place - 1] == number { return }
        waiting.insert(number, at: place)
    }

    /// Takes an event out.
    ///
    /// - Returns: false when it is not there, or is under way.
    mutating func withdraw(_ number: SequenceNumber) -> Bool {
        var (low, high) = (underWay, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle] < number { low = middle + 1 } else { high = middle }
        }
        guard low < waiting.count, waiting[low] == number else { return false }
        waiting.remove(at: low)
        return true
    }

    /// What travels next; it counts as under way from here on.
    ///
    /// - Parameter weigh: an event's bytes in a request, or nil for one that must travel alone.
    mutating func start(
        togetherFrom: Int, weigh: (SequenceNumber) -> Int?
    ) -> [SequenceNumber] {
        guard let first = waiting.first else { return [] }
        underWay = 1
        guard singly == 0, waiting.count >= togetherFrom, var bytes = weigh(first) else {
            singly = max(0, singly - 1)
            return [first]
        }
        for number in waiting.prefix(DatapointBatch.most).dropFirst() {
            guard let more = weigh(number), bytes + more <= GoalQueue.mostBytes else { break }
            bytes += more
            underWay += 1
        }
        return Array(waiting.prefix(underWay))
    }

    /// What the events of one request may take together, in bytes.
    private static let mostBytes = 128 << 10

    /// The request under way is answered.
    ///
    /// - Parameters:
    ///   - gone: events that leave the queue.
    ///   - refused: events that leave it when the record of that is on the disk.
    ///   - isWhole: whether all of the request met with the same.
    mutating func finish(
        gone: Set<SequenceNumber>, refused: Set<SequenceNumber>, isWhole: Bool
    ) {
        let sent = Array(waiting.prefix(underWay))
        for _ in sent { waiting.popFirst() }
        underWay = 0
        settling += sent.filter(refused.contains)
        let left = sent.filter { !gone.contains($0) && !refused.contains($0) }
        putBack(left)
        guard sent.count > 1 else {
            wasTakenAlone = wasTakenAlone || left.isEmpty
            return
        }
        if left.isEmpty {
            suspicion = 0
        } else if isWhole {
            // One alone will tell.
            if wasTakenAlone { suspicion += 1 }
            wasTakenAlone = false
            singly = 1 << min(3 * suspicion, 12)
        } else {
            singly = left.count
        }
    }

    /// Those that were under way wait again. Older ones that came meanwhile are behind them, and
    /// have their place before or between them.
    private mutating func putBack(_ left: [SequenceNumber]) {
        guard let last = left.last else { return }
        var first = left
        while let next = waiting.first, next < last {
            first.append(next)
            waiting.popFirst()
        }
        waiting.prepend(first.sorted())
    }

    /// What came of an event is on the disk.
    mutating func release(_ number: SequenceNumber) {
        settling.removeAll { $0 == number }
    }

    /// Beeminder has settled something of this goal: it is all right.
    mutating func succeed() {
        failures = 0
        isSilent = false
        notBefore = nil
        trouble = nil
    }

    /// Takes over all that another queue holds, which is not under way.
    mutating func merge(_ other: GoalQueue) {
        precondition(other.underWay == 0)
        settling += other.settling
        for number in other.waiting.prefix(other.waiting.count) { add(number) }
        trouble = nil
        notBefore = nil
    }
}
