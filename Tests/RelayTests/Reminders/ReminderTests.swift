import Foundation
import Testing

@testable import BeemedDomain
@testable import RelayReminders
@testable import RelayTrunk

/// The reminders that are sent, to which services, and when.
struct ReminderTests {
    // MARK: Due

    @Test func `when a goal is due`() {
        part("a goal is due from its lead on, once") {
            var bench = ReminderBench(hours: 7)
            bench.pass(seconds: 3_000)
            expect(bench.reminded.isEmpty, "more than six hours are left")
            bench.pass(seconds: 700)
            bench.refresh()
            expect(bench.ids, is: ["due-walk-20251009"])
            let reminder = try require(bench.reminded.first?.reminder)
            expect(reminder.minutesLeft, is: 358)
            expect(reminder.due, is: "+2")
            bench.accept()
            for _ in 0..<3 { bench.pass(seconds: 600) }
            bench.refresh()
            expect(bench.ids, is: ["due-walk-20251009"])
        }
        part("Beeminder's own lead begins at its time of day, on each of its days") {
            var bench = ReminderBench()
            var goal = bench.goal(hours: 62)
            // From 17:00 on the day before.
            (goal.terms.leadtime, goal.terms.alertstart) = (1, 61_200)
            let losedate = try require(goal.losedate)  // at 22:53 on the 11th
            bench.learn([goal])
            bench.use()
            for (secondsLeft, ids) in [
                (110_000, []), (107_000, ["due-walk-20251010"]), (72_000, ["due-walk-20251010"]),
                (21_000, ["due-walk-20251010", "due-walk-20251011"]),
            ] as [(Int64, [String])] {
                bench.pass(to: losedate - secondsLeft)
                bench.refresh()
                expect(bench.ids, is: ids, "\(secondsLeft) seconds before")
                bench.accept()
            }
        }
        // A lead's time of day is within the goal's day, which may begin the evening before.
        for (deadline, alert, hours) in [
            (-32_400, 61_200, 22), (-32_400, 3_600, 14), (21_600, 3_600, 5),
        ] as [(Int, Int, Double)] {
            var bench = ReminderBench()
            var goal = bench.goal(hours: 30)
            goal.deadline = deadline
            (goal.terms.leadtime, goal.terms.alertstart) = (0, alert)
            // The end of the goal's day that is the next one but one, in UTC.
            let midnight = bench.now.wall.seconds / 86_400 * 86_400 + 2 * 86_400
            let losedate = midnight + Int64(deadline)
            goal.losedate = losedate
            bench.learn([goal])
            bench.use { $0.quietHours = nil }
            bench.pass(to: losedate - Int64(hours * 3_600) - 60)
            bench.refresh()
            expect(bench.ids.isEmpty, "\(deadline)")
            bench.pass(to: losedate - Int64(hours * 3_600) + 60)
            bench.refresh()
            expect(bench.ids.count, is: 1, "\(deadline)")
        }
        part("a goal's own hours count instead, and none when it is off") {
            for (lead, ids) in [
                (9, ["due-walk-20251009"]), (7, []), (0, []),
            ] as [(Int64, [String])] {
                var bench = ReminderBench(hours: 8)
                bench.use { $0.goals["walk"] = lead }
                bench.pass(seconds: 2)
                expect(bench.ids, is: ids)
            }
        }
        part("the last call comes two hours before, and takes the place of the first") {
            var bench = ReminderBench(hours: 3)
            bench.pass(seconds: 2)
            bench.accept()
            bench.pass(seconds: 3_600)
            bench.refresh()
            expect(bench.ids, is: ["due-walk-20251009", "last-call-walk-20251009"])
            bench.accept()
            bench.pass(seconds: 1)
            expect(bench.withdrawn, is: ["ntfy due-walk-20251009"])
        }
    }

    // MARK: Waiting presses

