@testable import BeemedDomain

/// A whole life of a relay, from a seed: core, queue and journal as they are, on a simulated disk
/// and simulated clocks, between devices that resend and a Beeminder with moods.
struct Simulation {
    let seed: UInt64
    var chance: Randomness
    let disk = SimulatedDisk()
    /// The cluster in which the relay lives; nil when it is alone with its disk.
    var cluster: SimulatedCluster?
    /// Whether sectors may hold anything after a power cut; then damage is no wonder.
    let isWild: Bool
    /// Whether another user takes over the folder when all is over.
    private var isToBeginAnew: Bool
    var beeminder = ModelBeeminder()
    var devices: [SimulatedDevice]
    var days = SimulatedDays()
    var promises = Promises()
    var core: RelayCore
    var journal: Journal
    var queue = RecordQueue()
    var flights: [Flight] = []
    var late: [LateRequest] = []
    /// How many requests were applied late.
    var lateArrivals = 0
    /// Whose token the last request for an event had, by the request id of its first datapoint.
    var senders: [String: String] = [:]
    var requests: [ReplyID: Request] = [:]
    /// The events of commands that are not answered yet.
    var commands: [ReplyID: EventKey] = [:]
    var lastReplyID: UInt64 = 0
    var wall: Int64 = 1_760_000_000
    /// Since the boot of the machine.
    var monotonic: Int64 = 0
    /// Since the beginning of everything, in milliseconds.
    var steady: Int64 = 0
    var boots = 1
    var wake: Monotonic?
    var goals = GoalBook()
    var isConnected = true
    /// The token that was given last.
    var token = "a"
    /// Whose each event is.
    var owners: [EventKey: String] = [:]
    /// How often another user has taken over the folder.
    var takeovers = 0
    var mustRestart = false
    /// The outcomes that the journal's thread has reported and the loop has not processed.
    var reports: [CommitOutcome] = []
    var starts = 0
    var isQuick = false
    /// Whether the last start could not rewrite the journal, for want of room.
    var isObstructed = false
    /// Goals to which events were sent that may be lost.
    var pardonedGoals: Set<String> = []

    static let capacity = 1 << 20
    /// From so many events on they travel together: few enough to meet it, or so many that not.
    let batchThreshold: Int

    init(seed: UInt64, isCluster: Bool = false) throws {
        self.seed = seed
        batchThreshold = 2 + Int(seed % 5) * 3
        chance = Randomness(seed: seed)
        isWild = seed % 2 == 1 && !isCluster
        isToBeginAnew = seed % 4 < 2
        if isCluster { cluster = SimulatedCluster(seed: seed, local: disk) }
        devices = (0..<Int(2 + seed % 3)).map { SimulatedDevice("d\($0)") }
        disk.with { $0.capacity = Simulation.capacity }
        let (journal, recovered, receipt) =
            try cluster?.open()
            ?? Journal.open(
                disk, store: "5704e", time: UnixTime(wall),
                limits: seed % 3 == 0 ? .smallWithRoom : .small)
        self.journal = journal
        core = RelayCore(
            recovered, under: receipt, boot: "b1", seed: seed, heldBytes: 30_000,
            batchThreshold: batchThreshold)
        connect()
    }

    var now: Moment {
        Moment(wall: UnixTime(wall), monotonic: Monotonic(milliseconds: monotonic))
    }

    var violations: [String] { promises.violations + beeminder.violations }

    // MARK: A life

    /// - Returns: what went wrong, in words; empty when every promise was kept.
    static func run(seed: UInt64, steps: Int = 150, isCluster: Bool = false) -> [String] {
        do {
            var simulation = try Simulation(seed: seed, isCluster: isCluster)
            for _ in 0..<steps {
                try simulation.step()
                if !simulation.violations.isEmpty { return simulation.violations }
            }
            try simulation.drain()
            return simulation.violations
        } catch { return ["\(error)"] }
    }

