@testable import BeemedDomain

/// A life of presses that become one datapoint, with people who take them back, a Beeminder that
/// answers late, wrongly or not at all, and processes that are killed between any two steps.
///
/// Every press has a value of its own, a power of two, so the sum of all datapoints tells which
/// presses they show, and how often.
struct MergingSimulation {
    private var bench: CoreBench
    private let disk: SimulatedDisk
    private var chance: Randomness
    /// Value by goal and request id, as Beeminder has it.
    private var datapoints: [String: Double] = [:]
    private var flights: [DatapointBatch] = []
    private var deletions: [DatapointDeletion] = []
    /// The requests that Beeminder applies when their answers were given up, and the times.
    private var late: [(batch: DatapointBatch, due: Monotonic)] = []
    private var count = 0
    private var pressed: [UInt64: String] = [:]
    private var undoing: [UInt64: String] = [:]
    private var accepted: Set<String> = []
    private var unwanted: Set<String> = []
    private var undone: Set<String> = []
    private var violations: [String] = []

    private init(seed: UInt64) throws {
        disk = SimulatedDisk()
        chance = Randomness(seed: seed)
        bench = try CoreBench(disk: disk)
    }

    /// - Returns: what went wrong, in words.
    static func run(seed: UInt64) throws -> [String] {
        var life = try MergingSimulation(seed: seed)
        for _ in 0..<120 { try life.step() }
        try life.drain()
        life.check()
        return life.violations
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<30: press()
        case 30..<42: undo()
        case 42..<62: try bench.commit()
        case 62..<80: requestEnded(isGood: false)
        case 80..<90: bench.pass(seconds: Double.random(in: 0...90, using: &chance))
        case 90..<93: bench.apply(.flushRequested)
        case 93..<96: retry()
        case 96..<97: withoutRoom()
        default: try restart()
        }
        receiveLate()
        collect()
    }

    private mutating func receiveLate() {
        for (batch, due) in late where due <= bench.now.monotonic { _ = taken(batch) }
        late.removeAll { $0.due <= bench.now.monotonic }
    }

    private mutating func press() {
        guard count < 48 else { return }
        let preset = ["glass", "cup"].randomElement(using: &chance)
        let rule = preset.map { PresetOptions(preset: .known($0), mergeSeconds: 60) }
        let isMerged = Int.random(in: 0..<5, using: &chance) > 0
        let id = "\(count)"
        let replyID = bench.press(
            .make(id, value: Double(UInt64(1) << UInt64(count)), rule: isMerged ? rule : nil))
        pressed[replyID] = id
        count += 1
    }

    private mutating func undo() {
        guard let id = accepted.sorted().randomElement(using: &chance) else { return }
        unwanted.insert(id)
        undoing[bench.undo(id)] = id
    }

    private mutating func retry() {
        let refused = accepted.sorted().filter { bench.state($0) == .refused }
        if let id = refused.randomElement(using: &chance) { bench.retry(id) }
    }

    private mutating func withoutRoom() {
        if !bench.appended.isEmpty { bench.reject() }
    }

    private mutating func restart() throws {
        disk.kill()
        let now = bench.now
        pressed = [:]
        undoing = [:]
        flights = []
        deletions = []
        bench = try CoreBench(disk: disk, now: now)
    }

    /// Notes what was answered, and what is on its way.
    private mutating func collect() {
        for (replyID, reply) in bench.replies {
            if case .accepted = reply, let id = pressed[replyID] { accepted.insert(id) }
            if case .changed(let view) = reply, let id = undoing[replyID], view.state == .undone {
                undone.insert(id)
            }
        }
        bench.replies = [:]
        flights += bench.batches
        deletions += bench.deletions
        bench.batches = []
        bench.deletions = []
        bench.sent = []
    }

    // MARK: Beeminder

    private mutating func requestEnded(isGood: Bool) {
        collect()
        if !deletions.isEmpty { return erase(deletions.removeFirst(), isGood) }
        guard !flights.isEmpty else { return }
        let batch = flights.removeFirst()
        let mood = isGood ? 0 : Int.random(in: 0..<10, using: &chance)
        switch mood {
        case 0..<5: bench.apply(.delivered(batch, .each(taken(batch))))
        case 5..<7:
            _ = taken(batch)
            bench.apply(.delivered(batch, .whole(.unreachable("lost"))))
        case 7..<9:
            late.append((batch, bench.now.monotonic.adding(seconds: 25)))
            bench.apply(.delivered(batch, .whole(.unreachable("down"))))
        default:
            let refused = Outcome.refused(status: 422, why: "no")
            // It does not refuse what it takes late.
            let coming = late.flatMap { $0.batch.datapoints.map(\.requestID) }
            let isThere = batch.datapoints.contains {
                datapoints[$0.requestID] != nil || coming.contains($0.requestID)
            }
            bench.apply(.delivered(batch, .whole(isThere ? .unclear("oops") : refused)))
        }
    }

    private mutating func taken(_ batch: DatapointBatch) -> [SequenceNumber: Outcome] {
        var outcomes: [SequenceNumber: Outcome] = [:]
        for outgoing in batch.datapoints {
            let before = datapoints.updateValue(outgoing.value, forKey: outgoing.requestID)
            let how: Delivered =
                before.map { $0 == outgoing.value ? .duplicate : .updated } ?? .created
            outcomes[outgoing.number] = .delivered(how, datapoint: "d-\(outgoing.requestID)")
        }
        return outcomes
    }

    private mutating func erase(_ deletion: DatapointDeletion, _ isGood: Bool) {
        let isDown = !isGood && Bool.random(using: &chance)
        if !isDown || Bool.random(using: &chance) { datapoints[deletion.requestID] = nil }
        bench.apply(.erased(deletion, isDown ? .unclear("down") : .erased))
    }

    // MARK: The end

    private mutating func drain() throws {
        for _ in 0..<400 {
            try bench.commit()
            collect()
            while !flights.isEmpty || !deletions.isEmpty { requestEnded(isGood: true) }
            bench.pass(seconds: late.isEmpty ? 400 : 26)
            receiveLate()
            let refused = accepted.filter { bench.state($0) == .refused }
            for id in refused.sorted() { bench.retry(id) }
            if refused.isEmpty, isQuiet { break }
        }
        collect()
    }

    /// Whether nothing is on its way, and nothing will be.
    private var isQuiet: Bool {
        bench.core.view.pendingEvents + bench.core.erasingEvents == 0 && bench.appended.isEmpty
            && bench.batches.isEmpty && bench.deletions.isEmpty && flights.isEmpty
            && deletions.isEmpty && late.isEmpty
    }

    private mutating func check() {
        if bench.core.view.pendingEvents + bench.core.erasingEvents > 0 {
            violations.append("\(bench.core.view.pendingEvents) pending in a quiet world")
        }
        var shown = 0.0
        for value in datapoints.values { shown += value }
        let bits = UInt64(shown)
        for index in 0..<count {
            let id = "\(index)"
            let isThere = bits >> UInt64(index) & 1 == 1
            if undone.contains(id), isThere { violations.append("\(id) was undone and is there") }
            if accepted.contains(id), !unwanted.contains(id), !isThere {
                violations.append("\(id) was acknowledged and is not there")
            }
        }
        let most = (UInt64(1) << UInt64(count)) - 1
        if bits > most { violations.append("a press is there twice: \(datapoints)") }
        for index in 0..<count where bits >> UInt64(index) & 1 == 1 {
            let value = UInt64(1) << UInt64(index)
            let times = datapoints.values.count { UInt64($0) & value != 0 }
            if times != 1 { violations.append("\(index) is there \(times) times") }
        }
    }
}