    @Test func `presses that wait`() {
        // A waiting press that is enough needs no reminder.
        for (due, value, isReminded) in [
            ("+2", 2.0, false), ("+2", 1, true), ("+0:30", 0.5, false), ("+1:30", 1, true),
            (nil, 1, false),
        ] as [(String?, Double, Bool)] {
            var bench = ReminderBench(hours: 5, due: due)
            bench.change { $0.waiting[.known("walk")] = Outlook.Waiting(count: 1, sum: value) }
            bench.pass(seconds: 2)
            expect(bench.ids.isEmpty != isReminded, "\(due)")
        }
        part("a press of an unknown amount does not quiet the last call") {
            var bench = ReminderBench(hours: 1.9, due: nil)
            bench.change { $0.waiting[.known("walk")] = Outlook.Waiting(count: 1, sum: 1) }
            bench.pass(seconds: 2)
            expect(bench.ids, is: ["last-call-walk-20251009"])
            expect(bench.reminded.first?.reminder.waiting, is: 1)
        }
        part("a press that is enough withdraws the message, which comes back without it") {
            var bench = ReminderBench(hours: 5)
            bench.pass(seconds: 2)
            bench.accept()
            bench.change { $0.waiting[.known("walk")] = Outlook.Waiting(count: 1, sum: 2) }
            bench.pass(seconds: 2)
            expect(bench.withdrawn, is: ["ntfy due-walk-20251009"])
            bench.accept()
            bench.pass(seconds: 60)
            expect(bench.withdrawn.count, is: 1)
            bench.change { $0.waiting = [:] }
            bench.pass(seconds: 2)
            expect(bench.ids, is: ["due-walk-20251009", "due-walk-20251009"])
            bench.accept()
            for _ in 0..<3 { bench.pass(seconds: 600) }
            bench.refresh()
            expect(bench.ids.count, is: 2)
        }
        part("presses that cannot be delivered are told after two minutes") {
            var bench = ReminderBench(hours: 5)
            let risk = GoalAtRisk(
                goal: .known("walk"), minutesLeft: 298, waiting: 1, isShown: true)
            bench.change { outlook in
                outlook.waiting[.known("walk")] = Outlook.Waiting(count: 1, sum: 2)
                outlook.stuck = [risk]
            }
            for seconds in [1.0, 59] { bench.pass(seconds: seconds) }
            expect(bench.ids.isEmpty, "most faults are over within two minutes")
            bench.pass(seconds: 70)
            expect(bench.ids, is: ["stuck-walk-20251009"])
            expect(bench.reminded.first?.reminder.mustSignIn, is: false)
            bench.accept()
            bench.change { ($0.stuck, $0.waiting) = ([], [:]) }
            bench.learn([bench.goal(hours: 40)])
            bench.pass(seconds: 2)
            expect(bench.withdrawn, is: ["ntfy stuck-walk-20251009"])
        }
        part("minutes before the deadline they are told at once") {
            var bench = ReminderBench(hours: 50)
            bench.change { outlook in
                outlook.mustSignIn = true
                outlook.stuck = [
                    GoalAtRisk(goal: .known("walk"), minutesLeft: 9, waiting: 1, isShown: true)
                ]
            }
            bench.pass(seconds: 1)
            expect(bench.ids, is: ["stuck-walk-20251009"])
            expect(bench.reminded.first?.reminder.mustSignIn, is: true)
        }
    }

    // MARK: Newer goals

    @Test func `goals that are old`() {
        part("goals that are old are asked for first") {
            var bench = ReminderBench(hours: 7)
            bench.pass(seconds: 3_700)
            expect(bench.reminded.isEmpty)
            expect(bench.asked, is: 1)
            bench.pass(seconds: 5)
            expect(bench.reminded.isEmpty)
            // The user has logged elsewhere.
            bench.learn([bench.goal(hours: 30)])
            bench.pass(seconds: 5)
            expect(bench.reminded.isEmpty)
            expect(bench.asked, is: 1)
        }
        part("a reminder waits a minute for Beeminder, and no longer") {
            var bench = ReminderBench(hours: 7)
            bench.pass(seconds: 3_700)
            for _ in 0..<8 { bench.pass(seconds: 5) }
            expect(bench.reminded.isEmpty)
            for _ in 0..<8 { bench.pass(seconds: 5) }
            expect(bench.ids, is: ["due-walk-20251009"])
            bench = ReminderBench(hours: 7)
            bench.change { $0.isRefreshFailing = true }
            bench.pass(seconds: 3_700)
            expect(bench.ids, is: ["due-walk-20251009"], "Beeminder gives none")
        }
    }

