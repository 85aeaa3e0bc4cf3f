import Foundation

@testable import BeemedDomain
@testable import RelayReminders
@testable import RelayTrunk

/// A schedule of reminders, with an outlook that is made by hand, and all that it wants sent.
struct ReminderBench {
    var schedule: ReminderSchedule
    var rules = ReminderBook()
    var devices = DeviceBook()
    var lastSeen = LastSeen()
    var outlook: Outlook
    /// The reminders that were to be sent to services, in order.
    var reminded: [(service: String, reminder: Reminder)] = []
    /// The reminders to be withdrawn, each as the service's name, a blank and the reminder's id.
    var withdrawn: [String] = []
    /// How often Beeminder was to be asked for newer goals.
    var asked = 0
    /// The sent reminders that are on disk.
    var saved: [SentReminder]
    private var book = GoalBook()
    private var randomness = Randomness(seed: 1)

    private static func address(_ service: String) -> NotifyURL? { NotifyURL("http://\(service)") }

    var ids: [String] { reminded.map(\.reminder.id) }
    var now: Moment { outlook.now }

    /// - Parameter now: in Unix seconds; 08:53 in the morning of 2025-10-09, in UTC.
    init(now: Int64 = 1_760_000_000, saved: [SentReminder] = []) {
        self.saved = saved
        schedule = ReminderSchedule(saved)
        outlook = Outlook(
            at: Moment(wall: UnixTime(now), monotonic: Monotonic(milliseconds: 0)),
            GoalCalendar(book, nil, hasNoUser: false))
    }

    /// A goal "walk" that derails in that many hours, and services.
    init(hours: Double, due: String? = "+2", services: [String] = ["ntfy"]) {
        self.init()
        learn([goal(hours: hours, due: due)])
        use(services)
    }

    func goal(_ slug: String = "walk", hours: Double, due: String? = "+2") -> Goal {
        var goal = Goal(slug: .known(slug), losedate: now.wall.seconds + Int64(hours * 3_600))
        goal.terms.baremin = due
        return goal
    }

    /// Beeminder says which goals there are.
    mutating func learn(_ goals: [Goal], timezone: String = "UTC") {
        let user = UpstreamUser(name: "alice", timezone: timezone)
        book.replace(goals, user: user, at: now.wall)
        outlook.goals = book.goals
        outlook.calendar = GoalCalendar(book, nil, hasNoUser: false)
        schedule.hasChanged(at: now.monotonic)
    }

    /// Beeminder says once more what it has said, and a second passes.
    mutating func refresh() {
        learn(book.goals, timezone: book.zone?.name ?? "UTC")
        pass(seconds: 1)
    }

    mutating func use(_ services: [String] = ["ntfy"], rules: ReminderBook = ReminderBook()) {
        self.rules = rules
        schedule.use(services.compactMap(ReminderBench.address), at: now.monotonic)
    }

    /// Sets rules in the place of all others.
    mutating func use(_ change: (inout ReminderBook) -> Void) {
        var rules = ReminderBook()
        change(&rules)
        use(rules: rules)
    }

    /// The goal "walk" is put off by so many seconds.
    mutating func snooze(_ seconds: Int64) {
        let end = now.wall.adding(seconds).seconds
        use { $0.snoozes["walk"] = end }
    }

    /// Changes what waits and what was refused.
    mutating func change(_ body: (inout Outlook) -> Void) {
        body(&outlook)
        schedule.hasChanged(at: now.monotonic)
    }

    mutating func expect(_ device: String, seen: UnixTime) {
        devices = DeviceBook()
        _ = try? devices.add(name: device, rights: ["log"], goals: nil, expect: "1d")
        for device in devices.devices {
            lastSeen.note(device, at: Moment(wall: seen, monotonic: now.monotonic))
        }
        schedule.hasChanged(at: now.monotonic)
    }

    mutating func pass(seconds: Double) {
        outlook.now.monotonic = now.monotonic.adding(seconds: seconds)
        outlook.now.wall = now.wall.adding(Int64(seconds))
        guard schedule.isDue(at: now.monotonic) else { return }
        outlook.goalsAge = book.asOf.map { now.wall.seconds - $0.seconds }
        let (starts, wantsGoals) = schedule.check(at: outlook, rules, devices, lastSeen)
        if wantsGoals { asked += 1 }
        for start in starts {
            let service = start.service.target.host() ?? ""
            if start.action == .withdraw {
                withdrawn.append("\(service) \(start.reminder.id)")
            } else {
                reminded.append((service, start.reminder))
            }
        }
    }

    mutating func pass(to time: Int64) { pass(seconds: Double(time - now.wall.seconds)) }

    /// A service has accepted what it was sent.
    ///
    /// - Parameter isSaved: whether the process lives until that is on disk.
    mutating func accept(_ service: String = "ntfy", isSaved: Bool = true) {
        end(service, NotifyOutcome(), isSaved: isSaved)
    }

    mutating func fail(_ service: String = "ntfy") {
        end(service, NotifyOutcome(fault: "it answered 500"))
    }

    private mutating func end(
        _ service: String, _ outcome: NotifyOutcome, isSaved: Bool = true
    ) {
        let isNew = schedule.apply(
            ReminderBench.address(service)?.name ?? "", outcome, at: now, left: { _ in nil },
            &randomness)
        if isNew, isSaved { saved = schedule.sent }
    }

    /// The process is killed, and starts again.
    mutating func restart(_ services: [String] = ["ntfy"]) {
        schedule = ReminderSchedule(saved)
        (reminded, withdrawn) = ([], [])
        use(services, rules: rules)
    }
}
