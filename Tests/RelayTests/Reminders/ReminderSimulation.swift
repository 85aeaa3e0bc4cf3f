@testable import BeemedDomain
@testable import RelayReminders

/// Days of a relay whose services of reminders answer late, wrongly or not at all, and whose
/// processes are killed at any time: no service shows a reminder twice, none comes in quiet hours,
/// and none comes for what a waiting press covers.
struct ReminderSimulation {
    private struct Flight {
        var service: String
        var reminder: Reminder
        /// Whether the process that sent it has ended since.
        var isOld = false
    }

    private var bench = ReminderBench()
    private var chance: Randomness
    private var flights: [Flight] = []
    /// How often each service has shown a reminder, by the service and the reminder's id.
    private var shown: [String: Int] = [:]
    /// How often a reminder may come again: not on disk as accepted, or withdrawn since.
    private var pardoned: [String: Int] = [:]
    private var losedates: [String: Int64] = [:]
    private var isDown = false
    private var violations: [String] = []

    private static let services = ["one", "two"]
    private static let slugs = ["walk", "read", "rest"]

    private init(seed: UInt64) {
        chance = Randomness(seed: seed)
        for slug in Self.slugs {
            losedates[slug] =
                bench.now.wall.seconds + Int64.random(in: 3_600...200_000, using: &chance)
        }
        learn()
        bench.use(Self.services)
    }

    /// - Returns: what went wrong, in words.
    static func run(seed: UInt64) -> [String] {
        var life = ReminderSimulation(seed: seed)
        for _ in 0..<100 { life.step() }
        return life.violations
    }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<40: pass()
        case 40..<75: requestEnded()
        case 75..<83:
            let slug = Self.slugs.randomElement(using: &chance) ?? "walk"
            bench.change { outlook in
                let count = (outlook.waiting[.known(slug)]?.count ?? 0) + 1
                outlook.waiting[.known(slug)] = Outlook.Waiting(count: count, sum: Double(count))
            }
        case 83..<88: isDown.toggle()
        case 88..<93: settle()
        default: restart()
        }
        collect()
    }

    // MARK: Time and Beeminder

    private mutating func pass() {
        // As a loop does: it wakes when it was told to.
        let spans: [Double] = [10, 600, 7_200]
        let longest = spans.randomElement(using: &chance) ?? 10
        let end = bench.now.monotonic.adding(
            seconds: Double.random(in: 1...longest, using: &chance))
        while bench.now.monotonic < end {
            let next = min(bench.schedule.checkAt ?? end, end)
            let seconds = Double(next.milliseconds - bench.now.monotonic.milliseconds) / 1_000
            if let due = bench.schedule.checkAt, due <= bench.now.monotonic {
                return violations.append("the relay is woken again and again")
            }
            let asked = bench.asked
            bench.pass(seconds: max(1, seconds.rounded(.up)))
            collect()
            if bench.asked > asked, !isDown { learn() }
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

    /// All that waits for Beeminder arrives.
    private mutating func settle() {
        guard !isDown else { return }
        for slug in bench.outlook.waiting.keys { losedates["\(slug)", default: 0] += 86_400 }
        bench.change { $0.waiting = [:] }
        learn()
    }

    // MARK: Services

    /// Checks what was to be sent at this moment, and lets it go. Withdrawals arrive at once.
    private mutating func collect() {
        for (service, reminder) in bench.reminded {
            check(reminder)
            flights.append(Flight(service: service, reminder: reminder))
        }
        for key in bench.withdrawn {
            if shown[key] == nil { violations.append("\(key) was withdrawn and never shown") }
            pardoned[key, default: 0] += 1
            bench.accept(String(key.prefix { $0 != " " }))
        }
        (bench.reminded, bench.withdrawn) = ([], [])
    }

    private mutating func check(_ reminder: Reminder) {
        let second = bench.now.wall.seconds % 86_400
        let isQuiet = second < 7 * 3_600 || second >= 22 * 3_600
        if isQuiet, !reminder.topic.isUrgent {
            violations.append("\(reminder.id) came at second \(second) of the day")
        }
        guard reminder.topic.kind == .due, let goal = reminder.topic.goal else { return }
        if bench.outlook.waiting[goal] != nil {
            violations.append("\(reminder.id) came though a press waits")
        }
    }

    /// A request ends: its service may miss it, or the answer may be late or lost.
    private mutating func requestEnded() {
        guard let index = flights.indices.randomElement(using: &chance) else { return }
        let flight = flights.remove(at: index)
        let mood = Int.random(in: 0..<10, using: &chance)
        let isSaved = mood < 6 && !flight.isOld
        if mood < 8 { show(flight, isSaved: isSaved) }
        guard !flight.isOld else { return }
        if mood < 7 {
            bench.accept(flight.service, isSaved: isSaved)
            if !isSaved { restart() }
        } else {
            bench.fail(flight.service)
        }
    }

    private mutating func show(_ flight: Flight, isSaved: Bool) {
        let key = "\(flight.service) \(flight.reminder.id)"
        shown[key, default: 0] += 1
        if !isSaved { pardoned[key, default: 0] += 1 }
        if shown[key] ?? 0 > 1 + (pardoned[key] ?? 0) {
            violations.append("\(key) was shown \(shown[key] ?? 0) times")
        }
    }

    private mutating func restart() {
        for index in flights.indices { flights[index].isOld = true }
        bench.restart(Self.services)
    }
}