    // MARK: Not now

    @Test func `reminders that are put off`() {
        part("quiet hours hold back what is not urgent, until they end") {
            var bench = ReminderBench(now: 1_760_047_200)  // 22:00
            let goals = [bench.goal("late", hours: 12), bench.goal("soon", hours: 1.5)]
            bench.learn(goals)
            bench.use { $0.goals["late"] = 13 }
            bench.pass(seconds: 2)
            expect(bench.ids, is: ["last-call-soon-20251009"])
            bench.accept()
            bench.learn([goals[0]])
            bench.pass(seconds: 2)
            bench.accept()
            bench.pass(to: 1_760_079_598)
            expect(bench.ids, is: ["last-call-soon-20251009"])
            bench.learn([goals[0]])
            bench.pass(to: 1_760_079_602)  // 07:00:02
            bench.pass(seconds: 2)
            expect(bench.ids.last, is: "due-late-20251010")
        }
        part("quiet hours are the user's, wherever the relay is") {
            var bench = ReminderBench()  // 08:53 UTC, 01:53 in Los Angeles
            bench.learn([bench.goal(hours: 5)], timezone: "America/Los_Angeles")
            bench.use()
            bench.pass(seconds: 2)
            expect(bench.ids.isEmpty)
        }
        part("a snooze puts off a goal, and the reminder comes once more after it") {
            var bench = ReminderBench(hours: 5.9)
            bench.pass(seconds: 2)
            bench.accept()
            bench.snooze(3_600)
            bench.pass(seconds: 3_500)
            expect(bench.ids.count, is: 1)
            bench.pass(seconds: 200)
            bench.refresh()
            expect(bench.ids, is: ["due-walk-20251009", "due-walk-20251009"])
            bench.accept()
            bench.pass(seconds: 600)
            expect(bench.ids.count, is: 2)
        }
        part("all of it can be off until a time") {
            var bench = ReminderBench(hours: 1.5)
            let soon = bench.now.wall.seconds + 600
            bench.use { $0.offUntil = soon }
            bench.pass(seconds: 500)
            expect(bench.ids.isEmpty)
            bench.pass(seconds: 101)
            bench.refresh()
            expect(bench.ids, is: ["last-call-walk-20251009"])
            bench.accept()
            let later = bench.now.wall.seconds + 60
            bench.use { $0.offUntil = later }
            bench.pass(seconds: 50)
            expect(bench.ids.count, is: 1)
            bench.pass(seconds: 12)
            bench.refresh()
            expect(bench.ids.count, is: 2, "it comes once more")
        }
        // The settings of a goal follow its new name.
        for lead in [nil, 0, 2] as [Int64?] {
            var bench = ReminderBench()
            var goal = bench.goal(hours: 3)
            goal.id = "5f5d"
            goal.terms.yaw = -1
            bench.learn([goal])
            goal.slug = "hike"
            bench.learn([goal])
            bench.use { $0.goals["walk"] = lead }
            bench.pass(seconds: 61)
            bench.refresh()
            expect(bench.ids, is: (lead == nil ? ["due-hike-20251009"] : []), "\(lead)")
            expect(bench.reminded.allSatisfy { $0.reminder.isLimit }, "\(lead)")
        }
        // The last call comes in spite of a snooze behind the deadline.
        for ofAll in [true, false] as [Bool] {
            var bench = ReminderBench(hours: 3)
            let end = bench.now.wall.seconds + 4 * 3_600
            if ofAll {
                bench.use { $0.offUntil = end }
            } else {
                bench.snooze(4 * 3_600)
            }
            bench.pass(seconds: 3_000)
            expect(bench.ids.isEmpty, "more than two hours are left")
            bench.pass(seconds: 700)
            bench.refresh()
            expect(bench.ids, is: ["last-call-walk-20251009"], "\(ofAll)")
            bench.accept()
            for _ in 0..<3 { bench.pass(seconds: 600) }
            bench.refresh()
            expect(bench.ids.count, is: 1, "\(ofAll)")
        }
        part("a last call waits for a snooze that leaves time after it") {
            var bench = ReminderBench(hours: 1.5)
            bench.snooze(3_600)
            bench.pass(seconds: 3_500)
            expect(bench.ids.isEmpty)
            bench.pass(seconds: 200)
            bench.refresh()
            expect(bench.ids, is: ["last-call-walk-20251009"])
        }
    }

