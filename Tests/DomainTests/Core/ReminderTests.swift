import Foundation
import Testing

@testable import BeemedDomain

/// What is said to whom, and when.
@Suite struct ReminderTests {
    static func goal(
        _ slug: String = "walk", hours: Double, due: String? = "+2", _ bench: CoreBench
    ) -> Goal {
        var goal = Goal(
            slug: .known(slug), losedate: bench.now.wall.seconds + Int64(hours * 3_600))
        goal.terms.baremin = due
        return goal
    }

    /// A relay whose goal "walk" derails in that many hours, and which has one service.
    static func bench(
        hours: Double, due: String? = "+2", services: [String] = ["ntfy"],
        disk: SimulatedDisk = SimulatedDisk(), now: Moment? = nil
    ) throws -> CoreBench {
        var bench = try CoreBench(disk: disk, now: now)
        bench.learn([goal(hours: hours, due: due, bench)])
        bench.remind(services)
        return bench
    }

    // MARK: Due

    @Test func `a goal is due from its lead on, once`() throws {
        var bench = try Self.bench(hours: 7)
        bench.pass(seconds: 3_000)
        #expect(bench.reminded.isEmpty, "more than six hours are left")
        bench.pass(seconds: 700)
        bench.refresh()
        #expect(bench.ids == ["due-walk-20251009"])
        let reminder = try #require(bench.reminded.first?.reminder)
        #expect(reminder.minutesLeft == 358)
        #expect(reminder.due == "+2")
        bench.accept()
        for _ in 0..<3 { bench.pass(seconds: 600) }
        bench.refresh()
        #expect(bench.ids == ["due-walk-20251009"])
    }

    @Test func `Beeminder's own lead begins at its time of day, on each of its days`() throws {
        var bench = try CoreBench()
        var goal = Self.goal(hours: 62, bench)
        (goal.terms.leadtime, goal.terms.alertstart) = (1, 61_200)  // from 17:00 on the day before
        let losedate = try #require(goal.losedate)  // at 22:53 on the 11th
        bench.learn([goal])
        bench.remind()
        for (secondsLeft, ids) in [
            (110_000, []), (107_000, ["due-walk-20251010"]), (72_000, ["due-walk-20251010"]),
            (21_000, ["due-walk-20251010", "due-walk-20251011"]),
        ] as [(Int64, [String])] {
            bench.pass(to: losedate - secondsLeft)
            bench.refresh()
            #expect(bench.ids == ids, "\(secondsLeft) seconds before")
            bench.accept()
        }
    }

    @Test(arguments: [(-32_400, 61_200, 22), (-32_400, 3_600, 14), (21_600, 3_600, 5)])
    func `a lead's time of day is within the goal's day, which may begin the evening before`(
        _ deadline: Int, _ alert: Int, _ hours: Double
    ) throws {
        var bench = try CoreBench()
        var goal = Self.goal(hours: 30, bench)
        goal.deadline = deadline
        (goal.terms.leadtime, goal.terms.alertstart) = (0, alert)
        // The end of the goal's day that is the next one but one, in UTC.
        let midnight = bench.now.wall.seconds / 86_400 * 86_400 + 2 * 86_400
        let losedate = midnight + Int64(deadline)
        goal.losedate = losedate
        bench.learn([goal])
        var rules = ReminderRules()
        rules.quietHours = nil
        bench.remind(rules: rules)
        bench.pass(to: losedate - Int64(hours * 3_600) - 60)
        bench.refresh()
        #expect(bench.ids.isEmpty)
        bench.pass(to: losedate - Int64(hours * 3_600) + 60)
        bench.refresh()
        #expect(bench.ids.count == 1)
    }

    @Test func `a goal's own hours count instead, and none when it is off`() throws {
        for (lead, ids) in [
            (ReminderRules.Lead.hours(9), ["due-walk-20251009"]), (.hours(7), []), (.off, []),
        ] {
            var bench = try Self.bench(hours: 8)
            var rules = ReminderRules()
            rules.goals["walk"] = lead
            bench.remind(rules: rules)
            bench.pass(seconds: 2)
            #expect(bench.ids == ids)
        }
    }

    @Test func `the last call comes two hours before, and takes the place of the first`() throws {
        var bench = try Self.bench(hours: 3)
        bench.pass(seconds: 2)
        bench.accept()
        bench.pass(seconds: 3_600)
        bench.refresh()
        #expect(bench.ids == ["due-walk-20251009", "last-call-walk-20251009"])
        bench.accept()
        bench.pass(seconds: 1)
        #expect(bench.withdrawn == ["due-walk-20251009"])
    }

    @Test func `what waits here and is enough needs no reminder`() throws {
        for (due, value, isReminded) in [
            ("+2", 2.0, false), ("+2", 1, true), ("+0:30", 0.5, false), ("+1:30", 1, true),
        ] {
            var bench = try Self.bench(hours: 5, due: due)
            bench.press(.make("1", goal: "walk", value: value))
            try bench.commit()
            bench.deliver(bench.number("1"), .unreachable("down"))
            bench.pass(seconds: 2)
            #expect(bench.ids.isEmpty != isReminded, "\(value) of \(due)")
        }
    }

