@testable import BeemedDomain

/// A journal on a simulated disk, as tests handle it: numbers are given out here.
struct JournalRig {
    let disk: SimulatedDisk
    var journal: Journal
    var recovered: Recovered
    var receipt: Receipt
    var next: SequenceNumber

    /// Opens what is on the disk.
    init(_ disk: SimulatedDisk = SimulatedDisk(), limits: Journal.Limits = .plain) throws {
        self.disk = disk
        (journal, recovered, receipt) = try Journal.open(
            disk, store: "5704e", time: UnixTime(1_760_000_000), limits: limits)
        next = recovered.next
    }

    /// Makes one batch of these facts durable.
    @discardableResult
    mutating func commit(
        _ facts: Record.Fact..., live: LiveSize = LiveSize(events: 100, bytes: 0)
    ) throws(CommitFailure) -> Receipt {
        try commit(facts, live: live)
    }

    /// Makes one batch of these facts durable.
    @discardableResult
    mutating func commit(
        _ facts: [Record.Fact], live: LiveSize = LiveSize(events: 100, bytes: 0)
    ) throws(CommitFailure) -> Receipt {
        var records: [Record] = []
        var number = next
        for fact in facts {
            records.append(Record(number, fact))
            number = number.next
        }
        var rest = records[...]
        while true {
            let receipt = try journal.commitAndMark(rest, live: live)
            next = receipt.through.next
            rest = rest.drop { $0.number <= receipt.through }
            if rest.isEmpty { return receipt }
        }
    }

    /// One event a batch.
    mutating func put(_ ids: String...) throws(CommitFailure) {
        for id in ids { try commit(.put(.make(id))) }
    }

    /// Rotates if the segment is full and, if a compaction begins, does all of it.
    mutating func rotate(events: Int = 100) throws(CommitFailure) {
        try journal.rotateIfNeeded(
            live: LiveSize(events: events, bytes: 0), time: UnixTime(1_760_000_000))
        try compact()
    }

    /// Does all of the compaction that a rotation has begun, if it has.
    mutating func compact() throws(CommitFailure) {
        if journal.wantsKnownEvents {
            journal.compact(keeping: KnownEvents(ofAStartOn: disk, journal.limits))
        }
        while journal.isCompacting { try journal.compactSome() }
    }

    /// The process ends without a word and another one begins.
    mutating func reopen(limits: Journal.Limits = .plain) throws {
        disk.kill()
        self = try JournalRig(disk, limits: limits)
    }
}

extension Journal {
    /// Makes records durable, and writes the mark.
    mutating func commitAndMark(
        _ records: some Collection<Record>, live: LiveSize
    ) throws(CommitFailure) -> Receipt {
        let receipt = try commit(Array(records)[...], live: live)
        writeHighWaterMark()
        return receipt
    }

    /// Does the next slice of what follows a rotation.
    mutating func compactSome() throws(CommitFailure) {
        _ = slice?()
        try checkCompaction()
    }
}

extension KnownEvents {
    /// The events that a start would know: those of the disk as it is, within the limits.
    fileprivate init(ofAStartOn disk: SimulatedDisk, _ limits: Journal.Limits) {
        let calm = disk.copy()
        calm.healFaults()
        calm.with { ($0.crashAt, $0.isOff) = (nil, false) }
        let entries = (try? Recovery.read(calm, remembered: limits.remembered))?.entries ?? []
        self.init(entries.map(\.number), count: entries.count)
    }
}

extension SimulatedDisk {
    /// The devices' own ids of the events in the history, the newest first.
    var pastIDs: [String] {
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

    /// Those that are pending.
    var pendingIDs: [String] {
        entries.filter { $0.settlement == nil }.map(\.event.key.id.description)
    }
}

/// Whether nothing was taken for want of room.
func isFull(_ failure: CommitFailure?) -> Bool {
    if case .full? = failure { true } else { false }
}

/// What that fails with, if it does.
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

    /// A segment with an empty snapshot and some events.
    static func segment(_ number: Int = 1, events: Int = 3) -> Lines {
        var lines = Lines()
        lines.add(
            "{\"t\":\"open\",\"v\":1,\"store\":\"5704e\",\"seg\":\(number),\"q\":1,\"base\":true}")
        lines.add("{\"t\":\"base-end\",\"q\":1,\"n\":0}")
        for index in 1...max(1, events) where events > 0 { lines.addPut(index) }
        return lines
    }

    /// The event of that number, named so.
    mutating func addPut(_ number: Int, id: String? = nil) {
        var writer = LineWriter()
        writer.write(Record(SequenceNumber(UInt64(number)), .put(.make(id ?? "e\(number)"))))
        starts.append(bytes.count)
        bytes += writer.bytes
    }

    /// What follows those bytes on a disk.
    func disk() -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.put(.segment(1), bytes)
        return disk
    }
}