    // MARK: Other topics

    @Test func `other topics`() {
        part("a refusal is told once for the presses of a day") {
            var bench = ReminderBench(hours: 90)
            func refusal(at time: UnixTime) -> [Outlook.Refusal] {
                [Outlook.Refusal(goal: .known("walk"), arrival: time, why: "too big", waiting: 0)]
            }
            for _ in 0..<2 {
                bench.change { $0.refused = refusal(at: $0.now.wall) }
                bench.pass(seconds: 2)
                bench.accept()
            }
            expect(bench.ids, is: ["refused-walk-20251009"])
            expect(bench.reminded.first?.reminder.why, is: "too big")
            bench.pass(seconds: 86_400)
            bench.change { $0.refused = refusal(at: $0.now.wall) }
            bench.pass(seconds: 2)
            expect(bench.ids, is: ["refused-walk-20251009", "refused-walk-20251010"])
        }
        part("a refused token is told once a day") {
            var bench = ReminderBench(hours: 90)
            bench.change { $0.mustSignIn = true }
            bench.pass(seconds: 2)
            expect(bench.ids, is: ["sign-in-20251009"])
            bench.accept()
            bench.pass(seconds: 3_600)
            expect(bench.ids.count, is: 1)
            bench.pass(seconds: 86_400)
            expect(bench.ids, is: ["sign-in-20251009", "sign-in-20251010"])
        }
        part("a silent device is told once, until it is heard again") {
            var bench = ReminderBench(hours: 900)
            bench.expect("kitchen", seen: bench.now.wall)
            bench.pass(seconds: 80_000)
            expect(bench.ids.isEmpty)
            bench.pass(seconds: 10_000)
            expect(bench.ids, is: ["quiet-device-kitchen-20251010"])
            expect(bench.reminded.first?.reminder.silentHours, is: 25)
            bench.accept()
            for _ in 0..<5 { bench.pass(seconds: 40_000) }
            expect(bench.ids.count, is: 1)
            bench.expect("kitchen", seen: bench.now.wall)
            bench.pass(seconds: 2)
            expect(bench.withdrawn, is: ["ntfy quiet-device-kitchen-20251010"])
            bench.accept()
            bench.pass(seconds: 90_000)
            expect(bench.ids.count, is: 2)
        }
    }

    // MARK: Services

    @Test func `services`() {
        part("a service that fails is tried again, and holds up no other") {
            var bench = ReminderBench(hours: 5, services: ["down", "good"])
            bench.pass(seconds: 2)
            expect(bench.reminded.map(\.service), is: ["down", "good"])
            bench.fail("down")
            bench.accept("good")
            bench.pass(seconds: 5)
            expect(bench.reminded.map(\.service), is: ["down", "good", "down"])
            bench.accept("down")
            bench.pass(seconds: 1_000)
            expect(bench.reminded.count, is: 3)
        }
        part("a service that hangs gets nothing else, and holds up no other") {
            var bench = ReminderBench(hours: 5, services: ["hangs", "good"])
            bench.pass(seconds: 2)
            bench.accept("good")
            bench.pass(seconds: 3.5 * 3_600)
            bench.refresh()
            expect(
                bench.reminded.map { "\($0.service) \($0.reminder.topic.kind)" },
                is: ["hangs due", "good due", "good lastCall"])
        }
        part("a reminder without a reason any more is not sent when the service is back") {
            var bench = ReminderBench(hours: 5)
            bench.pass(seconds: 2)
            bench.fail()
            bench.learn([bench.goal(hours: 50)])
            bench.pass(seconds: 1_000)
            expect(bench.ids.count, is: 1)
        }
        part("a restart repeats none, and knows what to withdraw") {
            var bench = ReminderBench(hours: 5)
            bench.pass(seconds: 2)
            bench.accept()
            let json = try JSONEncoder().encode(bench.saved)
            try expect(JSONDecoder().decode([SentReminder].self, from: json), is: bench.saved)
            bench.restart()
            bench.pass(seconds: 2)
            expect(bench.ids.isEmpty)
            bench.learn([bench.goal(hours: 50)])
            bench.pass(seconds: 2)
            expect(bench.withdrawn, is: ["ntfy due-walk-20251009"])
            bench.accept()
            bench.restart()
            bench.pass(seconds: 2)
            expect(bench.withdrawn.isEmpty)
        }
        part("another user of the folder is reminded of goals with the same names") {
            var bench = ReminderBench(hours: 5)
            bench.pass(seconds: 2)
            bench.accept()
            bench.schedule.forgetUser()
            bench.refresh()
            expect(bench.ids.count, is: 2)
        }
    }