    @Test func `a press of an unknown amount quiets the first reminder, not the last`() throws {
        var bench = try Self.bench(hours: 5, due: nil)
        bench.press(.make("1", goal: "walk"))
        try bench.commit()
        bench.deliver(bench.number("1"), .busy(retryAfter: 3_600))
        bench.pass(seconds: 2)
        #expect(bench.ids.isEmpty)
        bench.pass(seconds: 3.2 * 3_600)
        bench.refresh()
        bench.accept()
        bench.pass(seconds: 1)
        #expect(bench.ids.contains("last-call-walk-20251009"))
    }

    /// A relay that has reminded, and withdraws that because a press waits that is enough.
    private func coveredBench() throws -> CoreBench {
        var bench = try Self.bench(hours: 5)
        bench.pass(seconds: 2)
        bench.accept()
        bench.press(.make("1", goal: "walk", value: 2))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.pass(seconds: 2)
        return bench
    }

    @Test func `a press that is enough withdraws the message`() throws {
        var bench = try coveredBench()
        #expect(bench.withdrawn == ["due-walk-20251009"])
        bench.accept()
        bench.pass(seconds: 60)
        #expect(bench.withdrawn.count == 1)
    }

    @Test func `a message that was withdrawn comes back when the goal is due again`() throws {
        var bench = try coveredBench()
        bench.accept()
        #expect(bench.withdrawn == ["due-walk-20251009"])
        bench.undo("1")
        try bench.commit()
        bench.pass(seconds: 2)
        bench.refresh()
        #expect(bench.ids == ["due-walk-20251009", "due-walk-20251009"])
        bench.accept()
        for _ in 0..<3 { bench.pass(seconds: 600) }
        bench.refresh()
        #expect(bench.ids.count == 2)
    }

    @Test func `the presses of a merged datapoint count together while it waits`() throws {
        var bench = try Self.bench(hours: 5, due: "+3")
        let rule = PresetOptions(preset: .known("glass"), mergeSeconds: 600)
        for id in ["1", "2", "3"] {
            bench.press(.make(id, goal: "walk", rule: rule))
            try bench.commit()
        }
        bench.pass(seconds: 2)
        #expect(bench.ids.isEmpty)
    }

    @Test func `a press for a later day is none that waits for this deadline`() throws {
        var bench = try Self.bench(hours: 5)
        let tomorrow = PressDay.on(Daystamp(number: bench.now.wall.seconds / 86_400 + 1))
        bench.press(.make("1", goal: "walk", value: 2, day: tomorrow))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.pass(seconds: 2)
        #expect(bench.ids == ["due-walk-20251009"])
    }

    @Test func `goals that are old are asked for first`() throws {
        var bench = try Self.bench(hours: 7)
        bench.pass(seconds: 3_700)
        let asked = bench.fetches
        #expect(bench.reminded.isEmpty)
        bench.pass(seconds: 5)
        #expect(bench.fetches >= asked && bench.reminded.isEmpty)
        // The user has logged elsewhere.
        bench.learn([Self.goal(hours: 30, bench)])
        bench.pass(seconds: 5)
        #expect(bench.reminded.isEmpty)
    }

    @Test func `a reminder waits a minute for Beeminder, and no longer`() throws {
        var bench = try Self.bench(hours: 7)
        bench.pass(seconds: 3_700)
        for _ in 0..<8 { bench.pass(seconds: 5) }
        #expect(bench.reminded.isEmpty)
        for _ in 0..<8 { bench.pass(seconds: 5) }
        #expect(bench.ids == ["due-walk-20251009"])
    }

    // MARK: Not now

    @Test func `quiet hours hold back what is not urgent, until they end`() throws {
        var bench = try CoreBench()
        bench.now.wall = UnixTime(1_760_047_200)  // 22:00
        let goals = [
            Self.goal("late", hours: 12, bench), Self.goal("soon", hours: 1.5, bench),
        ]
        bench.learn(goals)
        var rules = ReminderRules()
        rules.goals["late"] = .hours(13)
        bench.remind(rules: rules)
        bench.pass(seconds: 2)
        #expect(bench.ids == ["last-call-soon-20251009"])
        bench.accept()
        bench.learn([goals[0]])
        bench.pass(seconds: 2)
        bench.accept()
        bench.pass(to: 1_760_079_598)
        #expect(bench.ids == ["last-call-soon-20251009"])
        bench.learn([goals[0]])
        bench.pass(to: 1_760_079_602)  // 07:00:02
        bench.pass(seconds: 2)
        #expect(bench.ids.last == "due-late-20251010")
    }