    mutating func step() throws {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<28: press()
        case 28..<35: reviseDay()
        case 35..<50: writeJournal()
        case 50..<65: process()
        case 65..<75: requestEnded()
        case 75..<88: pass()
        case 88..<92: changeMood()
        case 92..<95: if cluster == nil { troubleDisk() } else { troubleCluster() }
        case 95..<97: try end()
        default: meddle()
        }
        if disk.isOff || mustRestart { try restart() }
        checkErased()
    }

    /// The datapoint of an event that is called erased is gone, and does not come back.
    private mutating func checkErased() {
        for key in promises.unwanted {
            guard let view = core.view.event(key), view.state == .undone, !view.isBeingErased else {
                continue
            }
            promises.checkErased(key, beeminder, core.account.user?.name)
        }
    }

    /// Everything is well again, and everybody finishes.
    mutating func drain() throws {
        beeminder.mood = .good
        beeminder.isRefusing = false
        beeminder.missing = []
        beeminder.hasLate = true
        beeminder.barred = [:]
        disk.healFaults()
        cluster?.etcd.with { $0.trouble = ModelEtcd.Trouble() }
        disk.with {
            $0.crashAt = nil
            $0.capacity = Simulation.capacity
        }
        isConnected = true
        // A press that never arrives holds up no other one.
        try drainWhatCanArrive()
        guard violations.isEmpty else { return }
        beeminder.isFiltering = false
        try drainWhatCanArrive()
        guard violations.isEmpty else { return }
        checkEnd()
        if isToBeginAnew {
            isToBeginAnew = false
            try beginAnew()
            return try drain()
        }
        try endInOrder()
        let isPending = core.view.pendingEvents > 0
        promises.require(!isPending, "something is pending again after a clean end")
        checkEnd()
    }

    mutating func drainWhatCanArrive() throws {
        var rounds = 0
        while !isDrained, rounds < 3_000, violations.isEmpty {
            if rounds % 60 == 0 { connect(with: ownToken) }
            rounds += 1
            for index in devices.indices where devices[index].replyID == nil {
                press(index, onlyAgain: true)
            }
            writeJournal()
            while !reports.isEmpty { process() }
            while !flights.isEmpty { requestEnded() }
            pass()
            if disk.isOff || mustRestart { try restart() }
            checkErased()
        }
        // A violation that ended the loop is reported alone: the world had no time to drain.
        guard violations.isEmpty else { return }
        let (isDrained, undrained) = (isDrained, undrained)
        promises.require(
            isDrained,
            "a quiet world does not drain: \(core.view.pendingEvents) pending, \(undrained)")
    }

    private var isDrained: Bool {
        core.ledger.all.allSatisfy { entry in
            if entry.isOpen { return beeminder.isFiltering && entry.isFiltered }
            return !entry.recorded.isRefusedInDoubt
        }
            && queue.isEmpty && reports.isEmpty && flights.isEmpty
            && core.erasingEvents == 0 && requests.isEmpty
            && commands.isEmpty
            && core.commits.deferred.isEmpty && late.isEmpty
            && devices.allSatisfy { $0.current == nil }
    }

    // MARK: Devices

    private mutating func press() {
        press(Int.random(in: 0..<devices.count, using: &chance), onlyAgain: false)
    }

    private mutating func press(_ index: Int, onlyAgain: Bool) {
        // Now and then it asks again without waiting for the answer.
        if devices[index].replyID != nil, Int.random(in: 0..<4, using: &chance) > 0 { return }
        let steady = Monotonic(milliseconds: steady)
        guard
            let press = devices[index].send(
                at: now, steady: steady, &chance, onlyAgain: onlyAgain)
        else { return }
        lastReplyID += 1
        let replyID = ReplyID(lastReplyID)
        requests[replyID] = Request(device: index, press: press)
        devices[index].replyID = replyID
        promises.offer(press, at: now.wall)
        change { core, now, effects in core.accept(press, replyID, at: now, &effects) }
        checkAwake()
    }

    mutating func answer(_ replyID: ReplyID, _ reply: Reply) {
        if let key = commands.removeValue(forKey: replyID) { return answer(key, command: reply) }
        let heard = days.process(replyID, reply)
        if heard.isOurs { return promises.require(heard.wrong == nil, heard.wrong ?? "") }
        guard let request = requests.removeValue(forKey: replyID) else {
            return promises.require(false, "\(replyID) was answered twice")
        }
        let press = request.press
        var isFinal = true
        switch reply {
        case .accepted(let acceptance):
            promises.accept(acceptance, for: press)
            recordOwner(acceptance.event.key)
        case .refused(.conflict(let other)):
            promises.require(!other.isRepeated(by: press), "\(other.key) conflicts with itself")
            turnAway(press)
        case .refused(.diskFull), .refused(.tooManyWaiting), .refused(.tooManyUnsent),
            .refused(.tooManyRefused), .refused(.notConnected), .refused(.unknownGoal):
            isFinal = false
            turnAway(press)
        case .refused(.unusableTime), .refused(.timeAsValue), .refused(.needsValue):
            turnAway(press)
        case .changed, .refused(.unknownEvent), .refused(.notPossible), .refused(.dayTaken),
            .usable, .total:
            promises.require(false, "a press was answered as something else")
        }
        // Answers are lost on the way, and whoever has asked again meanwhile hears the later one.
        guard devices[request.device].replyID == replyID else { return }
        if press.id == nil || Int.random(in: 0..<4, using: &chance) > 0 {
            devices[request.device].process(isFinal: isFinal)
        } else {
            devices[request.device].replyID = nil
        }
    }

    private mutating func turnAway(_ press: Press) {
        let isAskedAgain = requests.values.contains {
            $0.press.id == press.id && $0.press.generation == press.generation
        }
        let isKnown = press.id.map {
            core.ledger[press.key($0)].map {
                $0.event.isRepeated(by: press)
            }
                ?? false
        }
        if !isAskedAgain { promises.turnAway(press, isKnown: isKnown ?? false) }
    }

    // MARK: The relay

    mutating func apply(_ input: Input) {
        change { core, now, effects in core.apply(input, at: now, &effects) }
        checkAwake()
    }

    private mutating func change(_ body: (RelayCore, Moment, inout Effects) -> Void) {
        var effects = Effects()
        body(core, now, &effects)
        perform(effects)
    }

    /// Nothing is sent before the user is named: Beeminder is being asked, or the record of the
    /// answer is on its way to the disk.
    private var isAwaitingUser: Bool {
        !core.account.maySend && (core.refresh.isAsking || core.view.isVerified)
    }

    /// Events that could be sent are under way, or have a time at which they will be; and events
    /// that wait for a record have one on its way to the disk.
    private mutating func checkAwake() {
        guard core.view.isClockSound, core.delivery.remote == .open else { return }
        let queues = core.delivery.queues.values
        let isWaiting = queues.contains { $0.isIdle }
        promises.require(
            !isWaiting || core.delivery.inFlight > 0 || wake != nil || isAwaitingUser,
            "a queue that nobody wakes: \(core.delivery.queues)")
        let isSettling = queues.contains { !$0.settling.isEmpty }
        promises.require(
            !isSettling || !core.commits.unwritten.isEmpty || !core.commits.deferred.isEmpty,
            "a queue that waits for no record: \(core.delivery.queues)")
    }

    private mutating func perform(_ effects: Effects) {
        for (replyID, reply) in effects.replies { answer(replyID, reply) }
        for effect in effects.others {
            switch effect {
            case .send(let batch): send(batch)
            case .erase(let deletion):
                promises.require(
                    core.ledger[deletion.number].map { entry in
                        promises.unwanted.contains(entry.event.key)
                            || entry.recorded.leaving.contains { $0.goal == deletion.goalInRecord }
                    } ?? false, "\(deletion) was wanted by nobody")
                flights.append(.deletion(deletion, beeminder.delete(deletion, &chance)))
            case .fetchGoals: flights.append(.goals(fetchGoals()))
            case .saveGoals(let book): goals = book
            case .offerFolder, .presentDayKnown: break
            case .forgetFormerUser: goals = core.goals
            case .wake(let time): wake = time
            }
        }
        guard !effects.records.isEmpty else { return }
        queue.submit(
            effects.records, isUrgent: effects.isUrgent, live: core.live, at: now.monotonic)
        // On a disk that has proven quick the loop writes in place, and hears of it before what
        // the thread has reported earlier.
        guard effects.isUrgent, isQuick, !mustRestart, !disk.isOff,
            let batch = queue.take(at: now.monotonic, isClosing: false)
        else { return }
        for outcome in write(batch) { learn(outcome) }
        journal.writeMark()
    }

    /// The journal's thread has a turn; the loop hears of it some time later.
    private mutating func writeJournal() {
        if let batch = queue.take(at: now.monotonic, isClosing: false) { reports += write(batch) }
        guard Bool.random(using: &chance) else { return }
        do throws(CommitFailure) {
            try journal.maintain(live: queue.live, time: now.wall)
        } catch { mustRestart = true }
    }

    /// - Returns: what became of it. Nobody hears a report that comes when the power is gone.
    mutating func write(_ batch: RecordQueue.Batch) -> [CommitOutcome] {
        let disk = disk
        var outcomes: [CommitOutcome] = []
        journal.write(batch) { outcome in
            if !disk.isOff { outcomes.append(outcome) }
        }
        if case .rejected? = outcomes.last { queue.reject() }
        if !disk.isOff, let carrying = journal.carrying(batch.live) {
            outcomes.append(.wantsCarrying(carrying))
        }
        if outcomes.contains(where: { if case .failed = $0 { true } else { false } }) {
            mustRestart = true
        }
        return outcomes
    }

    /// The loop hears what has become of records.
    mutating func process() {
        if !reports.isEmpty { learn(reports.removeFirst()) }
    }

    private mutating func learn(_ outcome: CommitOutcome) {
        switch outcome {
        case .committed(let receipt):
            change { core, now, effects in core.receive(receipt, at: now, &effects) }
            change { core, now, effects in core.followUp(at: now, &effects) }
            checkAwake()
        case .rejected(let receipt, _):
            queue.acknowledge()
            var effects = Effects()
            core.apply(.rejected(receipt), at: now, &effects)
            // Before they are performed: what can be written in place may show that there is room.
            promises.require(core.view.sync == .diskFull, "full, and \(core.view.sync) is said")
            perform(effects)
        case .wantsCarrying(let request):
            change { core, _, effects in core.carry(request, &effects) }
        case .failed, .closed: break
        }
    }

    // MARK: Time

    /// Some time passes, or as much as the relay asked for.
    mutating func pass() {
        var milliseconds = Int64.random(in: 0...3_000, using: &chance)
        if let wake, Bool.random(using: &chance) {
            milliseconds = max(0, wake.milliseconds.subtractingReportingOverflow(monotonic).0)
            milliseconds = min(milliseconds, 4_000_000)
        }
        monotonic += milliseconds
        steady += milliseconds
        receiveLate()
        passInCluster(milliseconds)
        wall += milliseconds / 1_000
        var turns = 0
        while let due = wake, due.milliseconds <= monotonic {
            wake = nil
            apply(.woke)
            turns += 1
            if turns > 3 { return promises.require(false, "it wakes up and does nothing") }
        }
    }
}