    @Test func `reminds once, at the right time and for a reason, whatever happens`() {
        let seeds = ProcessInfo.processInfo.environment["SEEDS"].flatMap { UInt64($0) }
        for seed in 0..<(seeds ?? (Thorough.isEveryPlace ? 24 : 8)) {
            for violation in ReminderSimulation.run(seed: seed).prefix(1) {
                Issue.record("SEED=\(seed): \(violation)")
            }
        }
    }

    // MARK: Words

    /// As its documentation has it.
    private func isTakenByNtfy(_ id: String) -> Bool {
        id.wholeMatch(of: /[-_A-Za-z0-9]{1,64}/) != nil
    }

    @Test func `the words of settings and ids`() throws {
        part("quiet hours are read as people write them") {
            let hours = try require(QuietHours(rawValue: "22:00-07:00"))
            expect(hours.rawValue, is: QuietHours.standard?.rawValue)
            expect(hours.contains(22 * 3_600) && hours.contains(7 * 3_600 - 1))
            expect(!hours.contains(7 * 3_600) && !hours.contains(22 * 3_600 - 1))
            let noon = try require(QuietHours(rawValue: "13:00-14:30"))
            expect(noon.contains(14 * 3_600) && !noon.contains(12 * 3_600))
            expect(QuietHours(rawValue: " 22:00 - 7:00 ")?.rawValue, is: "22:00-07:00")
            for text in [
                "", "22-7", "22:00", "25:00-07:00", "22:60-07:00", "07:00-07:00", "a:b-c:d",
                "+7:+5-08:00", "22:000-07:00",
            ] {
                expect(QuietHours(rawValue: text) == nil, "\(text)")
            }
        }
        // A saved lead that cannot be is a fault, and not off.
        for hours in [169, -1] {
            let json = #"{"goals":{"walk":\#(hours)},"snoozes":{},"services":[]}"#
            expect(ReminderBook(json: Array(json.utf8)) == nil, "\(hours)")
        }
        part("a service that is named twice is one") {
            let url = try require(NotifyURL("ntfy://walks"))
            let other = try require(NotifyURL("ntfy://walks?actions=1"))
            expect(ReminderBook().all([url, url, other]).count, is: 1)
        }
        part("the press of a button has an id, however long its goal's name is") {
            for length in 1...64 {
                let goal = GoalSlug.known(String(repeating: "g", count: length))
                for topic in [ReminderTopic(.due, goal), ReminderTopic(.lastCall, goal)] {
                    let id = Reminder(topic, on: Daystamp(number: 20_370)).id
                    expect(EventID("\(id).tdzzzz") != nil, "\(length)")
                }
            }
        }
        part("ids are what ntfy takes, and differ") {
            let long = String(repeating: "g", count: 63)
            let day = Daystamp(number: 20_370)
            let ids = [long + "1", long + "2", "walk"].map {
                Reminder(ReminderTopic(.lastCall, .known($0)), on: day).id
            }
            expect(Set(ids).count, is: 3)
            for id in ids {
                expect(isTakenByNtfy(id), "\(id)")
            }
        }
    }
}