    @Test func `quiet hours are the user's, wherever the relay is`() throws {
        var bench = try CoreBench()  // 08:53 UTC, 01:53 in Los Angeles
        bench.learn([Self.goal(hours: 5, bench)], timezone: "America/Los_Angeles")
        bench.remind()
        bench.pass(seconds: 2)
        #expect(bench.ids.isEmpty)
    }

    @Test func `a snooze puts off a goal, and the reminder comes once more after it`() throws {
        var bench = try Self.bench(hours: 5.9)
        bench.pass(seconds: 2)
        bench.accept()
        var rules = ReminderRules()
        rules.snoozes["walk"] = ReminderRules.Snooze(until: bench.now.wall.adding(3_600))
        bench.remind(rules: rules)
        bench.pass(seconds: 3_500)
        #expect(bench.ids.count == 1)
        bench.pass(seconds: 200)
        bench.refresh()
        #expect(bench.ids == ["due-walk-20251009", "due-walk-20251009"])
        bench.accept()
        bench.pass(seconds: 600)
        #expect(bench.ids.count == 2)
    }

    @Test func `all of it can be off until a time`() throws {
        var bench = try CoreBench()
        bench.learn([Self.goal(hours: 1.5, bench)])
        var rules = ReminderRules()
        rules.offUntil = bench.now.wall.seconds + 600
        bench.remind(rules: rules)
        bench.pass(seconds: 500)
        #expect(bench.ids.isEmpty)
        bench.pass(seconds: 101)
        bench.refresh()
        #expect(bench.ids == ["last-call-walk-20251009"])
    }

    @Test(arguments: [nil, .off, .hours(2)] as [ReminderRules.Lead?])
    func `the settings of a goal follow its new name`(_ lead: ReminderRules.Lead?) throws {
        var bench = try CoreBench()
        var goal = Self.goal(hours: 3, bench)
        goal.id = "5f5d"
        goal.terms.yaw = -1
        bench.learn([goal])
        goal.slug = "hike"
        bench.learn([goal])
        var rules = ReminderRules()
        rules.goals["walk"] = lead
        bench.remind(rules: rules)
        bench.pass(seconds: 61)
        bench.refresh()
        #expect(bench.ids == (lead == nil ? ["due-hike-20251009"] : []))
        #expect(bench.reminded.allSatisfy { $0.reminder.isLimit })
    }

    // MARK: Words

    @Test func `quiet hours are read as people write them`() throws {
        let hours = try #require(QuietHours("22:00-07:00"))
        #expect(hours == .standard)
        #expect(hours.secondsLeft(at: 22 * 3_600) == 32_400)
        #expect(hours.secondsLeft(at: 7 * 3_600 - 1) == 1)
        #expect(hours.secondsLeft(at: 7 * 3_600) == nil)
        #expect(QuietHours("13:00-14:30")?.secondsLeft(at: 14 * 3_600) == 1_800)
        #expect(QuietHours("22:00 - 7:00") == .standard)
        for text in ["", "22-7", "22:00", "25:00-07:00", "22:60-07:00", "07:00-07:00", "a:b-c:d"] {
            #expect(QuietHours(text) == nil, "\(text)")
        }
    }

    @Test func `ids are what ntfy takes, and differ`() throws {
        let long = String(repeating: "g", count: 63)
        let day = Daystamp(number: 20_370)
        let ids = [long + "1", long + "2", "walk"].map {
            Reminder(.quietDevice(.known("x")), on: day).id.count > 64
                ? "" : Reminder(.lastCall(.known($0)), on: day).id
        }
        #expect(Set(ids).count == 3)
        for id in ids {
            #expect(id.wholeMatch(of: /[-_A-Za-z0-9]{1,64}/) != nil, "\(id)")
        }
    }

    @Test(arguments: [true, false])
    func `the last call comes in spite of a snooze behind the deadline`(_ ofAll: Bool) throws {
        var bench = try Self.bench(hours: 3)
        var rules = ReminderRules()
        let end = bench.now.wall.adding(4 * 3_600)
        if ofAll {
            rules.offUntil = end.seconds
        } else {
            rules.snoozes["walk"] = ReminderRules.Snooze(until: end)
        }
        bench.remind(rules: rules)
        bench.pass(seconds: 3_000)
        #expect(bench.ids.isEmpty, "more than two hours are left")
        bench.pass(seconds: 700)
        bench.refresh()
        #expect(bench.ids == ["last-call-walk-20251009"])
        bench.accept()
        for _ in 0..<3 { bench.pass(seconds: 600) }
        bench.refresh()
        #expect(bench.ids.count == 1)
    }

    @Test func `a last call waits for a snooze that leaves time after it`() throws {
        var bench = try Self.bench(hours: 1.5)
        var rules = ReminderRules()
        rules.snoozes["walk"] = ReminderRules.Snooze(until: bench.now.wall.adding(3_600))
        bench.remind(rules: rules)
        bench.pass(seconds: 3_500)
        #expect(bench.ids.isEmpty)
        bench.pass(seconds: 200)
        bench.refresh()
        #expect(bench.ids == ["last-call-walk-20251009"])
    }
}
