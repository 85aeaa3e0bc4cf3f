@testable import BeemedDomain

/// Days of a relay whose services of reminders answer late, wrongly or not at all, and whose
/// processes are killed at any time: no service shows a reminder twice, none comes in quiet hours,
/// and none comes for what a waiting press covers.
struct ReminderSimulation {
    private struct Flight {
        var service: String
        var reminder: Reminder
        var isWithdrawal: Bool
        /// Whether the process that sent it has ended since.
        var isOld = false
    }

    private var bench: CoreBench
    private let disk: SimulatedDisk
    private var chance: Randomness
    private var flights: [Flight] = []
    /// What each service has accepted, by service and id, and how often.
    private var shown: [String: Int] = [:]
    /// Accepted, but the answer was lost: it may come once more.
    private var pardoned: [String: Int] = [:]
    private var losedates: [String: Int64] = [:]
    private var isDown = false
    private var presses = 0
    private var violations: [String] = []

    private static let services = ["one", "two"]

    private init(seed: UInt64) throws {
        disk = SimulatedDisk()
        chance = Randomness(seed: seed)
        bench = try CoreBench(disk: disk)
        for slug in ["walk", "read", "rest"] {
            losedates[slug] =
                bench.now.wall.seconds + Int64.random(in: 3_600...200_000, using: &chance)
        }
        tell()
    }

    /// - Returns: what went wrong, in words.
    static func run(seed: UInt64) throws -> [String] {
        var life = try ReminderSimulation(seed: seed)
        for _ in 0..<100 { try life.step() }
        return life.violations
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<40: pass()
        case 40..<75: requestEnded()
        case 75..<83: press()
        case 83..<88: isDown.toggle()
        case 88..<93: settle()
        case 93..<98: try bench.commit()
        default: try restart()
        }
        collect()
        if !isDown, bench.core.refresh.isAsking { learn() }
    }

    // MARK: Time and Beeminder

    private mutating func pass() {
        // As a loop does: it wakes when it was told to.
        let spans: [Double] = [10, 600, 7_200]
        let longest = spans.randomElement(using: &chance) ?? 10
        let seconds = Double.random(in: 1...longest, using: &chance)
        let end = bench.now.monotonic.adding(seconds: seconds)
        while bench.now.monotonic < end {
            let next = min(bench.wake ?? end, end)
            let seconds = Double(next.milliseconds - bench.now.monotonic.milliseconds) / 1_000
            if let wake = bench.wake, wake <= bench.now.monotonic {
                violations.append("the relay is woken again and again")
                return
            }
            bench.pass(seconds: max(1, seconds.rounded(.up)))
            collect()
            if bench.core.refresh.isAsking { isDown ? miss() : learn() }
        }
    }

    private mutating func learn() {
        for (slug, time) in losedates where time <= bench.now.wall.seconds {
            losedates[slug] = time + 2 * 86_400
        }
        bench.learn(
            losedates.sorted { $0.key < $1.key }.map { slug, time in
                var goal = Goal(slug: .known(slug), losedate: time)
                goal.terms.baremin = "+1"
                return goal
            })
    }

    private mutating func miss() {
        bench.apply(.fetched(.unreachable("down", isTimeout: false)))
    }

    private mutating func press() {
        presses += 1
        let slug = ["walk", "read", "rest"].randomElement(using: &chance) ?? "walk"
        bench.press(.make("\(presses)", goal: slug))
    }

    /// Everything that is on its way to Beeminder arrives, or fails.
    private mutating func settle() {
        for outgoing in bench.sent {
            guard !isDown else {
                bench.deliver(outgoing.number, .unreachable("down"))
                continue
            }
            losedates["\(outgoing.goal)", default: 0] += 86_400
            bench.deliver(outgoing.number, .delivered(.created, datapoint: "d"))
        }
        bench.sent = []
    }

    // MARK: Services

    /// Checks what was to be sent at this moment, and lets it go.
    private mutating func collect() {
        for (service, reminder) in bench.reminded {
            check(reminder)
            flights.append(Flight(service: service, reminder: reminder, isWithdrawal: false))
        }
        for id in bench.withdrawn where !shown.keys.contains(where: { $0.hasSuffix(" \(id)") }) {
            violations.append("\(id) was withdrawn and never shown")
        }
        // What a service shows no more may come again.
        for key in bench.withdrawnFrom { pardoned[key, default: 0] += 1 }
        withdraw()
        bench.reminded = []
        (bench.withdrawn, bench.withdrawnFrom) = ([], [])
    }

    /// Withdrawals arrive at once: their service is known by what has no other request.
    private mutating func withdraw() {
        guard !bench.withdrawn.isEmpty else { return }
        for service in Self.services where !flights.contains(where: { $0.service == service }) {
            bench.accept(service)
        }
    }

    private mutating func check(_ reminder: Reminder) {
        let second = bench.now.wall.seconds % 86_400
        let isQuiet = second < 7 * 3_600 || second >= 22 * 3_600
        if isQuiet, !reminder.topic.isUrgent {
            violations.append("\(reminder.id) came at second \(second) of the day")
        }
        guard case .due(let goal) = reminder.topic else { return }
        let isCovered = bench.core.events(RelayCore.Filter(), before: nil, limit: 500).events
            .contains { $0.goal == goal && $0.state == .queued }
        if isCovered { violations.append("\(reminder.id) came though a press waits") }
    }

    /// One request reaches its service, whose answer may be late or lost.
    private mutating func requestEnded() {
        guard let index = flights.indices.randomElement(using: &chance) else { return }
        let flight = flights.remove(at: index)
        let mood = Int.random(in: 0..<10, using: &chance)
        if mood < 8 { show(flight, isLost: mood == 7 || flight.isOld) }
        guard !flight.isOld else { return }
        bench.apply(
            .notified(.known(flight.service), mood < 7 ? .accepted : .failed(retryAfter: nil)))
    }

    private mutating func show(_ flight: Flight, isLost: Bool) {
        let key = "\(flight.service) \(flight.reminder.id)"
        shown[key, default: 0] += 1
        if isLost { pardoned[key, default: 0] += 1 }
        if shown[key] ?? 0 > 1 + (pardoned[key] ?? 0) {
            violations.append("\(key) was shown \(shown[key] ?? 0) times")
        }
    }

    // MARK: The relay

    private mutating func restart() throws {
        // What a service has accepted is durable before anything else happens, unless the process
        // is killed in between: then it may come once more.
        let marks = bench.appended.compactMap { record -> String? in
            guard case .reminded(let mark) = record.fact, !mark.isWithdrawn else { return nil }
            return "\(mark.service) \(Reminder(mark.topic, on: mark.day).id)"
        }
        for key in marks { pardoned[key, default: 0] += 1 }
        for index in flights.indices { flights[index].isOld = true }
        disk.kill()
        bench = try CoreBench(disk: disk, now: bench.now)
        tell()
    }

    private mutating func tell() {
        learn()
        bench.remind(Self.services)
        collect()
    }
}
