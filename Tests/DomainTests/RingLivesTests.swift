import Foundation
import Testing

@testable import BeemedDomain

/// Seeded lives of the ring: power cuts at any call, torn lines, failing calls, full disks, copies
/// made meanwhile, segments of other stores, older files put back.
///
/// `LIVES=3000 swift test --filter RingLivesTests` lives as many.
struct RingLivesTests {
    /// A mistake that a life makes on purpose, to show that the checks find it.
    enum Change {
        /// The life says, without looking, that no known event is stated in old segments.
        case forgetsToCarry
        /// The life counts events as stated again before the new statements are durable.
        case trustsTheCache
    }

    private static var lives: UInt64 {
        ProcessInfo.processInfo.environment["LIVES"].flatMap { UInt64($0) }
            ?? (Thorough.isEveryPlace ? 20 : 8)
    }

    @Test func `nothing that was told is lost, whatever happens`() throws {
        var told = 0
        for seed in 0..<RingLivesTests.lives {
            var life = RingLife(seed: seed)
            let fault = life.run()
            expect(fault == nil, "seed \(seed)")
            told += life.told.count
        }
        expect(told > 30 * Int(RingLivesTests.lives))
    }

    @Test(arguments: [Change.forgetsToCarry, .trustsTheCache])
    func `these lives see a ring that leaves something behind`(_ change: Change) throws {
        var wrong = 0
        for seed in 0..<200 as Range<UInt64> where wrong == 0 {
            var life = RingLife(seed: seed)
            life.change = change
            if life.run() != nil { wrong += 1 }
        }
        expect(wrong > 0)
    }
}

/// A life of a journal, with five crashes.
private struct RingLife {
    var change: RingLivesTests.Change?
    private(set) var told: Set<String> = []
    private let disk = SimulatedDisk()
    private var chance: Randomness
    /// The ids of events whose end is durable, or may be.
    private var settled: Set<String> = []
    private var unsure: Set<String> = []
    private var offered = 0

    // The state that a relay keeps in memory.
    private var entries: [SequenceNumber: Recovered.Entry] = [:]
    private var next = SequenceNumber(1)
    private var journal: Journal?

    private static var limits: Journal.Limits {
        var limits = Journal.Limits.small
        limits.segmentBytes = 1_500
        limits.ringBytes = 1_000
        limits.freeBytes = 0
        return limits
    }

    private static let sites = [
        "commit.append", "commit.sync", "publish.create", "publish.append", "publish.sync",
        "publish.rename", "publish.folder", "publish.verify", "retire.link", "retire.folder",
        "retire.unlink", "retire.unlink.sync", "rotate.list", "history.list",
    ]

    init(seed: UInt64) { chance = Randomness(seed: seed) }

    /// - Returns: what went wrong, in words.
    mutating func run() -> String? {
        for start in 0..<6 {
            let isLast = start == 5
            if !isLast {
                disk.cutPower(atCall: .random(in: 5...250, using: &chance), after: chance.flip())
            }
            if let fault = begin(isCalm: isLast) { return fault }
            for _ in 0..<120 where journal != nil { act(isCalm: isLast) }
            if let fault = checkCopy() { return fault }
            end()
        }
        return nil
    }

    // MARK: Starts and ends

    private mutating func begin(isCalm: Bool) -> String? {
        let opened = try? Journal.open(
            disk, store: "5704e", time: UnixTime(1_760_000_000), limits: RingLife.limits,
            known: "5704e")
        guard let (journal, found, _) = opened else {
            return isCalm ? "it does not start" : nil
        }
        self.journal = journal
        next = found.next
        entries = Dictionary(uniqueKeysWithValues: found.entries.map { ($0.number, $0) })
        return check(found)
    }

    private mutating func check(_ found: Recovered) -> String? {
        let ends = Dictionary(
            uniqueKeysWithValues: found.entries.map { ($0.event.key.id.description, $0.settlement) }
        )
        for id in unsure where ends[id] == nil || ends[id] != .some(nil) { settled.insert(id) }
        unsure = []
        for id in told.subtracting(settled) {
            guard let end = ends[id] else { return "\(id) was told and is lost" }
            if end != nil { return "\(id) is settled and nobody settled it" }
        }
        for id in settled where ends[id] == .some(nil) { return "the end of \(id) is lost" }
        let calm = disk.copy()
        calm.healFaults()
        calm.with { ($0.crashAt, $0.isOff) = (nil, false) }
        let all = (try? calm.allIDs) ?? []
        if Set(all).count < all.count { return "an event is in the files twice" }
        let lost = mustBeThere.subtracting(all)
        if !lost.isEmpty { return "\(lost) is in no file" }
        if found.recoveryReport.isDamage, !isExcused {
            return "damage: \(found.recoveryReport.sentences)"
        }
        // A power cut may have kept it from being removed, or may bring it back.
        isExcused = isExcused && disk.isOff || disk.names(.journal).contains(SegmentName.live(99))
        return nil
    }

    /// The events that the files must have: once the disk was full, settled ones may be gone.
    private var mustBeThere: Set<String> { wasFull ? told.subtracting(settled) : told }
    private var wasFull = false

    /// Whether somebody has put a file there that must be told of.
    private var isExcused = false

