@testable import BeemedDomain

extension Simulation {
    /// The process ends: killed, by a power cut, or in good order.
    mutating func end() throws {
        switch Int.random(in: 0..<3, using: &chance) {
        case 0: mustRestart = true
        case 1: disk.with { $0.isOff = true }
        default: try endInOrder()
        }
    }

    /// Whatever was read is answered, whatever waits is written, and the journal is closed.
    mutating func endInOrder() throws {
        while !mustRestart, let batch = queue.take(at: now.monotonic, isClosing: true) {
            // A writer that closes asks for nothing more.
            reports += write(batch).filter { if case .wantsCarrying = $0 { false } else { true } }
            while !reports.isEmpty { process() }
        }
        if !mustRestart, !disk.isOff { try? journal.close() }
        try restart()
    }

    /// A new process begins, after a power cut on what that left.
    mutating func restart() throws {
        mustRestart = false
        if disk.isOff || Int.random(in: 0..<5, using: &chance) == 0 {
            disk.crash(seed: chance.next(), garbage: isWild)
            monotonic = .random(in: 0...100_000, using: &chance)
            boots += 1
        } else {
            disk.kill()
        }
        leaveFlights()
        leaveZombie()
        queue = RecordQueue()
        flights = []
        reports = []
        wake = nil
        requests = [:]
        commands = [:]
        days.hangUp()
        for index in devices.indices { devices[index].replyID = nil }
        try open()
    }

    private mutating func open() throws {
        for attempt in 0..<10 {
            // A person who sees that it will not start looks after the disk.
            if attempt > 2 { disk.healFaults() }
            do throws(JournalOpenError) {
                if let opened = takeOver() { return begin(opened.0, opened.1, opened.2) }
                let (journal, recovered, receipt) = try Journal.open(
                    disk, store: "5704e", time: now.wall, limits: .small)
                return begin(journal, recovered, receipt)
            } catch {
                guard case .disk = error else { throw error }
                if disk.isOff {
                    disk.crash(seed: chance.next(), garbage: isWild)
                } else {
                    disk.kill()
                }
            }
        }
        promises.require(false, "it does not start")
    }

    private mutating func begin(_ journal: Journal, _ recovered: Recovered, _ receipt: Receipt) {
        starts += 1
        promises.check(recovered, besides: days)
        forgive(from: recovered.next)
        isObstructed = recovered.recoveryReport.obstacle != nil
        if !isWild {
            var report = recovered.recoveryReport
            // Nothing of a superseded segment is needed.
            report.anomalies.removeAll { $0.contains("cannot be read, and is not needed") }
            promises.require(!report.isDamage, "damage: \(report.sentences)")
        }
        self.journal = journal
        if let user = recovered.user, goals.isOfAnother(than: user) { goals = GoalBook() }
        core = RelayCore(
            recovered, under: receipt, goals: goals, boot: "b\(boots)", seed: chance.next(),
            heldBytes: 30_000, batchThreshold: batchThreshold,
            began: now.monotonic)
        if isConnected { connect() }
    }

    /// The work that is left, in words.
    var undrained: String {
        "\(core.erasingEvents) to be deleted, "
            + "\(core.untimedEvents) without a time, "
            + "\(core.commits.deferred) to be written, \(requests.count) requests, "
            + "\(commands.count) commands, \(reports.count) reports, \(core.view.sync), "
            + "queues \(core.delivery.queues), \(core.delivery.remote)"
    }
}
