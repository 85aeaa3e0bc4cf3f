@testable import BeemedDomain

/// A journal on a simulated disk, as tests handle it: numbers are given out here.
struct JournalRig {
    let disk: SimulatedDisk
    var journal: Journal
    var recovered: Recovered
    var receipt: Receipt
    var next: SequenceNumber
    /// How many settled events stay known.
    private let remembered: Int
    /// Settled events that are stated before this record are forgotten.
    private var forgottenBefore = SequenceNumber(0)
    /// The disk as replayed after that many calls, which a rotation asks for several times.
    private var lastKnown: (calls: Int, found: Recovered?)?

    /// Opens what is on the disk.
    init(
        _ disk: SimulatedDisk = SimulatedDisk(), limits: Journal.Limits = .plain,
        remembered: Int = .max
    ) throws {
        (self.disk, self.remembered) = (disk, remembered)
        (journal, recovered, receipt) = try Journal.open(
            disk, store: "5704e", time: UnixTime(1_760_000_000), limits: limits)
        next = recovered.next
    }

    /// Makes one batch of these facts durable.
    @discardableResult
    mutating func commit(
        _ facts: Record.Fact..., live: LiveSize = LiveSize(bytes: 0)
    ) throws(CommitFailure) -> Receipt {
        try commit(facts, live: live)
    }

    /// Makes one batch of these facts durable.
    @discardableResult
    mutating func commit(
        _ facts: [Record.Fact], live: LiveSize = LiveSize(bytes: 0)
    ) throws(CommitFailure) -> Receipt {
        var records: [Record] = []
        var number = next
        for fact in facts {
            records.append(Record(number, fact))
            number = number.next
        }
        var rest = records[...]
        while true {
            let receipt = try journal.commit(rest, live: live)
            journal.writeMark()
            next = receipt.through.next
            rest = rest.drop { $0.number <= receipt.through }
            if rest.isEmpty { return receipt }
        }
    }

    /// Commits each event in a batch of its own.
    mutating func put(_ ids: String...) throws(CommitFailure) {
        for id in ids { try commit(.put(.make(id))) }
    }

    /// Rotates if the segment is full. If few events are said to be known, it states again what the
    /// journal asks for, before and after.
    mutating func rotate(events: Int = 100) throws(CommitFailure) {
        let size = events < 10 ? 0 : 1 << 30
        defer { lastKnown = nil }
        for _ in 0..<2 {
            try rotateIfNeeded(size)
            try carry(size)
        }
        try rotateIfNeeded(size)
    }

    private mutating func rotateIfNeeded(_ size: Int) throws(CommitFailure) {
        guard journal.isMaintenanceDue else { return }
        while try journal.maintain(live: live(size), time: UnixTime(1_760_000_000)) {}
    }

    /// States again what the journal asks for, as often as it does.
    private mutating func carry(_ size: Int) throws(CommitFailure) {
        while let request = journal.carrying(live(size)) {
            let found = known()
            var facts: [Record.Fact] = []
            if let user = found?.user, let record = found?.userStatedAt, record < request.before {
                facts.append(.user(user))
            }
            for entry in found?.entries ?? [] where entry.statedAt < request.before {
                if !(request.forgetsSettled && entry.recorded.isAtRest) {
                    facts.append(.carried(entry))
                }
            }
            if request.forgetsSettled { forgottenBefore = max(forgottenBefore, request.before) }
            guard !facts.isEmpty else { return }
            try commit(facts)
        }
    }

    private mutating func live(_ size: Int) -> LiveSize {
        let found = known()
        let stated = (found?.entries ?? []).map(\.statedAt) + [found?.userStatedAt ?? next]
        return LiveSize(bytes: size, stated: stated.min() ?? next)
    }