    /// The process ends, by a power cut or a kill, and somebody meddles with the files.
    private mutating func end() {
        journal = nil
        disk.healFaults()
        disk.with { $0.capacity = 1 << 30 }
        if disk.isOff || chance.flip() {
            disk.crash(seed: chance.next(), garbage: false)
        } else {
            disk.kill()
        }
        switch Int.random(in: 0..<6, using: &chance) {
        case 0:
            var lines = Lines()
            lines.addOpening(99, first: 50, oldest: 99, store: "07e4")
            lines.addPut(50, id: "x")
            disk.put(.segment(99), lines.bytes)
            isExcused = true
        case 1:
            // A retired segment, from a backup.
            guard let name = disk.names(.history).first,
                !disk.names(.journal).contains(name),
                let bytes = disk.bytes(StoredFile(.history, name))
            else { return }
            disk.put(StoredFile(.journal, name), bytes)
        default: break
        }
    }

    // MARK: Life

    private mutating func act(isCalm: Bool) {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<45: press()
        case 45..<75: settle()
        case 75..<95: tidy()
        case 95..<98:
            guard !isCalm else { return }
            let code: Int32 = [5, 28, 30, 24].randomElement(using: &chance) ?? 5
            disk.fail(RingLife.sites.randomElement(using: &chance) ?? "", code)
        case 98:
            guard !isCalm else { return }
            disk.setFree(.random(in: 0...1_000, using: &chance))
            wasFull = true
        default: disk.with { $0.capacity = 1 << 30 }
        }
    }

    private mutating func press() {
        offered += 1
        let id = "e\(offered)"
        let event = Event.make(id)
        guard let first = commit([.put(event)]) else { return }
        entries[first] = Recovered.Entry(
            number: first, event: event, recorded: RecordedState(), statedAt: first)
        told.insert(id)
    }

    private mutating func settle() {
        let open = entries.values.filter { $0.settlement == nil }.map(\.number).sorted()
        guard let number = open.randomElement(using: &chance), let entry = entries[number] else {
            return
        }
        let id = entry.event.key.id.description
        let done = Record.Fact.done(of: number, how: .created, datapoint: nil)
        unsure.insert(id)
        guard let record = commit([done]) else { return }
        unsure.remove(id)
        settled.insert(id)
        entries[number]?.apply(Record(record, done))
        let atRest = entries.values.filter(\.recorded.isAtRest).map(\.number).sorted()
        for number in atRest.dropLast(10) { entries[number] = nil }
    }

    private var live: LiveSize {
        let bytes = entries.count * 100
        if change == .forgetsToCarry {
            return LiveSize(bytes: bytes, stated: next)
        }
        return LiveSize(bytes: bytes, stated: stated(entries))
    }

    private func stated(_ entries: [SequenceNumber: Recovered.Entry]) -> SequenceNumber {
        entries.values.map(\.statedAt).min() ?? next
    }

    /// Between batches: some events are stated again, a segment is begun, another one retired.
    private mutating func tidy() {
        var live = live
        if let request = journal?.carrying(live) {
            let carried = entries.values.filter { $0.statedAt < request.before }
                .sorted { $0.statedAt < $1.statedAt }.prefix(5)
            if change == .trustsTheCache {
                var known = entries
                for entry in carried { known[entry.number]?.statedAt = next }
                live.stated = stated(known)
                _ = journal?.carrying(live)
                rotate(live)
            }
            if !carried.isEmpty, let first = commit(carried.map { .carried($0) }) {
                for (index, entry) in carried.enumerated() {
                    let record = SequenceNumber(first.value + UInt64(index))
                    entries[entry.number]?.statedAt = record
                }
            }
        }
        rotate(self.live)
    }

    private mutating func rotate(_ live: LiveSize) {
        do throws(CommitFailure) {
            try journal?.maintain(live: live, time: UnixTime(1_760_000_000))
        } catch { journal = nil }
    }

    /// - Returns: the number of the first record; nil when they are not kept, or nobody knows.
    private mutating func commit(_ facts: [Record.Fact]) -> SequenceNumber? {
        let (first, live) = (next, live)
        let records = facts.enumerated().map {
            Record(SequenceNumber(first.value + UInt64($0.offset)), $0.element)
        }
        var rest = records[...]
        while !rest.isEmpty {
            do throws(CommitFailure) {
                guard let receipt = try journal?.commit(rest, live: live) else { return nil }
                next = receipt.through.next
                rest = rest.drop { $0.number <= receipt.through }
            } catch {
                if !isFull(error) { journal = nil }
                // The records that fitted are durable, and not known here: a start reads them.
                if next > first { journal = nil }
                return nil
            }
        }
        return first
    }

    // MARK: Copies

    /// A copy of the folder as it is now, the journal first and the history a little later.
    private func checkCopy() -> String? {
        let copy = SimulatedDisk()
        for folder in [StoredFile.Folder.journal, .history] {
            for name in disk.names(folder) {
                let file = StoredFile(folder, name)
                copy.put(file, disk.bytes(file) ?? [])
            }
        }
        guard let ids = try? copy.allIDs else { return "a copy cannot be read" }
        let lost = mustBeThere.subtracting(ids)
        return lost.isEmpty ? nil : "a copy lacks \(lost)"
    }
}

extension Randomness {
    fileprivate mutating func flip() -> Bool { Bool.random(using: &self) }
}
