import Testing

@testable import BeemedDomain

/// Reminders, services that fail, and restarts.
@Suite struct ReminderServiceTests {
    @Test func `a service that fails is tried again, and holds up no other`() throws {
        var bench = try ReminderTests.bench(hours: 5, services: ["down", "good"])
        bench.pass(seconds: 2)
        #expect(bench.reminded.map(\.service) == ["down", "good"])
        bench.fail("down")
        bench.accept("good")
        bench.pass(seconds: 5)
        #expect(bench.reminded.map(\.service) == ["down", "good", "down"])
        bench.accept("down")
        bench.pass(seconds: 1_000)
        #expect(bench.reminded.count == 3)
    }

    @Test func `a service that hangs gets nothing else, and holds up no other`() throws {
        var bench = try ReminderTests.bench(hours: 5, services: ["hangs", "good"])
        bench.pass(seconds: 2)
        bench.accept("good")
        bench.pass(seconds: 3.5 * 3_600)
        bench.refresh()
        #expect(
            bench.reminded.map { "\($0.service) \($0.reminder.topic.kind)" }
                == ["hangs due", "good due", "good lastCall"])
    }

    @Test func `a reminder without a reason any more is not sent when the service is back`() throws
    {
        var bench = try ReminderTests.bench(hours: 5)
        bench.pass(seconds: 2)
        bench.fail("ntfy")
        bench.learn([ReminderTests.goal(hours: 50, bench)])
        bench.pass(seconds: 1_000)
        #expect(bench.ids.count == 1)
    }

    @Test func `a wrong clock reminds of nothing`() throws {
        let now = Moment(wall: UnixTime(1_000), monotonic: Monotonic(milliseconds: 0))
        var bench = try ReminderTests.bench(hours: 5, now: now)
        bench.pass(seconds: 600)
        #expect(bench.ids.isEmpty)
    }

    @Test func `a restart repeats none, and knows what to withdraw`() throws {
        let disk = SimulatedDisk()
        var bench = try ReminderTests.bench(hours: 5, disk: disk)
        bench.pass(seconds: 2)
        bench.accept()
        try bench.commit()
        disk.kill()
        var again = try ReminderTests.bench(hours: 4.9, disk: disk, now: bench.now)
        again.pass(seconds: 2)
        #expect(again.ids.isEmpty)
        again.learn([ReminderTests.goal(hours: 50, again)])
        again.pass(seconds: 2)
        #expect(again.withdrawn == ["due-walk-20251009"])
        again.accept()
        try again.commit()
        disk.kill()
        var last = try ReminderTests.bench(hours: 50, disk: disk, now: again.now)
        last.pass(seconds: 2)
        #expect(last.withdrawn.isEmpty)
    }

    @Test func `a retirement keeps the newest mark of each`() throws {
        let disk = SimulatedDisk()
        var rig = try JournalRig(disk, limits: .small)
        var mark = ReminderMark(
            topic: .due(.known("walk")), service: .known("ntfy"), day: Daystamp(number: 20_000),
            at: UnixTime(1_760_000_000))
        for day in 0..<40 {
            mark.day = Daystamp(number: 20_000 + Int64(day))
            try rig.commit(.reminded(mark), .put(.make("\(day)")))
            if day < 10 { try rig.rotate() } else { try rig.rotate(events: 1) }
        }
        try rig.reopen(limits: .small)
        #expect(rig.recovered.facts.reminders == [mark.key: mark])
        #expect(disk.names(.history).contains("00000001.jnl"))
    }
}
