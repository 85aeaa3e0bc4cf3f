import Testing

@testable import BeemedDomain

/// Reminders that are about presses and devices.
@Suite struct ReminderTopicTests {
    @Test func `a press that cannot be delivered is reported when its goal derails soon`() throws {
        var bench = try ReminderTests.bench(hours: 5)
        bench.press(.make("1", goal: "walk", value: 2))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        for seconds in [1.0, 59] { bench.pass(seconds: seconds) }
        #expect(bench.ids.isEmpty, "most faults are over within two minutes")
        bench.pass(seconds: 70)
        #expect(bench.ids == ["stuck-walk-20251009"])
        #expect(bench.reminded.first?.reminder.cause == .silence)
        bench.accept()
        bench.deliver(bench.number("1"), .delivered(.created, datapoint: "x"))
        try bench.commit()
        bench.learn([ReminderTests.goal(hours: 40, bench)])
        bench.pass(seconds: 2)
        #expect(bench.withdrawn == ["stuck-walk-20251009"])
    }

    @Test func `a press that waits for others to merge with is not stuck`() throws {
        var bench = try ReminderTests.bench(hours: 5)
        let rule = PresetOptions(preset: .known("glass"), mergeSeconds: 3_600)
        bench.press(.make("1", goal: "walk", value: 2, rule: rule))
        try bench.commit()
        bench.pass(seconds: 300)
        #expect(bench.ids.isEmpty)
    }

    @Test func `a refusal is told once for the presses of a day`() throws {
        var bench = try ReminderTests.bench(hours: 90)
        for id in ["1", "2"] {
            bench.press(.make(id, goal: "walk"))
            try bench.commit()
            bench.deliver(bench.number(id), .refused(status: 422, why: "too big"))
            try bench.commit()
            bench.pass(seconds: 2)
            bench.accept()
        }
        #expect(bench.ids == ["refused-walk-20251009"])
        #expect(bench.reminded.first?.reminder.why?.contains("too big") == true)
        bench.pass(seconds: 86_400)
        bench.press(.make("3", goal: "walk"))
        try bench.commit()
        bench.deliver(bench.number("3"), .refused(status: 422, why: "too big"))
        try bench.commit()
        bench.pass(seconds: 2)
        #expect(bench.ids == ["refused-walk-20251009", "refused-walk-20251010"])
    }

    @Test func `a refused token is told once a day`() throws {
        var bench = try CoreBench(token: .unknown)
        bench.learn([ReminderTests.goal(hours: 90, bench)])
        try bench.commit()
        bench.remind()
        bench.apply(.fetched(.unauthorized))
        bench.pass(seconds: 2)
        #expect(bench.ids == ["sign-in-20251009"])
        bench.accept()
        bench.pass(seconds: 3_600)
        #expect(bench.ids.count == 1)
        bench.pass(seconds: 86_400)
        #expect(bench.ids == ["sign-in-20251009", "sign-in-20251010"])
    }

    @Test func `a silent device is told once, until it is heard again`() throws {
        var bench = try ReminderTests.bench(hours: 900)
        let seen = bench.now.wall
        bench.expect("kitchen", within: 86_400, seen: seen)
        bench.pass(seconds: 80_000)
        #expect(bench.ids.isEmpty)
        bench.pass(seconds: 10_000)
        #expect(bench.ids == ["quiet-device-kitchen-20251010"])
        #expect(bench.reminded.first?.reminder.silentHours == 25)
        bench.accept()
        for _ in 0..<5 { bench.pass(seconds: 40_000) }
        #expect(bench.ids.count == 1)
        bench.expect("kitchen", within: 86_400, seen: bench.now.wall)
        bench.pass(seconds: 2)
        #expect(bench.withdrawn == ["quiet-device-kitchen-20251010"])
        bench.accept()
        bench.pass(seconds: 90_000)
        #expect(bench.ids.count == 2)
    }
}