    /// The state that a relay with this disk would have in memory.
    private mutating func known() -> Recovered? {
        if lastKnown?.calls != disk.calls { lastKnown = (disk.calls, replayed) }
        var found = lastKnown?.found
        found?.entries.removeAll { $0.recorded.isAtRest && $0.statedAt < forgottenBefore }
        let settled = (found?.entries ?? []).filter(\.recorded.isAtRest).map(\.number)
        let surplus = Set(settled.dropLast(remembered))
        found?.entries.removeAll { surplus.contains($0.number) }
        return found
    }

    private var replayed: Recovered? {
        let calm = disk.copy()
        calm.healFaults()
        calm.with { ($0.crashAt, $0.isOff) = (nil, false) }
        return try? Recovery.replay(calm)
    }

    /// The process ends without a word and another one begins.
    mutating func reopen(limits: Journal.Limits = .plain) throws {
        disk.kill()
        self = try JournalRig(disk, limits: limits, remembered: remembered)
    }
}

extension Journal {
    /// Makes records durable.
    mutating func commit(
        _ records: some Collection<Record>, live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        try commit(Array(records)[...], live: live)
    }
}

extension History {
    /// Passes every event of the journal and of the history, those that were stated last first,
    /// until the closure returns false.
    func newestFirst(_ take: (Recovered.Entry) -> Bool) throws(DiskError) {
        var reader = try reader()
        while let entries = try reader.next() {
            for entry in entries where !take(entry) { return }
        }
    }
}

extension SimulatedDisk {
    /// The devices' own ids of all events in the journal and in the history.
    var allIDs: [String] {
        get throws {
            var ids: [String] = []
            try History(self).newestFirst {
                ids.append($0.event.key.id.description)
                return true
            }
            return ids
        }
    }
}

extension Recovered {
    /// The devices' own ids, in order.
    var ids: [String] { entries.map(\.event.key.id.description) }

    /// The ids of pending events.
    var pendingIDs: [String] {
        entries.filter { $0.settlement == nil }.map(\.event.key.id.description)
    }
}

/// Whether nothing was taken for want of room.
func isFull(_ failure: CommitFailure?) -> Bool {
    if case .full? = failure { true } else { false }
}

/// The failure that the body throws, if any.
func failure(_ body: () throws(CommitFailure) -> Void) -> CommitFailure? {
    do throws(CommitFailure) {
        try body()
        return nil
    } catch { return error }
}

/// The lines of a journal, written by hand.
struct Lines {
    private(set) var bytes: [UInt8] = []
    private(set) var starts: [Int] = []

    /// A line with that JSON and its right check value.
    mutating func add(_ json: [UInt8]) {
        starts.append(bytes.count)
        let check = String(CRC32C.of(json.span), radix: 16)
        let digits = String(repeating: "0", count: 8 - check.count) + check
        bytes += json + Array("\t\(digits)\n".utf8)
    }

    mutating func add(_ json: String) {
        add(Array(json.utf8))
    }

    /// A first line, with what a test names.
    mutating func addOpening(
        _ segment: Int = 1, first: Int = 1, oldest: Int = 1, store: String = "5704e",
        version: Int = Opening.version
    ) {
        add(
            "{\"t\":\"open\",\"v\":\(version),\"store\":\"\(store)\",\"seg\":\(segment),"
                + "\"q\":\(first),\"oldest\":\(oldest),\"at\":1760000000}")
    }

    /// A segment with some events.
    static func segment(_ number: Int = 1, events: Int = 3) -> Lines {
        var lines = Lines()
        lines.addOpening(number, oldest: number)
        for index in 1...max(1, events) where events > 0 { lines.addPut(index) }
        return lines
    }

    /// The event of that number, named so.
    mutating func addPut(_ number: Int, id: String? = nil) {
        var writer = JSONWriter()
        writer.write(Record(SequenceNumber(UInt64(number)), .put(.make(id ?? "e\(number)"))))
        starts.append(bytes.count)
        bytes += writer.bytes
    }

    /// Lines that are written already.
    mutating func addLines(_ lines: [UInt8]) {
        starts.append(bytes.count)
        bytes += lines
    }

    /// A disk whose first segment has these bytes.
    func disk() -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.put(.segment(1), bytes)
        return disk
    }
}
